"""Parse XML element by element, and HTML to a tree as browsers do.

No entity is resolved, and nothing is fetched.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import Any, TypeAlias

from lxml import cssselect, etree

Element: TypeAlias = etree._Element  # noqa: SLF001 -- lxml's own name for the type of its elements


def iterate(body: bytes) -> Iterator[Element]:
    """Yield each element when it is complete, children before parents; end early if the XML is not well-formed.

    The caller may ``clear`` an element.
    """
    reader = etree.iterparse(
        BytesIO(body), events=("end",), recover=False, resolve_entities=False, no_network=True, huge_tree=True
    )
    try:
        for _, element in reader:
            if isinstance(element.tag, str):
                yield element
    except (etree.XMLSyntaxError, ValueError, LookupError):
        return


class _Ignored:
    """A target of a parser that keeps nothing."""

    def close(self) -> None:
        """End."""


def find_mistake(text: str) -> str:
    """Return what makes a document not well-formed, its prefixes included, and where; "" if it is."""
    target: Any = _Ignored()  # the types of lxml want more methods than lxml
    parser = etree.XMLParser(target=target, resolve_entities=False, no_network=True, huge_tree=True)
    try:
        body = text.encode("utf-8", "replace")
        parser.feed(body)
        parser.close()
        if b":" in body:  # a target hears nothing of prefixes
            for _, element in etree.iterparse(
                BytesIO(body), tag=("{*}item", "{*}entry"), resolve_entities=False, no_network=True, huge_tree=True
            ):
                element.clear()
    except (etree.XMLSyntaxError, ValueError) as error:
        return str(error).partition("\n")[0].removesuffix(f" (<string>, line {getattr(error, 'lineno', 0)})")
    return ""


def iterate_sound(body: bytes, *tags: str) -> Iterator[Element]:
    """Yield the elements of these names as they end, last the root.

    Raise ValueError if the XML is not well-formed or has a document type. The caller may remove an element once it has
    the next.
    """
    reader = etree.iterparse(
        BytesIO(body), events=("end",), tag=tags, recover=False, resolve_entities=False, no_network=True,
        huge_tree=True,
    )  # fmt: skip
    try:
        yield from (found for _, found in reader)
    except (etree.XMLSyntaxError, LookupError) as error:
        raise ValueError("not well-formed") from error
    if reader.root is None or reader.root.getroottree().docinfo.doctype:
        raise ValueError("a document type")
    yield reader.root


def parse_html(text: str) -> Element | None:
    """Return the root of an HTML page; ``None`` if there is no element at all.

    A line break behind each ``br`` keeps the words around it apart.
    """
    parser = etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True)
    source = text.replace("\x00", "").encode("utf-8", "replace")
    try:
        root = etree.fromstring(source, parser) if source.strip() else None
    except (etree.XMLSyntaxError, ValueError):
        return None
    for element in () if root is None else root.iter("br"):
        element.tail = f"\n{element.tail or ''}"
    return root


def get_name(element: Element) -> tuple[str, str]:
    """Return the namespace of an element in lower case, "" for none, and its local name."""
    namespace, _, local = str(element.tag).rpartition("}")
    return namespace.lstrip("{").lower(), local


def get_text(element: Element) -> str:
    """Return all the text inside an element."""
    return "".join(map(str, element.itertext())) if len(element) else element.text or ""


def select(element: Element, selector: str) -> list[Element | str]:
    """Return the elements, or the texts of attributes, that a selector finds below an element, in the page's order.

    XPath if it begins with ``/``, ``.`` and a slash, or ``(``, else CSS, where ``@name`` behind a selector takes an
    attribute; parts divided by commas are tried in their order. Raises ValueError if it is neither.
    """
    if selector.startswith(("/", "./", "(", "..")):
        return _select_by_xpath(element, selector if selector.startswith((".", "(")) else f".{selector}", selector)
    found: list[Element | str] = []
    for part in selector.split(","):
        path, _, attribute = part.partition("@")
        try:
            expression = cssselect.CSSSelector(path.strip() or "*").path
        except (cssselect.SelectorError, SyntaxError) as error:
            raise ValueError(f'"{selector}" is no CSS selector ({error})') from error
        found += _select_by_xpath(element, expression + (f"/@{attribute.strip()}" if attribute else ""), selector)
    return found


def _select_by_xpath(element: Element, expression: str, selector: str) -> list[Element | str]:
    try:
        answer = element.xpath(expression)
    except etree.XPathError as error:
        raise ValueError(f'"{selector}" is no selector ({error})') from error
    items = answer if isinstance(answer, list) else [answer]
    return [item if isinstance(item, Element) else str(item) for item in items]
