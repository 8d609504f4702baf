"""Bring the catalogues of ``aggregator/translation`` in step with the program, and compile them.

``python -m tests.support.messages`` adds what is new to each ``.po`` file, untranslated, and lists it.
"""

from __future__ import annotations

import io
from datetime import UTC, datetime

from babel.messages import mofile, pofile
from babel.messages.catalog import Catalog
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir

from aggregator.translation.locale import NAMES, SOURCE
from tests.support.paths import ROOT

CATALOGUES = ROOT / "aggregator" / "translation" / "catalogues"

LANGUAGES = [language for language in NAMES if language != SOURCE]
PLURALS = {"de": "de", "es": "es", "fr": "fr", "pt": "pt_BR", "ja": "ja"}
METHODS = [("**.py", "python"), ("**.j2", "jinja2.ext:babel_extract")]
KEYWORDS = DEFAULT_KEYWORDS | {"nN_": (1, 2)}
TIME = datetime(2026, 11, 26, tzinfo=UTC)  # of all, so that a file changes with its messages alone


def extract() -> Catalog:
    """All messages of the program."""
    found = Catalog(charset="utf-8")
    options = {"**.j2": {"trimmed": "true", "silent": "false"}}
    for file, _, message, comments, context in extract_from_dir(ROOT / "aggregator", METHODS, options, KEYWORDS):
        found.add(message, locations=[(f"aggregator/{file}", 0)], auto_comments=comments, context=context)
    return found


def read(language: str) -> Catalog:
    path = CATALOGUES / f"{language}.po"
    if not path.exists():
        return Catalog(locale=PLURALS[language])
    with path.open("rb") as file:
        return pofile.read_po(file, locale=PLURALS[language])


def render(catalogue: Catalog) -> bytes:
    catalogue.header_comment = f"# {NAMES[catalogue.locale.language]}: messages of the pages."
    catalogue.project, catalogue.version, catalogue.fuzzy = "aggregator", "1", False
    catalogue.creation_date = catalogue.revision_date = TIME
    out = io.BytesIO()
    pofile.write_po(
        out, catalogue, width=110, sort_output=True, include_lineno=False, ignore_obsolete=True, omit_header=False
    )
    return out.getvalue()


def compile_catalogue(catalogue: Catalog) -> bytes:
    out = io.BytesIO()
    mofile.write_mo(out, catalogue)
    return out.getvalue()


def list_missing(catalogue: Catalog) -> list[str]:
    """Messages without a translation, or with an empty form."""
    return [
        str(each.id) for each in catalogue if each.id and not (all(each.string) if each.pluralizable else each.string)
    ]


def main() -> None:
    current = extract()
    for language in LANGUAGES:
        catalogue = read(language)
        catalogue.update(current, no_fuzzy_matching=True)
        (CATALOGUES / f"{language}.po").write_bytes(render(catalogue))
        (CATALOGUES / f"{language}.mo").write_bytes(compile_catalogue(catalogue))
        print(language, len(catalogue), "messages", *(f"\n  lacks {each}" for each in list_missing(catalogue)))  # noqa: T201


if __name__ == "__main__":
    main()
