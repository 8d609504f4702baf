"""What feedparser calls an element: the names that the fast reader must share with it to agree with it.

feedparser knows a namespace by its address whatever the prefix, and others by the prefix that the document declares
first; from both it makes one flat name such as ``itunes_author`` (6.0.14, ``mixin.py`` and ``parsers/strict.py``). The
table is compared with feedparser's own by a test.
"""

from __future__ import annotations

from msgspec import Struct, field

from aggregator.fetchers.feed_xml import CHANNELS, ITEMS

USERLAND = "backend.userland.com/rss"  # any address with this inside is RSS itself
PREFIXES = {  # addresses in lower case
    **dict.fromkeys(
        (
            "http://backend.userland.com/rss", "http://blogs.law.harvard.edu/tech/rss", "http://purl.org/rss/1.0/",
            "http://my.netscape.com/rdf/simple/0.9/", "http://example.com/newformat#", "http://example.com/necho",
            "http://purl.org/echo/", "uri/of/echo/namespace#", "http://purl.org/pie/", "http://purl.org/atom/ns#",
            "http://www.w3.org/2005/atom", "http://purl.org/rss/1.0/modules/rss091#",
        ),
        "",
    ),
    "http://webns.net/mvcb/": "admin",
    "http://purl.org/rss/1.0/modules/aggregation/": "ag",
    "http://purl.org/rss/1.0/modules/annotate/": "annotate",
    "http://media.tangent.org/rss/1.0/": "audio",
    "http://backend.userland.com/blogchannelmodule": "blogChannel",
    "http://creativecommons.org/ns#license": "cc",
    "http://web.resource.org/cc/": "cc",
    "http://cyber.law.harvard.edu/rss/creativecommonsrssmodule.html": "creativeCommons",
    "http://backend.userland.com/creativecommonsrssmodule": "creativeCommons",
    "http://purl.org/rss/1.0/modules/company": "co",
    "http://purl.org/rss/1.0/modules/content/": "content",
    "http://my.theinfo.org/changed/1.0/rss/": "cp",
    "http://purl.org/dc/elements/1.1/": "dc",
    "http://purl.org/dc/terms/": "dcterms",
    "http://purl.org/rss/1.0/modules/email/": "email",
    "http://purl.org/rss/1.0/modules/event/": "ev",
    "http://rssnamespace.org/feedburner/ext/1.0": "feedburner",
    "http://freshmeat.net/rss/fm/": "fm",
    "http://xmlns.com/foaf/0.1/": "foaf",
    "http://www.w3.org/2003/01/geo/wgs84_pos#": "geo",
    "http://www.georss.org/georss": "georss",
    "http://www.opengis.net/gml": "gml",
    "http://postneo.com/icbm/": "icbm",
    "http://purl.org/rss/1.0/modules/image/": "image",
    "http://www.itunes.com/dtds/podcast-1.0.dtd": "itunes",
    "http://example.com/dtds/podcast-1.0.dtd": "itunes",
    "http://purl.org/rss/1.0/modules/link/": "l",
    "http://search.yahoo.com/mrss": "media",
    "http://search.yahoo.com/mrss/": "media",
    "http://madskills.com/public/xml/rss/module/pingback/": "pingback",
    "http://prismstandard.org/namespaces/1.2/basic/": "prism",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#": "rdf",
    "http://www.w3.org/2000/01/rdf-schema#": "rdfs",
    "http://purl.org/rss/1.0/modules/reference/": "ref",
    "http://purl.org/rss/1.0/modules/richequiv/": "reqv",
    "http://purl.org/rss/1.0/modules/search/": "search",
    "http://purl.org/rss/1.0/modules/slash/": "slash",
    "http://schemas.xmlsoap.org/soap/envelope/": "soap",
    "http://purl.org/rss/1.0/modules/servicestatus/": "ss",
    "http://hacks.benhammersley.com/rss/streaming/": "str",
    "http://purl.org/rss/1.0/modules/subscription/": "sub",
    "http://purl.org/rss/1.0/modules/syndication/": "sy",
    "http://schemas.pocketsoap.com/rss/mydescmodule/": "szf",
    "http://purl.org/rss/1.0/modules/taxonomy/": "taxo",
    "http://purl.org/rss/1.0/modules/threading/": "thr",
    "http://purl.org/rss/1.0/modules/textinput/": "ti",
    "http://madskills.com/public/xml/rss/module/trackback/": "trackback",
    "http://wellformedweb.org/commentapi/": "wfw",
    "http://purl.org/rss/1.0/modules/wiki/": "wiki",
    "http://www.w3.org/1999/xhtml": "xhtml",
    "http://www.w3.org/1999/xlink": "xlink",
    "http://www.w3.org/xml/1998/namespace": "xml",
    "http://podlove.org/simple-chapters": "psc",
}  # fmt: skip
CANONICAL = {prefix.lower() for prefix in PREFIXES.values()} - {""}
REFUSED = {  # its steps are too many to be kept, or its name would be taken for what feedparser itself notes
    "abstract", "body", "channel", "entry", "feed", "fullitem", "geom", "georss_where", "georssgeom",
    "gml_exterior", "gml_linearring", "gml_linestring", "gml_point", "gml_polygon", "gml_pos", "gml_poslist",
    "item", "newlocation", "rss", "textinput", "where", "xhtml_body", "author_detail", "authors", "date",
    "guidislink", "links",
}  # fmt: skip
STRANGE = {"xhtml", "xlink"}  # their elements are content, their declaration becomes an attribute


class IrregularError(ValueError):
    """The document has something that only the tolerant reader knows; the message says what, in a few words."""


class MisplacedError(IrregularError):
    """Items were taken for plain that are not where they seemed to be; the others of the document are not in doubt."""


class Names(Struct):
    """The namespaces that a document declared so far, and the names of the elements met."""

    declared: dict[str, str] = field(default_factory=dict)
    known: dict[str, str] = field(default_factory=dict)


def declare(names: Names, prefix: str, address: str) -> None:
    """Note a declaration; raises ``IrregularError`` where feedparser's names would depend on where it stands."""
    key, owner = prefix.lower(), of_address(address)
    if owner in STRANGE and address:
        raise IrregularError(f"the namespace {owner}")
    if names.declared.setdefault(key, address) != address:
        raise IrregularError(f'two namespaces with the prefix "{prefix}"')
    if key in CANONICAL and owner is not None and owner.lower() != key:
        raise IrregularError(f'the prefix "{prefix}" for another namespace than its own')
    if owner is None and sum(1 for other in names.declared.values() if other == address) > 1:
        raise IrregularError("two prefixes for one namespace")


def name(names: Names, tag: str) -> str:
    """What feedparser calls the element with lxml's ``{address}local``; ``IrregularError`` for inline markup."""
    found = names.known.get(tag)
    return found if found is not None else names.known.setdefault(tag, _named(names, tag))


def of_address(address: str) -> str | None:
    """The prefix that feedparser has for a namespace; ``None`` where it does not know it."""
    low = address.lower()
    return "" if USERLAND in low else PREFIXES.get(low)


def _named(names: Names, tag: str) -> str:
    address, _, local = tag.rpartition("}")
    address, local = address.removeprefix("{"), local.lower()
    prefix = of_address(address) if address else ""
    if prefix is None:
        prefix = next((key for key, other in names.declared.items() if other == address), "")
    if prefix.lower() in STRANGE or local in {"svg", "math"}:
        raise IrregularError("markup among the elements of the feed")
    if local in CHANNELS | ITEMS and prefix and (prefix, local) != ("rdf", "rdf"):
        raise IrregularError(f'the element "{prefix}:{local}"')
    return f"{prefix.lower()}_{local}" if prefix else local
