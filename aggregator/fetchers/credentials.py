"""Put secrets into requests, and hide them in answers, messages and entries.

The config names a secret as ``${NAME}``, in the address or in a header field of a source. Only requests have its
value; everything that is shown, stored or parsed has the name.
"""

from __future__ import annotations

import html
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

import msgspec
from msgspec.structs import replace

from aggregator.errors import FetchError
from aggregator.model.entry import Listing, Tag
from aggregator.model.record import make_json_decoder
from aggregator.model.source import Request, Source
from aggregator.translation.marks import N_

Secrets = tuple[tuple[str, str], ...]
"""Names and values."""

_REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_QUOTED = re.compile(r"(?:\$|%24)(?:\{|%7[Bb])([A-Za-z_][A-Za-z0-9_]*)(?:\}|%7[Dd])")  # in an address
_SHORTEST_HIDDEN = 6  # characters; a shorter value would be found in any text
_LISTINGS = make_json_decoder(Listing)
_ENCODINGS = ("utf-8", "utf-16-le", "utf-16-be")  # that documents are written in


def read_secrets(source: Source) -> Secrets:
    """Return the secrets that a source's address and header fields name; FetchError if one is missing."""
    return tuple((name, _read_secret(name)) for name in _list_names(source))


def read_named_secrets(text: str) -> Secrets:
    """Return the secrets that a text names; FetchError if one is missing."""
    return tuple((name, _read_secret(name)) for name in dict.fromkeys(_REFERENCE.findall(text)))


def add_credentials(request: Request, source: Source, secrets: Secrets) -> Request:
    """Return the request with the source's secrets, and with its header fields if it is for the source's own origin."""
    own = source.headers if _find_origin(request.url) == _find_origin(source.url or "") else ()
    fields = tuple((name, fill(value, secrets)) for name, value in own)
    return replace(request, headers=(*request.headers, *fields), secrets=secrets)


def fill_address(url: str, secrets: Secrets) -> str:
    """Return the address with the values in place of their names."""
    return fill(url, tuple((name, quote(value, safe="")) for name, value in secrets))


def hide(text: str, secrets: Secrets) -> str:
    """Return the text with the names in place of their values."""
    for name, value in _list_hidden(secrets):
        text = text.replace(value, f"${{{name}}}")
    return text


def hide_in_body(body: bytes, secrets: Secrets) -> bytes:
    """Return the body of a document with the names in place of their values."""
    for name, value in _list_hidden(secrets):
        for encoding in _ENCODINGS:
            body = body.replace(value.encode(encoding, "replace"), f"${{{name}}}".encode(encoding))
    return body


def hide_in_listing(listing: Listing, source: Source) -> Listing:
    """Return the listing with names in place of values that were escaped in the body and not found there.

    Audio at an address with a secret is left out, unless its feed is private. Other elements with such an address are
    left out in any case.
    """
    if not _list_names(source):
        return listing
    hidden = _remove_addresses(_hide_values(listing, source), source)
    return replace(hidden, entries=tuple(replace(entry, element=None) for entry in hidden.entries))


def _hide_values(listing: Listing, source: Source) -> Listing:
    try:
        secrets = read_secrets(source)
    except FetchError:  # a snapshot is read without them
        return listing
    text = msgspec.json.encode(listing).decode()
    spelled = tuple((name, msgspec.json.encode(value).decode()[1:-1]) for name, value in secrets)
    hidden = hide(text, spelled)
    return listing if hidden == text else _LISTINGS.decode(hidden)


def _remove_addresses(listing: Listing, source: Source) -> Listing:
    tagged = tuple(
        replace(entry, tags=tuple(each for each in entry.tags if not _has_name(each))) for entry in listing.entries
    )
    listing = replace(listing, entries=tagged)
    if source.private:
        return listing
    entries = tuple(
        replace(entry, enclosure=None) if entry.enclosure and names_secret(entry.enclosure.url) else entry
        for entry in listing.entries
    )
    count = sum(before is not after for before, after in zip(listing.entries, entries, strict=True))
    if not count:
        return listing
    remark = N_(
        f"audio left out because its address contains a secret of the config, entries: {count}; a private feed (token) "
        f"keeps it"
    )
    return replace(listing, entries=entries, remarks=(*listing.remarks, remark))


def names_secret(url: str) -> bool:
    """Return whether an address has the name of a secret in place of its value."""
    return _REFERENCE.search(unquote(url)) is not None


def fill_audio(url: str, source: Source) -> str | None:
    """Return the address of a private feed's audio with its secrets, ``None`` if one is missing."""
    try:
        secrets = read_secrets(source)
    except FetchError:
        return None
    filled = fill_address(_QUOTED.sub(r"${\1}", url), secrets)
    return None if names_secret(filled) else filled


def _has_name(tag: Tag) -> bool:
    return any(names_secret(value) for _, value in tag.attributes) or any(map(_has_name, tag.children))


def _list_names(source: Source) -> tuple[str, ...]:
    texts = (source.url or "", *(value for _, value in source.headers))
    return tuple(dict.fromkeys(name for text in texts for name in _REFERENCE.findall(text)))


def _find_origin(url: str) -> tuple[str, str, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname or "", parts.port or {"http": 80, "https": 443}.get(parts.scheme)


def _read_secret(name: str) -> str:
    """Return the value of an environment variable, or of the file that NAME_FILE names."""
    if value := os.environ.get(name):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise FetchError(f"the environment variable {name} is not UTF-8") from None
        return value
    file = os.environ.get(f"{name}_FILE")
    if not file:
        raise FetchError(
            f"the environment variable {name} is not set; set it, or set {name}_FILE to the name of a file with its "
            "value"
        )
    try:
        value = Path(file).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise FetchError(f"{file}, which {name}_FILE names, cannot be read: {reason}") from error
    if not value:
        raise FetchError(f"{file}, which {name}_FILE names, is empty")
    return value


def fill(text: str, secrets: Iterable[tuple[str, str]]) -> str:
    """Return a text with the values of secrets in place of their names."""
    values = dict(secrets)
    return _REFERENCE.sub(lambda found: values.get(found[1], found[0]), text)


def _list_hidden(secrets: Secrets) -> Iterator[tuple[str, str]]:
    """Yield each name with each spelling of its value, the longest value first."""
    for name, value in sorted(secrets, key=lambda secret: -len(secret[1])):
        if len(value) >= _SHORTEST_HIDDEN:
            escaped = html.escape(value)
            spellings = (value, quote(value, safe=""), quote(value), escaped, html.escape(escaped))
            yield from ((name, spelling) for spelling in dict.fromkeys(spellings))
