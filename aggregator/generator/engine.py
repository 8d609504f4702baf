"""The template engine: everything escaped, nothing undefined, and each template compiled once.

Compiling takes 40 ms, a sixteenth of a refresh of one small feed. What the engine made of a template is kept as Python
keeps what it made of a module: in ``__pycache__`` beside it, where that may be written, and used as long as all that
it was made of is the same.
"""

from __future__ import annotations

import base64
import hashlib
import marshal
import secrets
import sys
from contextlib import suppress
from importlib import metadata, resources
from importlib.util import MAGIC_NUMBER, cache_from_source
from pathlib import Path

from jinja2 import BytecodeCache, Environment, PackageLoader, StrictUndefined
from jinja2.bccache import Bucket
from markupsafe import Markup

from aggregator.generator import view, wording
from aggregator.generator.people import person

TEMPLATES = resources.files("aggregator.generator") / "templates"
STYLE = (TEMPLATES / "page.css").read_text(encoding="utf-8").strip()
SCRIPT = (TEMPLATES / "page.js").read_text(encoding="utf-8").strip()


def environment() -> Environment:
    """The template engine."""
    made = Environment(
        loader=PackageLoader("aggregator.generator"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        bytecode_cache=Compiled(),
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


class Compiled(BytecodeCache):
    """The templates as they were compiled, each in the file that Python would choose for a module.

    A file begins with the digest of all that it was made of: the template, this file, the engine and the interpreter.
    No template gives a constant to a filter of ours, whose answer would be compiled in (``tests/generator``).
    """

    def get_cache_key(self, name: str, filename: str | None = None) -> str:  # noqa: ARG002  # as the engine asks
        """The file for a template; empty where Python keeps nothing."""
        place = filename if filename and sys.implementation.cache_tag else None
        return cache_from_source(place) if place else ""

    def get_source_checksum(self, source: str) -> str:
        """The digest of all that the code is made of."""
        made_of = (MAGIC_NUMBER.hex(), metadata.version("jinja2"), Path(__file__).read_text("utf-8"), source)
        return hashlib.sha256("\0".join(made_of).encode()).hexdigest()

    def load_bytecode(self, bucket: Bucket) -> None:
        """Take what was kept, where it is of the same template."""
        with suppress(OSError, EOFError, TypeError, ValueError):
            digest, code = Path(bucket.key).read_bytes().split(b"\n", 1)
            bucket.code = marshal.loads(code) if digest == bucket.checksum.encode() else None  # noqa: S302 - as Python's

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep what was made, where it may be kept."""
        place = Path(bucket.key)
        if sys.dont_write_bytecode or not bucket.key:
            return
        part = place.with_name(f"{secrets.token_hex(8)}.{place.name}")
        with suppress(OSError):
            place.parent.mkdir(parents=True, exist_ok=True)
            part.write_bytes(b"%b\n%b" % (bucket.checksum.encode(), marshal.dumps(bucket.code)))
            part.replace(place)


ENVIRONMENT = environment()
