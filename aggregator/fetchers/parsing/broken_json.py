r"""Read JSON that is not sound, so that one mistake in one object leaves all others as they are.

Templates of sites, and what runs beside them, make these: a comma before a bracket or none between two values, line
breaks and quotation marks inside of a text, escapes that JSON has not, comments, words as ``NaN``, a call or a warning
around it, a remark of a cache behind it, and an end in the middle.
"""

from __future__ import annotations

import re
from contextlib import suppress
from math import isfinite
from typing import Any, Final

from aggregator.model.record import replace_surrogates

_BEGIN: Final = re.compile(r"""[{\[](?=\s*+["'{\[}\]/\w-])""")
_PAGE: Final = re.compile(r"<(?:!doctype|html|head|body|rss|feed|\?xml)\b", re.IGNORECASE)
_HEAD: Final = 4096  # characters in which the value must begin
_TOKEN: Final = re.compile(
    r"""(?P<skipped>[\s,:]++|//[^\n]*+|/\*(?>(?:(?!\*/).)*)(?:\*/)?)|(?P<opens>[{\[])|(?P<closes>[}\]])|(?P<quote>["'])"""
    r"""|(?P<word>[^\s,:{}\[\]"'/]++)|.""",
    re.DOTALL,
)
_PIECE: Final = {quote: re.compile(rf"(?>[^{quote}\\\n]*(?:\\.[^{quote}\\\n]*)*)", re.DOTALL) for quote in "\"'"}
_KEY: Final = r"""(?:"(?>(?:[^"\\\n]|\\.){0,300})"|'(?>(?:[^'\\\n]|\\.){0,300})'|[\w$-]{1,60}+)\s{0,200}+:"""
# What stands behind a quotation mark that ends a text: in an object the next name or an end, in a list a value.
_BEHIND_MEMBER: Final = re.compile(rf"\s{{0,200}}+(?:[}}\]]|\Z|/[/*]|,\s{{0,200}}+(?:[}}\]/]|\Z|{_KEY})|{_KEY})")
_BEHIND_VALUE: Final = re.compile(r"""\s{0,200}+(?:[}\]]|\Z|/[/*]|,\s{0,200}+(?:["'{\[}\]/\w-]|\Z))""")
_NEXT_MEMBER: Final = re.compile(rf"\n\s{{0,200}}+{_KEY}")
_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_ESCAPED: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "\n": "\n"}
_WORDS: Final = {"true": True, "True": True, "false": False, "False": False}
_DEEPEST: Final = 100
_NOTHING: Final = object()


def read_broken(text: str) -> Any | None:
    r"""Return the JSON value in a text; ``None`` if there is none, or one nested too deeply. Linear in its length.

    Of a text that breaks off, the last element of its outermost list is left out, as it is not whole.

    >>> read_broken('cb({a: [{\'t\': \'x\ty\',}, {"t": "a "b" c" "u": NaN}], n: 1});')
    {'a': [{'t': 'x\ty'}, {'t': 'a "b" c', 'u': None}], 'n': 1}
    >>> read_broken('{"a": [{"t": "one"}, {"t": "tw')
    {'a': [{'t': 'one'}]}
    """
    begin = _BEGIN.search(text, 0, _HEAD)
    return _Reader(text, begin.start()).read() if begin and not _PAGE.search(text, 0, begin.start()) else None


class _Reader:
    """Reads one value; ``open`` are the objects and lists around the place, ``names`` the name that waits in each."""

    def __init__(self, text: str, at: int) -> None:
        self.text = text
        self.at = at
        self.open: list[dict[str, Any] | list[Any]] = []
        self.names: list[Any] = []

    def read(self) -> Any | None:
        root: Any = None
        while token := _TOKEN.match(self.text, self.at):
            self.at = token.end()
            if "," in token[0] and self.open and token["skipped"]:
                self.names[-1] = _NOTHING  # the value of the name before it is lacking
            elif token["opens"]:
                new: dict[str, Any] | list[Any] = {} if token["opens"] == "{" else []
                self._add(new)
                root = new if root is None else root
                self.open.append(new)
                self.names.append(_NOTHING)
                if len(self.open) > _DEEPEST:
                    return None
            elif token["closes"]:
                self._close(dict if token["closes"] == "}" else list)
                if not self.open:
                    return root
            elif token["quote"]:
                self._add(self._read_text(token["quote"]))
            elif token["word"]:
                self._add(token["word"] if self._wants_name() else _read_word(token["word"]))
        self._leave_out_half()
        return root

    def _wants_name(self) -> bool:
        return bool(self.open) and isinstance(self.open[-1], dict) and self.names[-1] is _NOTHING

    def _add(self, value: Any) -> None:
        """Add a value to what is open: an element, a name, or what has the name before it."""
        if not self.open:
            return
        inner = self.open[-1]
        if isinstance(inner, list):
            inner.append(value)
        elif self.names[-1] is not _NOTHING:
            inner[str(self.names[-1])] = value
            self.names[-1] = _NOTHING
        elif isinstance(value, str):
            self.names[-1] = value

    def _close(self, kind: type) -> None:
        """Close what is open down to the innermost of a kind; a bracket that closes nothing is skipped."""
        depth = next((at for at in range(len(self.open) - 1, -1, -1) if isinstance(self.open[at], kind)), None)
        if depth is not None:
            del self.open[depth:], self.names[depth:]

    def _leave_out_half(self) -> None:
        for outer in self.open[:-1]:
            if isinstance(outer, list):
                outer.pop()
                return

    def _read_text(self, quote: str) -> str:
        """Return the text behind a quotation mark, up to the one that ends it."""
        start, is_name = self.at, self._wants_name()
        behind = _BEHIND_MEMBER if self.open and isinstance(self.open[-1], dict) else _BEHIND_VALUE
        end = start
        while piece := _PIECE[quote].match(self.text, end):
            end = piece.end()
            if end >= len(self.text) or self.text[end] == "\\":
                self.at = end = len(self.text)
                break
            if self.text[end] == quote and (is_name or behind.match(self.text, end + 1)):
                self.at = end + 1
                break
            if self.text[end] == "\n" and _NEXT_MEMBER.match(self.text, end):
                self.at = end
                return _unescape(self.text[start:end].rstrip().removesuffix(","))
            end += 1
        return _unescape(self.text[start:end])


def _read_word(word: str) -> bool | float | None:
    """Return the value of a word without quotation marks; ``None`` for one that JSON has not."""
    if word in _WORDS:
        return _WORDS[word]
    with suppress(ValueError):
        return int(word)
    with suppress(ValueError):
        return number if isfinite(number := float(word)) else None
    return None


def _unescape(text: str) -> str:
    """Return a text without its escapes; a backslash before another letter is one, before a sign it is nothing."""

    def replace(escape: re.Match[str]) -> str:
        if escape[1]:
            return chr(int(escape[1], 16))
        return _ESCAPED.get(escape[2]) or (escape[0] if escape[2].isalnum() else escape[2])

    if "\\" not in text:
        return text
    joined = _ESCAPE.sub(replace, text).encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    return str(replace_surrogates(joined))
