"""A title for an item that has none, out of what the source says: RSS and JSON Feed allow that (microblogs, files)."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

LONGEST = 80  # characters, the dots included; a line of any list


def headline(text: str, *addresses: str | None) -> str:
    """The first words of the text, else the last part of the first address that has one; "" where there is neither.

    >>> headline("", "https://example.org/audio/A%20lift.mp3")
    'A lift.mp3'
    """
    line = " ".join(text.split())
    if line:
        return line if len(line) <= LONGEST else (line[: LONGEST - 1].rpartition(" ")[0] or line[: LONGEST - 1]) + "…"
    parts = (_last_part(address) for address in addresses if address)
    return next((part for part in parts if part), "")


def _last_part(address: str) -> str:
    parts = urlsplit(address)
    return " ".join(unquote(parts.path.rstrip("/").rpartition("/")[2] or parts.netloc).split())[:LONGEST]
