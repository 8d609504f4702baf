"""Rules for the content of elements in RSS 2.0 and Atom: which elements, how often, in which form.

The tables are written as in a DTD: a bare name stands once, ``?`` once at most, ``+`` once at least, ``*`` any number.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from aggregator.generator.content import sanitize
from aggregator.generator.podcast import Node
from aggregator.validator import values
from aggregator.validator.document import ATOM, FeedDocument
from aggregator.validator.rule import Check, Fault, Rule

# RSS 2.0, "Required channel elements" to "Elements of <item>". What a channel itself lacks, channel-required says.
_RSS: Final = {
    "rss": "channel",
    "channel": "title? link? description? language? copyright? managingEditor? webMaster? pubDate? lastBuildDate?"
    " category* generator? docs? cloud? ttl? image? rating? textInput? skipHours? skipDays? item*",
    "image": "url title link width? height? description?",
    "textInput": "title description name link",
    "skipHours": "hour+",
    "skipDays": "day+",
    "item": "title? link? description? author? category* comments? enclosure* guid? pubDate? source?",
}
# RFC 4287 3.2, 4.1.1, 4.1.2 and 4.2.11.
_METADATA: Final = "author* category* contributor* generator? icon? link* logo? rights? subtitle?"
_ATOM: Final = {
    "feed": f"{_METADATA} id title updated entry*",
    "entry": "author* category* content? contributor* id link* published? rights? source? summary? title updated",
    "source": f"{_METADATA} id? title? updated?",
    "author": "name uri? email?",
    "contributor": "name uri? email?",
}
# Attributes that an element needs: RSS 2.0, <cloud>; RFC 4287 4.2.2 and 4.2.7.
_RSS_NEEDED: Final = {
    "rss": ("version",),
    "cloud": ("domain", "port", "path", "registerProcedure", "protocol"),
    "source": ("url",),
}
_ATOM_NEEDED: Final = {"category": ("term",), "link": ("href",)}
# Attributes of RSS's own; others are none of RSS's, unless they have a namespace.
_RSS_ATTRIBUTES: Final = {"guid": frozenset({"isPermaLink"}), "enclosure": frozenset({"url", "length", "type"})}

_DAYS: Final = frozenset({"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"})
_MEDIA_TYPE = re.compile(r"[A-Za-z0-9!#$&^_.+-]+/[A-Za-z0-9!#$&^_.+-]+(?:\s*;.*)?", re.DOTALL)
# RSS 2.0's own example: "lawyer@boyer.net (Lawyer Boyer)".
_CONTACT = re.compile(values.MAIL.pattern + r"(?:\s+\(.*\))?", re.DOTALL)


def _is_number(text: str, low: int, high: float = float("inf")) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 16 and low <= int(text) <= high  # noqa: PLR2004


def _is_language(text: str) -> bool:
    return not text or sanitize.LANGUAGE_TAG.fullmatch(text) is not None


# What a value must be, and how it is said. The keys are an element with its parent, or an attribute with its element.
_Form = tuple[Callable[[str], bool], str]
_ADDRESS: Final[_Form] = (values.is_address, "no absolute address")
_ADDRESS_IF_ANY: Final[_Form] = (lambda text: not text or values.is_address(text), "no absolute address")
_REFERENCE: Final[_Form] = (values.is_reference, "no address")
_MAIL_WITH_NAME: Final[_Form] = (
    lambda text: _CONTACT.fullmatch(text) is not None,
    "no mail address, with a name in brackets behind it",
)
_RSS_FORMS: Final[Mapping[str, _Form]] = {
    "image/url": _ADDRESS,
    "image/link": _ADDRESS,
    "image/width": (lambda text: _is_number(text, 1, 144), "no number of 1 to 144"),
    "image/height": (lambda text: _is_number(text, 1, 400), "no number of 1 to 400"),
    "textInput/link": _ADDRESS,
    "textInput/name": (lambda text: re.fullmatch(r"[A-Za-z][\w:.-]*", text) is not None, "no name of a field"),
    "skipHours/hour": (lambda text: _is_number(text, 0, 24), "no hour of 0 to 23"),
    "skipDays/day": (lambda text: text in _DAYS, "no weekday in English"),
    "channel/docs": _ADDRESS,
    "channel/link": _ADDRESS_IF_ANY,
    "channel/language": (lambda text: sanitize.LANGUAGE_TAG.fullmatch(text) is not None, "no language of ISO 639"),
    "channel/ttl": (lambda text: _is_number(text, 1), "not a number of minutes"),
    "item/comments": _ADDRESS,
    "item/link": _ADDRESS,
    "source@url": _ADDRESS,
    "cloud@port": (lambda text: _is_number(text, 1, 65535), "no port"),
}
_CONTACT_FORMS: Final[Mapping[str, _Form]] = dict.fromkeys(
    ("channel/managingEditor", "channel/webMaster", "item/author"), _MAIL_WITH_NAME
)
_ATOM_FORMS: Final[Mapping[str, _Form]] = {
    **{f"{person}/uri": _REFERENCE for person in ("author", "contributor")},
    **{
        f"{person}/email": (lambda text: values.MAIL.fullmatch(text) is not None, "no mail address")
        for person in ("author", "contributor")
    },
    **{f"{parent}/{name}": _REFERENCE for parent in ("feed", "source") for name in ("icon", "logo")},
    "generator@uri": _REFERENCE,
    "content@src": _REFERENCE,
    "link@href": _REFERENCE,
    "link@type": (lambda text: _MEDIA_TYPE.fullmatch(text) is not None, "no media type"),
    "link@hreflang": (_is_language, "no language of RFC 3066"),
    "link@length": (lambda text: _is_number(text, 0), "no number of bytes"),
    "category@scheme": _ADDRESS,
}
_XML: Final = "{http://www.w3.org/XML/1998/namespace}"
_DIV: Final = "{http://www.w3.org/1999/xhtml}div"
_CONSTRUCTS: Final = frozenset({"title", "summary", "content", "subtitle", "rights"})


def _list_own(document: FeedDocument) -> Iterator[tuple[str, Node]]:
    """Yield the format's own elements in their places, by name."""
    namespace = ATOM if document.kind == "atom" else ""
    waiting = [document.root] if document.kind in _MODELS and document.root is not None else []
    while waiting:
        element = waiting.pop()
        name = values.local_name(element)
        yield name, element
        allowed = {namespace + one for one in _MODELS[document.kind].get(name, ())}
        waiting.extend(one for one in reversed(element) if one.tag in allowed)


def _parse_model(model: str) -> dict[str, str]:
    """Return how often each element of a table's line may stand: ``?``, ``+``, ``*`` or nothing."""
    return {one.rstrip("?+*"): one[len(one.rstrip("?+*")) :] for one in model.split()}


_MODELS: Final = {
    "rss": {name: _parse_model(model) for name, model in _RSS.items()},
    "atom": {name: _parse_model(model) for name, model in _ATOM.items()},
}


def _list_modelled(document: FeedDocument, kind: str) -> Iterator[tuple[str, Node, dict[str, str], Counter[str]]]:
    """Yield elements that hold others: name, element, which it may hold, and how many of each it holds."""
    if document.kind == kind:
        namespace = ATOM if kind == "atom" else ""
        for name, element in _list_own(document):
            if (model := _MODELS[kind].get(name)) is not None:
                names = [str(one.tag) for one in element if isinstance(one.tag, str)]
                own = [tag.removeprefix(namespace) for tag in names if tag.startswith(namespace)]
                yield name, element, model, Counter(one for one in own if not one.startswith("{"))


def _check_count(kind: str) -> Check:
    """Return the check that elements stand as often as the table says."""

    def check(document: FeedDocument) -> Iterator[Fault]:
        for _, element, model, counts in _list_modelled(document, kind):
            for name, often in model.items():
                if counts[name] > 1 and often in {"", "?"}:
                    yield element, f"{name} stands {counts[name]} times"
                elif not counts[name] and often in {"", "+"} and name != "channel":
                    yield element, f"has no {name}"

    return check


def _check_known(kind: str) -> Check:
    """Return the check that a format's own elements stand where it has them."""

    def check(document: FeedDocument) -> Iterator[Fault]:
        old = document.root is not None and not (document.root.get("version") or "2").startswith("2")
        for name, element, model, counts in _list_modelled(document, kind):
            if not (kind == "rss" and old):
                yield from ((element, f"has {one}, which {name} does not have") for one in counts if one not in model)
        if kind == "atom":
            for name, element in _list_own(document):
                plain = name in _CONSTRUCTS and element.get("type", "text") in {"text", "html", "text/plain"}
                if (plain or name in {"generator", "id", "icon", "logo", "name", "uri", "email"}) and len(element):
                    yield from (
                        (element, f"has an element in its text: {one.tag!s}")
                        for one in element
                        if isinstance(one.tag, str)
                    )

    return check


def _check_stray_text(document: FeedDocument) -> Iterator[Fault]:
    for kind in ("rss", "atom"):
        for _, element, _, _ in _list_modelled(document, kind):
            for text in (element.text, *(one.tail for one in element)):
                if text and text.strip():
                    yield element, f"has text between its elements: {text.strip()[:40]!r}"


def _check_attributes(kind: str, needed: Mapping[str, tuple[str, ...]]) -> Check:
    """Return the check that elements have the attributes that they need, and none that RSS does not have."""

    def check(document: FeedDocument) -> Iterator[Fault]:
        if document.kind == kind:
            for name, element in _list_own(document):
                yield from ((element, f"has no {one}") for one in needed.get(name, ()) if element.get(one) is None)
                allowed = _RSS_ATTRIBUTES.get(name) if kind == "rss" else None
                for one in element.attrib:
                    if allowed is not None and not str(one).startswith("{") and one not in allowed:
                        yield element, f"has {one!s}, which {name} does not have"

    return check


def _check_forms(kind: str, forms: Mapping[str, _Form]) -> Check:
    """Return the check that values have the form that the table says."""

    def check(document: FeedDocument) -> Iterator[Fault]:
        if document.kind != kind:
            return
        for name, element in _list_own(document):
            parent = element.getparent()
            place = f"{'' if parent is None else values.local_name(parent)}/{name}"
            given = [(place, "", (element.text or "").strip())]
            given += [(f"{name}@{key!s}", f"{key!s} ", str(value)) for key, value in element.attrib.items()]
            for key, said, value in given:
                if key in forms and not forms[key][0](value):
                    yield element, f"{said}{value[:80]!r} is {forms[key][1]}"

    return check


def _check_skipped(document: FeedDocument) -> Iterator[Fault]:
    if document.channel is not None:
        for name, one in (("skipHours", "hour"), ("skipDays", "day")):
            for parent in document.channel.iterfind(name):
                texts = [(found.text or "").strip() for found in parent.iterfind(one)]
                counts = Counter(text.lstrip("0").replace("24", "") for text in texts)
                yield from ((parent, f"has {text or '0'} {count} times") for text, count in counts.items() if count > 1)


def _check_xhtml(document: FeedDocument) -> Iterator[Fault]:
    for name, element in _list_own(document) if document.kind == "atom" else ():
        if name in _CONSTRUCTS and element.get("type") == "xhtml" and element.get("src") is None:
            inner = [one for one in element if isinstance(one.tag, str)]
            stray = "".join(text or "" for text in (element.text, *(one.tail for one in element))).strip()
            if [one.tag for one in inner] != [_DIV] or stray:
                yield element, "is XHTML, and is not one div of the namespace of XHTML"
                continue
            for one in inner[0].iter():
                if isinstance(one.tag, str) and not one.tag.startswith("{"):
                    yield element, f"has {one.tag} without the namespace of XHTML"
                    break


def _check_content(document: FeedDocument) -> Iterator[Fault]:
    for name, element in _list_own(document) if document.kind == "atom" else ():
        kind, source = element.get("type", "text").lower(), element.get("src")
        if name != "content":
            continue
        summary = element.getparent() is not None and element.getparent().find(f"{ATOM}summary") is not None  # type: ignore[union-attr]
        filled = bool((element.text or "").strip()) or len(element) > 0
        inline = kind in {"text", "html", "xhtml"} or kind.startswith("text/") or kind.endswith(("+xml", "/xml"))
        if kind.startswith(("multipart/", "message/")):
            yield element, f"has the composite type {kind!r}"
        if source is not None and filled:
            yield element, "has src, and a text too"
        if source is not None and kind in {"text", "html", "xhtml"} and "type" in element.attrib:
            yield element, f"has src, and type {kind!r}, which is no media type"
        if source is None and kind.endswith(("+xml", "/xml")) and len(element) and (element.text or "").strip():
            yield element, "has text beside its XML"
        if (source is not None or ("/" in kind and not inline)) and not summary:
            yield element, "is elsewhere or in Base64, and the entry has no summary"
        if source is None and "/" in kind and not inline and not _is_base64(element.text or ""):
            yield element, "is no Base64"


def _is_base64(text: str) -> bool:
    try:
        base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        return False
    return True


def _check_xml_attributes(document: FeedDocument) -> Iterator[Fault]:
    for element in values.list_elements(document):
        if (base := element.get(f"{_XML}base")) is not None and not values.is_reference(base):
            yield element, f"xml:base {base[:80]!r} is no address"
        if not _is_language(language := element.get(f"{_XML}lang") or ""):
            yield element, f"xml:lang {language[:80]!r} is no language of RFC 3066"


RULES = (
    Rule("rss-once", "M", "Elements stand as often as they may", "RSS 2.0, channel, image, item", _check_count("rss")),
    Rule(
        "rss-elements", "M", "Only elements of RSS without a namespace", "RSS 2.0, Extending RSS", _check_known("rss")
    ),
    Rule(
        "rss-attributes",
        "M",
        "Attributes that are needed",
        "RSS 2.0, rss, cloud, guid",
        _check_attributes("rss", _RSS_NEEDED),
    ),
    Rule(
        "rss-values", "M", "Numbers, days, hours, addresses", "RSS 2.0, channel, image", _check_forms("rss", _RSS_FORMS)
    ),
    Rule(
        "rss-contacts",
        "S",
        "Persons with a mail address",
        "RSS 2.0, channel, author",
        _check_forms("rss", _CONTACT_FORMS),
    ),
    Rule("rss-skipped", "M", "No hour or day twice", "RSS 2.0, skipHours, skipDays", _check_skipped),
    Rule(
        "atom-once",
        "M",
        "Elements stand as often as they may",
        "RFC 4287 3.2, 4.1.1, 4.1.2, 4.2.11",
        _check_count("atom"),
    ),
    Rule("atom-elements", "M", "Atom's elements in their places", "RFC 4287 4.1, 4.2, 6.4", _check_known("atom")),
    Rule(
        "atom-attributes",
        "M",
        "Links with href, categories with term",
        "RFC 4287 4.2.2, 4.2.7",
        _check_attributes("atom", _ATOM_NEEDED),
    ),
    Rule(
        "atom-values",
        "M",
        "Addresses, mail, types, numbers",
        "RFC 4287 3.2, 4.2.2 to 4.2.8",
        _check_forms("atom", _ATOM_FORMS),
    ),
    Rule("atom-xhtml", "M", "XHTML is one div", "RFC 4287 3.1.1.3, 4.1.3.3", _check_xhtml),
    Rule("atom-content", "M", "Content by its type or its src", "RFC 4287 4.1.2, 4.1.3", _check_content),
    Rule("stray-text", "M", "No text between elements", "RSS 2.0; RFC 4287 4.1", _check_stray_text),
    Rule("xml-attributes", "M", "xml:base and xml:lang", "XML Base; RFC 3066", _check_xml_attributes),
)
