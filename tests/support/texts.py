"""One reading of copies that a test made."""

from collections.abc import Sequence

from aggregator.merger.blending.blend import Reading, Text, read_text
from aggregator.merger.blending.copies import Copy
from aggregator.merger.blending.source_model import EMPTY_MODEL, SourceModel


def blend(
    copies: Sequence[Copy],
    *,
    language: str | None = None,
    model: SourceModel = EMPTY_MODEL,
    show: str | None = None,
    title: bool = False,
) -> Reading:
    field = "title" if title else "description"
    return read_text(Text(field=field, copies=tuple(copies), language=language, show=show), model)
