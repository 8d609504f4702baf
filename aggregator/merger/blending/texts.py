"""Learn from and read the copies of texts: the one path of a refresh and of ``aggregator reconcile``."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from aggregator.merger.blending.blend import Reading, blend
from aggregator.merger.blending.copies import Copy
from aggregator.merger.blending.source_model import NOTHING, Lore, Observer


class Text(Struct, frozen=True, kw_only=True):
    """The copies of one field of one item.

    ``language`` is without its region ("en" of "en-US"): word lists have none. ``show`` is the show that the text is
    of, whose style is learned.
    """

    field: str
    copies: tuple[Copy, ...]
    language: str | None = None
    show: str | None = None


def learn(texts: Iterable[Text]) -> Lore:
    """Return what the texts teach about their sources and shows; memory is bounded."""
    observer = Observer()
    for text in texts:
        observer.hear(text.copies, text.language, text.show)
    return observer.lore()


def read(text: Text, lore: Lore = NOTHING) -> Reading:
    """Return the best reading of a text."""
    return blend(text.copies, language=text.language, lore=lore, show=text.show, title=text.field == "title")


def base_language(tag: str) -> str | None:
    """Return a language without its region, in small letters; ``None`` where there is none.

    >>> base_language("de-DE"), base_language("zh_TW"), base_language(" ")
    ('de', 'zh', None)
    """
    return tag.strip().lower().replace("_", "-").partition("-")[0] or None
