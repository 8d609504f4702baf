"""Mark messages that are translated where they are used; ``python -m tests.support.messages`` finds them."""

from __future__ import annotations


def N_(message: str) -> str:  # noqa: N802 - as gettext names it
    """Mark a message that is translated where it is used."""
    return message


def nN_(one: str, many: str) -> tuple[str, str]:  # noqa: N802
    """Mark the forms of a message that is translated where it is used."""
    return one, many
