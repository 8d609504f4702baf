"""The template engine: every value is escaped and an undefined name is an error."""

from __future__ import annotations

import base64
import hashlib
from importlib import resources

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from aggregator.generator.content.people import person
from aggregator.generator.pages import view, wording

TEMPLATES = resources.files("aggregator.generator.pages") / "templates"
STYLE = (TEMPLATES / "page.css").read_text(encoding="utf-8").strip()
SCRIPT = (TEMPLATES / "page.js").read_text(encoding="utf-8").strip()


def environment() -> Environment:
    """The template engine."""
    made = Environment(
        loader=PackageLoader("aggregator.generator.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"line": view.line, "person": person, "direction": wording.direction, "within": wording.within}
    made.globals.update(
        style=Markup(STYLE),  # noqa: S704 - a file of this package
        script=Markup(SCRIPT),  # noqa: S704 - a file of this package
        style_hash=allowed(STYLE),
        script_hash=allowed(SCRIPT),
    )
    return made


def allowed(text: str) -> str:
    """The CSP source that allows one inline style or script and no other (CSP level 3, section 2.3.1)."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


ENVIRONMENT = environment()
