"""Bring the catalogues of ``aggregator/translation`` in step with the program, and compile them.

``python -m tests.support.messages`` adds what is new to each ``.po`` file, untranslated, and lists it. Messages are
what babel finds, what ``N_`` and ``nN_`` mark, f-strings too, and the errors that a page may show.
"""

from __future__ import annotations

import ast
import io
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import cache
from keyword import iskeyword

from babel.messages import mofile, pofile
from babel.messages.catalog import Catalog
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir

from aggregator.translation.locale import NAMES, SOURCE
from tests.support.paths import ROOT

PACKAGE = ROOT / "aggregator"
CATALOGUES = PACKAGE / "translation" / "catalogues"
SENTENCES = CATALOGUES / "sentences.txt"
LIBRARIES = ROOT / "tests/support/data/library_messages.txt"

LANGUAGES = [language for language in NAMES if language != SOURCE]
PLURALS = {"de": "de", "es": "es", "fr": "fr", "pt": "pt_BR", "ja": "ja"}
METHODS = [("**.py", "python"), ("**.j2", "jinja2.ext:babel_extract")]
KEYWORDS = {name: forms for name, forms in DEFAULT_KEYWORDS.items() if name != "N_"}
NAME = re.compile(r"(?<![\w'])[A-Za-z_]\w*(?![\w('])")
PAGES = ("aggregator/service/", "aggregator/generator/pages/", "aggregator/generator/changes/")
WHOLE = ("aggregator/commands/", "aggregator/config/", "aggregator/fetchers/", "aggregator/store/")
ELSEWHERE = tuple(
    f"aggregator/{room}"
    for room in (
        *("api.py", "commands/", "compose.py", "merger/matching/", "processes/", "sandbox/", "service/", "validator/"),
        *("store/examine.py", "store/facts.py", "store/guids.py"),
    )
)
"""Where errors are made that no page shows: programs and commands do."""

PLACEHOLDER = re.compile(r"%\(\w+\)s")
AROUND = re.compile(r"^(?:(?:%\((?:copy|folder|name|path|place|store|url|where)\)s|output|store): )+| \(%\(url\)s\)$")
TIME = datetime(2026, 11, 26, tzinfo=UTC)  # of all, so that a file changes with its messages alone


def extract() -> Catalog:
    """All messages of the program."""
    found = Catalog(charset="utf-8")
    options = {"**.j2": {"trimmed": "true", "silent": "false"}}
    for file, _, message, comments, context in extract_from_dir(ROOT / "aggregator", METHODS, options, KEYWORDS):
        found.add(message, locations=[(f"aggregator/{file}", 0)], auto_comments=comments, context=context)
    for forms, path in (*find_marked(), *find_errors()):
        found.add(forms if len(forms) > 1 else forms[0], locations=[(path, 0)])
    return found


def find_marked() -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the forms of what ``N_`` and ``nN_`` mark, each with its file."""
    for name, node, file in _find_calls():
        if name in ("N_", "nN_"):
            yield from _make_forms(node.args if name == "nN_" else node.args[:1], file)


def find_errors() -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the messages of errors that a page may show, each with its file, and those of libraries in them."""
    for name, node, file in _find_calls():
        if name.endswith("Error") and not file.startswith(ELSEWHERE):
            yield from _make_forms(node.args[:1], file)
    for line in LIBRARIES.read_text("utf-8").splitlines():
        if not line.startswith("#"):
            yield (line,), LIBRARIES.relative_to(ROOT).as_posix()


@cache
def _find_calls() -> list[tuple[str, ast.Call, str]]:
    """Each call of what marks a message or makes an error: the last name of what is called, and its file."""
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        file = path.relative_to(ROOT).as_posix()
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call):
                name = getattr(node.func, "id", getattr(node.func, "attr", ""))
                if name.endswith(("N_", "Error")):
                    found.append((name, node, file))
    return found


def _make_forms(texts: Sequence[ast.expr], file: str) -> Iterator[tuple[tuple[str, ...], str]]:
    forms = tuple(map(make_template, texts))
    if re.search("[A-Za-z]", PLACEHOLDER.sub("", "".join(forms))):
        yield forms, file


def make_template(text: ast.expr) -> str:
    """Return a string, or an f-string with the last name in each of its fields as placeholder; empty for others.

    A name before an f-string and an address behind it are left out.
    """
    if isinstance(text, ast.Constant):
        return str(text.value)
    made = ""
    for part in text.values if isinstance(text, ast.JoinedStr) else ():
        if isinstance(part, ast.FormattedValue):
            names = ["value", *(each for each in NAME.findall(ast.unparse(part.value)) if not iskeyword(each))]
            name = names[-1].lower().strip("_")
            name += str(made.count(f"%({name})s") + 1) * (f"%({name})s" in made)
            made += f"%({name})s"
        else:
            made += ast.literal_eval(part).replace("%", "%%")
    return AROUND.sub("", made)


def render_sentences() -> str:
    """Return the messages by which stored sentences are recognised, one a line.

    They are made below the pages: all errors, and of what is marked all of some rooms and what has placeholders.
    """
    made = [each for each in find_marked() if not each[1].startswith(PAGES)]
    found = {forms for forms, file in made if file.startswith(WHOLE) or PLACEHOLDER.search(forms[0])}
    found.update(forms for forms, _ in find_errors())
    return "".join("\t".join(forms) + "\n" for forms in sorted(found))


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
    SENTENCES.write_text(render_sentences(), "utf-8")
    for language in LANGUAGES:
        catalogue = read(language)
        catalogue.update(current, no_fuzzy_matching=True)
        (CATALOGUES / f"{language}.po").write_bytes(render(catalogue))
        (CATALOGUES / f"{language}.mo").write_bytes(compile_catalogue(catalogue))
        print(language, len(catalogue), "messages", *(f"\n  lacks {each}" for each in list_missing(catalogue)))  # noqa: T201


if __name__ == "__main__":
    main()
