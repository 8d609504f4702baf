"""A page as a person sees it who chooses elements of it: its texts in their order, and the choice of one."""

from __future__ import annotations

from msgspec import Struct


class Piece(Struct, frozen=True, omit_defaults=True):
    """The own text of one element of a page.

    ``number`` names the element. ``starts`` is whether a line begins with it, ``level`` is that of a heading (0: none).
    ``is_media`` is whether the text is the name of a file that the element plays or shows. ``entry`` counts the entries
    that the selectors find so far, from 1 (0: it is in none); ``field`` is what the selectors take it for.
    """

    number: int
    text: str
    starts: bool = False
    level: int = 0
    is_media: bool = False
    entry: int = 0
    field: str = ""


class Outline(Struct, frozen=True, omit_defaults=True):
    """Pieces of a page from one on, and how many it has in all."""

    pieces: tuple[Piece, ...] = ()
    total: int = 0
