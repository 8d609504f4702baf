"""The keys of one source: its kind, where it is, and which of its entries belong to the feed."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator
from pydantic.config import JsonDict

from aggregator.config import kinds
from aggregator.config.nearest_word import hint
from aggregator.config.scalars import Keys, Pattern, Plain, Text, WebAddress


def _kind(text: str) -> str:
    if text not in kinds.KINDS and text not in kinds.known():
        raise ValueError(f'"{text}" is not a kind of source; {hint(text, kinds.known())}')
    return text


def _kind_schema(schema: JsonDict) -> None:
    """Editors offer the built-in kinds, and allow those of third parties."""
    schema.update(anyOf=[{"enum": list(kinds.KINDS)}, {"type": "string"}])
    del schema["type"]


def _show_schema(schema: JsonDict) -> None:
    """Editors take the number as Apple writes it, without quotes."""
    schema["anyOf"] = [{"type": ["string", "integer"]}, {"type": "null"}]


class OnlyKeys(Keys):
    """Which entries belong to the feed: every given key must hold."""

    show: Text | None = Field(default=None, description="The show's name, as the listing writes it.")
    category: Text | None = Field(default=None, description="A category the entry must carry.")
    title: Pattern | None = Field(default=None, description="A regular expression that the title must contain.")


class SourceKeys(Keys):
    """One place that lists items."""

    kind: Annotated[str, AfterValidator(_kind)] = Field(
        description="How the place speaks.", json_schema_extra=_kind_schema
    )
    url: WebAddress | None = Field(None, description="Where it is on the web.")
    path: Text | None = Field(None, description="A local file, relative to this config's folder.")
    show: Text | None = Field(
        None, description="The show's id in the directory (kind apple).", json_schema_extra=_show_schema
    )
    snapshot: Text | None = Field(
        None, description="A recorded listing that speaks for the source until the live one first answers."
    )
    only: OnlyKeys = Field(OnlyKeys(), description="Which entries belong to the feed; all, unless given.")
    trust: Annotated[float, Field(strict=True, ge=0, le=1)] | None = Field(
        None, description="How far it is trusted, from 0 to 1; by its kind, unless given."
    )
    adds: Literal["always", "confirmed", "never"] | None = Field(
        None,
        description="Whether its new items are published at once, once another source lists them, or never; by its "
        "trust, unless given.",
    )
    boilerplate: Literal["keep", "strip"] | None = Field(
        None,
        description="Whether what it repeats at the ends of its texts, and other sources lack, is cut; "
        "unless given, as the feed says, else kept for the most trusted source and cut for others.",
    )
    distrust_304_after_hours: Annotated[int, Field(strict=True, ge=24)] | None = Field(
        None, description="After how many hours of nothing but 304 the whole is asked for once; never, unless given."
    )
    options: dict[Text, Plain] = Field(default_factory=dict, description="What this kind alone understands.")

    @model_validator(mode="after")
    def _placed(self) -> Self:
        """Exactly one key says where the source is, and it is one that the kind can use."""
        usable = kinds.of(self.kind).places
        given = tuple(key for key in ("show", "url", "path") if getattr(self, key) is not None)
        for key in given:
            if key not in usable:
                raise ValueError(_misplaced(self.kind, key, usable))
        if not given:
            raise ValueError(_placeless(self.kind, usable, self.snapshot))
        if "path" in given and len(given) > 1:
            raise ValueError(f"{' and '.join(given)} both say where it is: keep one (a recording is a snapshot)")
        if "path" in given and self.snapshot:
            raise ValueError("path is always read, so the snapshot would never speak: keep one")
        return self

    @model_validator(mode="after")
    def _optioned(self) -> Self:
        """Every option is one that the kind understands, and none that it needs is missing."""
        kind = kinds.of(self.kind)
        for name in self.options if kind.options is not None else ():
            if name not in (kind.options or ()):
                known = hint(name, kind.options) if kind.options else "it has none"
                raise ValueError(f'kind {self.kind} has no option "{name}"; {known}')
        for name in kind.needed:
            if name not in self.options:
                raise ValueError(f"kind {self.kind} needs the option {name}")
        return self


def _misplaced(kind: str, key: str, usable: tuple[str, ...]) -> str:
    """Why a kind cannot use a key."""
    tail = "; to keep one show's entries write only: {show: NAME}" if key == "show" else ""
    return f"kind {kind} is found by {' or '.join(usable)}, not by {key}{tail}"


def _placeless(kind: str, usable: tuple[str, ...], snapshot: str | None) -> str:
    """What is missing where nothing says where the source is."""
    tail = "; to read a recording alone, name it as path" if snapshot else ""
    return f"kind {kind} needs {' or '.join(usable)}{tail}"
