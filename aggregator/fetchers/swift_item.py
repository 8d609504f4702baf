"""One item of a sound feed in one pass: what feedparser would tell of it, and the XML's own account."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from aggregator.fetchers import feed_xml, swift_steps, tree
from aggregator.fetchers.feed_xml import CHANNELS, ITEMS, Said, is_podcast
from aggregator.fetchers.swift_context import Context, Step, harmless, inside, leaf
from aggregator.fetchers.swift_names import REFUSED, IrregularError, Names, name
from aggregator.fetchers.swift_words import address, attributes, told
from aggregator.fetchers.tree import Element
from aggregator.model.sighting import Tag

ABOUT = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}about"


def _media_content(context: Context, element: Element, _: str, depth: int) -> None:
    context.values.setdefault("media_content", []).append(attributes(element))
    inside(context, element, depth, STEPS)


def _group(context: Context, element: Element, _: str, depth: int) -> None:
    inside(context, element, depth, STEPS)


def _thumbnail(context: Context, element: Element, said: str, _: int) -> None:
    leaf(element)
    about = attributes(element)
    if value := address(told(said)):
        about.setdefault("url", value)
    context.values.setdefault("media_thumbnail", []).append(about)


def _image(context: Context, element: Element, _said: str, _: int) -> None:
    leaf(element)
    about = attributes(element)
    if href := about.get("href") or about.get("url"):
        context.values["image"] = {"href": href}


def _enclosure(context: Context, element: Element, _said: str, _: int) -> None:
    leaf(element)
    about = attributes(element)
    if href := about.get("url", about.get("uri", about.get("href"))):
        about["href"] = href
    about["rel"] = "enclosure"
    context.values.setdefault("links", []).append(about)


def _picture(context: Context, element: Element, _said: str, depth: int) -> None:
    """An image of RSS's channel in an item: its title is taken for the item's where that has none."""
    context.title_depth = -1
    for child in element:
        called = name(context.names, child.tag) if isinstance(child.tag, str) else ""
        if called not in {"url", "title", "width", "height"}:
            raise IrregularError(f'"{called}" inside of an image of an item')
        leaf(child)
        if called == "title":
            swift_steps.title(context, child, child.text or "", depth + 1)


STEPS: Mapping[str, Step] = {
    **dict.fromkeys(("title", "dc_title"), swift_steps.title),
    "media_title": swift_steps.media_title,
    **dict.fromkeys(("description", "dc_description", "media_description"), swift_steps.description),
    **dict.fromkeys(("summary", "itunes_summary"), swift_steps.summary),
    "content": swift_steps.content,
    "content_encoded": swift_steps.encoded,
    **dict.fromkeys(("subtitle", "tagline", "itunes_subtitle"), swift_steps.text("subtitle", "text/plain")),
    "link": swift_steps.link,
    **dict.fromkeys(("guid", "id"), swift_steps.guid),
    **dict.fromkeys(("published", "issued", "pubdate", "dcterms_issued"), swift_steps.text("published")),
    **dict.fromkeys(
        ("updated", "modified", "lastbuilddate", "dc_date", "dcterms_modified"), swift_steps.text("updated")
    ),
    **dict.fromkeys(("created", "dcterms_created"), swift_steps.text("created")),
    **dict.fromkeys(("language", "dc_language"), swift_steps.text("language")),
    **dict.fromkeys(("rights", "copyright", "dc_rights"), swift_steps.text("rights", "text/plain")),
    **dict.fromkeys(("author", "managingeditor", "dc_creator", "dc_author", "itunes_author"), swift_steps.author),
    "contributor": swift_steps.contributor,
    "itunes_owner": swift_steps.owner,
    **dict.fromkeys(("category", "keywords", "dc_subject"), swift_steps.category),
    "tags": swift_steps.tags,
    "media_category": swift_steps.media_category,
    "itunes_category": swift_steps.itunes_category,
    "itunes_keywords": swift_steps.keywords(swift_steps.ITUNES),
    "media_keywords": swift_steps.keywords(None),
    "enclosure": _enclosure,
    "media_content": _media_content,
    "media_group": _group,
    "media_thumbnail": _thumbnail,
    **dict.fromkeys(("itunes_image", "itunes_link"), _image),
    "image": _picture,
    "source": swift_steps.source,
    "itunes_explicit": swift_steps.explicit,
    **{
        key: swift_steps.bare(key)
        for key in (
            "itunes_duration", "itunes_season", "itunes_episode", "itunes_episodetype", "itunes_type",
            "itunes_new-feed-url", "feedburner_origlink", "yt_videoid",
        )
    },
}  # fmt: skip


class Plan(NamedTuple):
    """What is done with an element: feedparser's step, its name in the XML's account, and whether that keeps it."""

    step: Step | None
    key: str | None
    podcast: bool


SKIPPED = Plan(None, None, podcast=False)


def read(element: Element, names: Names, plans: dict[str, Plan], context: Context) -> tuple[dict[str, Any], Said]:
    """The entry as feedparser's and the XML's own account; raises ``IrregularError`` where they could differ.

    ``plans`` are those of this document, kept between its items.
    """
    values, texts = context.values, {}
    tags: list[Tag] = []
    if element.attrib:
        _head(element, values)
    for child in element:
        plan = plans.get(child.tag) or plans.setdefault(child.tag, _plan(child, names))
        step, key, podcast = plan
        said = child.text or ""
        if podcast:
            harmless(names, child, STEPS)
            tags.append(feed_xml.tag(child))
            continue
        if key is not None and key not in texts and (key.startswith("itunes:") or not len(child)):
            texts[key] = (tree.text(child) if len(child) else said).strip()
        if step is not None:
            step(context, child, said, 0)
        elif len(child):
            harmless(names, child, STEPS)
    return values, Said(texts, tuple(tags))


def _head(element: Element, values: dict[str, Any]) -> None:
    """The attributes of the item: RDF's name of it is its id, two of an older format are refused."""
    if about := element.get(ABOUT):
        values["id"] = about
    if attributes(element).keys() & {"lastmod", "href"}:
        raise IrregularError("attributes of the Channel Definition Format")


def _plan(child: Element, names: Names) -> Plan:
    if not isinstance(child.tag, str):
        return SKIPPED
    namespace, local = tree.name(child)
    called = name(names, child.tag)
    if called in REFUSED or called in CHANNELS or called in ITEMS:
        raise IrregularError(f'"{called}" inside of an item')
    prefix = feed_xml.PREFIXES.get(namespace)
    key = None if prefix is None else prefix + local
    return Plan(STEPS.get(called), key, podcast=is_podcast(namespace))


def check(values: dict[str, Any], said: Said, *, is_atom: bool) -> None:
    """Nothing, where it is certain whether the content is plain; feedparser guesses where RSS has Atom's."""
    if is_atom or "content:encoded" in said.texts or "description" in said.texts:
        return
    for part in values.get("content", ()):
        if part["type"] == "text/plain" and ("<" in part["value"] or "&" in part["value"]):
            raise IrregularError("a text that may be plain or HTML")
