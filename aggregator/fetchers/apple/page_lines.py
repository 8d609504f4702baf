"""What the text of an Apple show page says of the show: labels with their values on the lines below them."""

from __future__ import annotations

import re

from aggregator.model.entry import Show

HEADING = re.compile(r"#\s+(?P<name>\S.*)")
ENDS = re.compile(r"#{2,6}\s|(?:[-*•]\s+)?\d{1,4}\\?\.\s*\\?\[")  # a section, or the first episode where none stands
GENRE = re.compile(r"[*-]\s*(?P<genre>[^\W\d_][^\d(\[]{2,40})")
TOTAL = re.compile(r"\[[^\]]*\((?P<total>[\d.,]+)\)\s*\]\((?P<link>https?://[^)\s]*?)(?:/episodes)?\)")
LABEL = re.compile(r"[*-]\s+(?P<label>[^\W\d_][^\[\]()]{1,30})")
LABEL_LENGTH = 40  # letters at most of a button or a label, in any store's language; lines of text are wrapped at 78
EXPLICIT = {"clean": False, "explicit": True}


def show(lines: list[str]) -> Show:
    """The show as the page tells it: name, author, text, genre, total, rating of content, copyright, address."""
    lines = [line.strip() for line in lines]
    start = next((at for at, line in enumerate(lines) if HEADING.fullmatch(line)), None)
    if start is None:
        return Show()
    end = next((at for at in range(start + 1, len(lines)) if ENDS.match(lines[at])), len(lines))
    head = [line for line in lines[start + 1 : end] if line]
    labelled = _labelled(lines[end:])
    total = next((match for line in lines if (match := TOTAL.match(line))), None)
    return Show(
        title=lines[start].lstrip("# "),
        link=total["link"] if total else None,
        description=" ".join(line for line in _prose(head[1:])) or None,
        author=head[0] if head and not head[0].startswith(("*", "-", "!", "[")) else labelled.get("creator"),
        copyright=labelled.get("copyright"),
        explicit=EXPLICIT.get(labelled.get("rating", "").lower()),
        categories=tuple((match["genre"].strip().title(),) for line in head if (match := GENRE.fullmatch(line))),
        total=_number(total["total"] if total else labelled.get("episodes", "")),
    )


def _prose(lines: list[str]) -> list[str]:
    """The lines that are the show's own text: no list, picture or link, and no button before or behind."""
    lines = [line for line in lines if not line.startswith(("*", "-", "!", "["))]
    while lines and _is_label(lines[0]):
        lines = lines[1:]
    while lines and _is_label(lines[-1]):
        lines = lines[:-1]
    return lines


def _is_label(line: str) -> bool:
    return len(line) < LABEL_LENGTH and not line.endswith((".", "!", "?", "…", ")", "”", '"'))


def _labelled(lines: list[str]) -> dict[str, str]:
    """Each label of the page, lower case, with the first line that follows it."""
    found: dict[str, str] = {}
    label = None
    for line in lines:
        if match := LABEL.fullmatch(line):
            label = match["label"].strip().lower()
        elif line and label:
            found.setdefault(label, line)
            label = None
    return found


def _number(text: str) -> int | None:
    digits = re.sub(r"[.,\s]", "", text)
    return int(digits) if digits.isdecimal() else None
