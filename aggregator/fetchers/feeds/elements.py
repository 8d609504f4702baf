"""The elements of RSS and Atom that are read: each changes fields of its item or channel, by feedparser's names."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, TypeAlias

from msgspec import Struct, field

from aggregator.fetchers.feeds import podcast
from aggregator.fetchers.parsing import enclosures, xml
from aggregator.fetchers.parsing.decoding import WINDOWS_LATIN
from aggregator.fetchers.parsing.xml import Element

_C1 = re.compile("[\x80-\x9f]")
_RELATIONS = "http://www.iana.org/assignments/relation/"  # a relation as an IRI (RFC 4287, 4.2.7.2)
_SLASHES = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]*://)/+")
_REFERENCE = re.compile("&([A-Za-z0-9_]+);")
_ADDRESS = re.compile(r"[\w.+-]{1,64}+@[\w-]{1,63}+(?:\.[\w-]{1,63}+){1,8}")


class NotSoundError(ValueError):
    """The document needs the tolerant reader; the message says why, in a few words."""


class Fields(Struct):
    """Fields of one item or of the channel, by feedparser's names; ``titled`` is true once its title was read."""

    names: Mapping[str, str | None]
    values: dict[str, Any] = field(default_factory=dict)
    is_atom: bool = False
    is_item: bool = True
    titled: bool = False


_Step: TypeAlias = Callable[[Fields, Element, str], None]
"""What one element changes: the item or channel, the element, and its text, stripped."""


def read_element(entry: Fields, element: Element) -> None:
    """Change the fields by one element; raises ``NotSoundError`` if it holds markup beside its text."""
    step = _STEPS.get(entry.names[str(element.tag)])
    if step is not None and len(element) and step not in _HOLDERS:
        raise NotSoundError(f'markup or a comment inside of "{xml.get_name(element)[1]}"')
    if step is not None:
        step(entry, element, _get_own_text(element))


def _get_own_text(element: Element) -> str:
    # repaired: UTF-8 that was decoded as Latin-1, and controls of Windows-1252
    text = (element.text or "").strip()
    if text.isascii():
        return text
    with suppress(UnicodeError):
        text = text.encode("latin-1").decode("utf-8")
    return text.translate(WINDOWS_LATIN) if _C1.search(text) else text


def _read_typed(element: Element, text: str, otherwise: str) -> tuple[str, str]:
    """Return an Atom text and whether it is text/plain or text/html; raises ``NotSoundError`` for other types."""
    if not element.attrib:
        return text, otherwise
    attrs = _list_attributes(element)
    kind = attrs.get("type", otherwise).lower()
    kind = {"text": "text/plain", "plain": "text/plain", "html": "text/html"}.get(kind, kind)
    if kind not in {"text/plain", "text/html"} or attrs.get("mode") == "base64":
        raise NotSoundError(f"a text of the type {kind}")
    return text, kind


def _list_attributes(element: Element) -> dict[str, str]:
    """Return the attributes by their local names in lower case; those without a namespace count before others."""
    found: dict[str, str] = {}
    if element.attrib:
        for name, value in element.items():
            space, _, local = str(name).rpartition("}")
            if not space:
                found[local.lower()] = str(value)
            elif not podcast.find_prefix(space[1:]):  # unknown, or Atom's own
                found.setdefault(local.lower(), str(value))
    return found


def _clean_address(text: str) -> str:
    return _SLASHES.sub(r"\1", text) if ":///" in text else text


def _keep(key: str, *, typed: bool = False) -> _Step:
    """Return the step that keeps an element's text under the key."""

    def keep(entry: Fields, element: Element, text: str) -> None:
        entry.values[key] = _read_typed(element, text, "text/plain")[0] if typed else text

    return keep


def _keep_language(entry: Fields, _: Element, text: str) -> None:
    """Keep a language; an empty element leaves that of ``xml:lang``."""
    if text:
        entry.values["language"] = text


def _keep_title(entry: Fields, element: Element, text: str) -> None:
    """Keep the first title that is not empty, and of an Atom one its type."""
    value, kind = _read_typed(element, text, "text/plain")
    if not entry.titled:
        entry.values["title"] = value
        if xml.get_name(element)[0] == "http://www.w3.org/2005/atom":
            entry.values["title_detail"] = {"type": kind}
        entry.titled = bool(value)


def _keep_media_title(entry: Fields, element: Element, text: str) -> None:
    """Keep a title that the item's own title replaces."""
    value = _read_typed(element, text, "text/plain")[0]
    if not entry.titled:
        entry.values["title"] = value


def _keep_summary(entry: Fields, element: Element, text: str) -> None:
    """Keep the first description or summary of an item that is not empty, the last of a channel."""
    value, values = _read_typed(element, text, "text/html")[0], entry.values
    if entry.is_item:
        values["summary"] = values.get("summary") or value
    else:
        values["subtitle" if (entry.names[str(element.tag)] or "").endswith("description") else "summary"] = value


def _keep_content(entry: Fields, element: Element, text: str) -> None:
    """Keep Atom's content; without a type it is plain in Atom, and HTML where RSS has it."""
    if (src := element.get("src")) is not None and not element.text:
        entry.values.setdefault("content", []).append({"type": element.get("type"), "value": "", "src": src})
        return
    value, kind = _read_typed(element, text, "text/plain" if entry.is_atom else "text/html")
    entry.values.setdefault("content", []).append({"type": kind, "value": value})


def _keep_link(entry: Fields, element: Element, text: str) -> None:
    """Keep a link by its attribute or as text; an alternate one to a page is also the item's own address."""
    attrs = _list_attributes(element)
    attrs["rel"] = attrs.get("rel", "alternate").lower().removeprefix(_RELATIONS)
    attrs["type"] = attrs.get("type", "application/atom+xml" if attrs["rel"] == "self" else "text/html").lower()
    entry.values.setdefault("links", []).append(attrs)
    href = attrs.get("url") or attrs.get("uri") or attrs.get("href")
    if href:
        attrs["href"] = _clean_address(href)
        if attrs["rel"] == "alternate" and attrs["type"] in {"text/html", "html", "application/xhtml+xml", "xhtml"}:
            entry.values["link"] = attrs["href"]
        return
    value = _clean_address(text.replace("&amp;", "&") if entry.is_item else text)
    attrs["href"] = _REFERENCE.sub(r"&\1", value) if "&" in value else value
    if attrs["rel"] == "alternate":
        entry.values["link"] = attrs["href"]


def _keep_guid(entry: Fields, element: Element, text: str) -> None:
    """Keep an id, which is also the link unless there is another one or ``isPermaLink`` is false."""
    is_link = not element.attrib or _list_attributes(element).get("ispermalink", "true").lower() == "true"
    entry.values["id"] = value = _clean_address(text) if is_link else text
    entry.values.setdefault("guidislink", is_link and "link" not in entry.values)
    if is_link:
        entry.values.setdefault("link", value)


def _keep_author(entry: Fields, element: Element, text: str) -> None:
    """Keep a person: the last that is given in parts, else the first that is given as one text."""
    values = entry.values
    parts = {
        (entry.names[str(child.tag)] or "").rpartition(":")[2]: _get_own_text(child)
        for child in element.iterchildren("*")
    }
    detail = {name: parts[name] for name in ("name", "email") if parts.get(name)}
    if detail:
        values.setdefault("author_detail", {}).update(detail)
        named, email = detail.get("name"), detail.get("email")
        values["author"] = f"{named} ({email})" if named and email else named or email
        return
    values["author"] = text
    found = _ADDRESS.search(text) if "@" in text else None
    name = text.replace(found[0], "") if found else text
    for debris in ("()", "<>", "&lt;&gt;"):
        name = name.replace(debris, "")
    name = name.strip().removeprefix("(").removesuffix(")").strip() if found else name
    detail = {"name": name, "email": found[0]} if found else {"name": name}
    if text:
        values.setdefault("author_detail", {key: value for key, value in detail.items() if value})


def _keep_category(entry: Fields, element: Element, text: str) -> None:
    attrs = _list_attributes(element)
    known = entry.values.setdefault("tags", [])
    if attrs.get("term") or attrs.get("label"):
        known.append({"term": attrs.get("term") or text, "label": attrs.get("label")})
    if text and attrs.get("term") != text:
        known.append({"term": text})


def _keep_itunes_category(entry: Fields, element: Element, _: str) -> None:
    for one in element.iter(element.tag):
        entry.values.setdefault("tags", []).extend({"term": name} for name in podcast.list_category_names(one))


def _keep_keywords(entry: Fields, _: Element, text: str) -> None:
    words = [{"term": word.strip()} for word in text.split(",") if word.strip()]
    entry.values.setdefault("tags", []).extend(words)


def _keep_enclosure(entry: Fields, element: Element, text: str) -> None:
    """Keep a file, its address as an attribute or, if its ending is that of media, as text."""
    attrs = _list_attributes(element)
    written = enclosures.choose(enclosures.Offer(text)).enclosure if text else None
    if href := attrs.get("url") or attrs.get("uri") or attrs.get("href") or (written and written.url):
        attrs["href"] = href
    if kind := attrs.get("type"):
        attrs["type"] = kind.lower()
    attrs["rel"] = "enclosure"
    entry.values.setdefault("links", []).append(attrs)


def _keep_media_content(entry: Fields, element: Element, _: str) -> None:
    attrs = _list_attributes(element)
    if kind := attrs.get("type"):
        attrs["type"] = kind.lower()
    entry.values.setdefault("media_content", []).append(attrs)
    _read_group(entry, element, "")


def _read_group(entry: Fields, element: Element, _: str) -> None:
    """Read the children of an element that only groups them."""
    for child in element.iterchildren("*"):
        if (entry.names[str(child.tag)] or "").startswith(("media:", "yt:")):
            read_element(entry, child)


def _keep_thumbnail(entry: Fields, element: Element, text: str) -> None:
    attrs = _list_attributes(element)
    if text:
        attrs.setdefault("url", _clean_address(text))
    entry.values.setdefault("media_thumbnail", []).append(attrs)


def _keep_image(entry: Fields, element: Element, text: str) -> None:
    """Keep artwork: its address as an attribute, as text or in a child, as libraries write it."""
    attrs = _list_attributes(element)
    inner = next((_get_own_text(child) for child in element.iterchildren("*")), "")
    if href := attrs.get("href") or attrs.get("url") or text or inner:
        entry.values["image"] = {"href": href}


def _keep_picture(entry: Fields, element: Element, _: str) -> None:
    for child in element.iterchildren("*") if not entry.is_item else ():
        if xml.get_name(child)[1].lower() == "url":
            entry.values["image"] = {"href": _clean_address(_get_own_text(child))}


def _keep_owner(entry: Fields, element: Element, _: str) -> None:
    """Keep the name of the channel's owner, for a show that names no author."""
    if entry.is_item:
        return
    names = [_get_own_text(child) for child in element.iterchildren("*") if xml.get_name(child)[1].lower() == "name"]
    entry.values["owner"] = names[-1] if names else None


def _refuse_markup(_entry: Fields, element: Element, _text: str) -> None:
    raise NotSoundError(f'the text as markup in "{xml.get_name(element)[1]}"')


def _make_table(*rows: tuple[str, _Step]) -> dict[str | None, _Step]:
    return {name: step for names, step in rows for name in names.split()}


_STEPS: Mapping[str | None, _Step] = _make_table(
    ("title dc:title", _keep_title),
    ("media:title", _keep_media_title),
    ("description dc:description media:description summary itunes:summary", _keep_summary),
    ("content", _keep_content),
    ("subtitle tagline itunes:subtitle", _keep("subtitle", typed=True)),
    ("link", _keep_link),
    ("guid id", _keep_guid),
    ("published issued pubdate dcterms:issued", _keep("published")),
    ("updated modified lastbuilddate dc:date dcterms:modified", _keep("updated")),
    ("created dcterms:created", _keep("created")),
    ("language dc:language", _keep_language),
    ("rights copyright dc:rights", _keep("rights", typed=True)),
    ("author managingeditor dc:creator dc:author itunes:author", _keep_author),
    ("category dc:subject media:category", _keep_category),
    ("itunes:category", _keep_itunes_category),
    ("keywords itunes:keywords media:keywords tags", _keep_keywords),
    ("enclosure", _keep_enclosure),
    ("media:content", _keep_media_content),
    ("media:group", _read_group),
    ("media:thumbnail", _keep_thumbnail),
    ("itunes:image itunes:link", _keep_image),
    ("image", _keep_picture),
    ("itunes:owner", _keep_owner),
    ("body fullitem xhtml:body", _refuse_markup),
    ("feedburner:origlink", _keep("feedburner_origlink")),
    ("yt:videoid", _keep("yt_videoid")),
    ("itunes:duration", _keep("itunes_duration")),
    ("itunes:season", _keep("itunes_season")),
    ("itunes:episode", _keep("itunes_episode")),
    ("itunes:episodetype", _keep("itunes_episodetype")),
    ("itunes:type", _keep("itunes_type")),
    ("itunes:new-feed-url", _keep("itunes_new-feed-url")),
)
_HOLDERS = frozenset(
    {_keep_author, _keep_itunes_category, _keep_media_content, _read_group, _refuse_markup, _keep_picture, _keep_owner}
    | {_keep_image}
)  # may have elements inside
