"""``aggregator import-opml``: each subscription of an OPML list becomes a feed of the config."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import typer

from aggregator.commands import recognise
from aggregator.commands.options import CONFIG, ConfigOption
from aggregator.commands.wording import count
from aggregator.config import edit
from aggregator.config.load import load
from aggregator.errors import ConfigError
from aggregator.generator import opml
from aggregator.generator.opml import Outline


def run(
    file: Annotated[Path, typer.Argument(help="The OPML file.", metavar="FILE")], config: ConfigOption = CONFIG
) -> None:
    """Write the feeds of an OPML file into the config, one feed for each; nothing is fetched.

    Addresses that the config has already are left out, and so is what is not http or https. Feeds that are one show
    in several directories are joined by naming the sources under one feed.
    """
    try:
        outlines = opml.read(file.read_bytes())
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read: {error.strerror}") from error
    plans = load(config, begun=True).plans if config.exists() else ()
    known = {source.url for plan in plans for source in plan.sources}
    wanted = [one for one in outlines if one.xml_url not in known and _web(one.xml_url)]
    additions = tuple(_additions(wanted, [plan.name for plan in plans]))
    if additions:
        edit.add(config, additions)
    left = len(outlines) - len(additions)
    typer.echo(f"{config}: {count(len(additions), 'feed')} added{f', {left} left out' if left else ''}")


def _web(url: str) -> bool:
    """Whether an address is one that can be asked."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.hostname)


def _additions(outlines: Sequence[Outline], taken: Sequence[str]) -> Iterator[edit.Addition]:
    """A feed with one source for each outline, under a name that nothing else has."""
    names = list(taken)
    for outline in outlines:
        source = recognise.by_address(outline.xml_url)
        name = edit.free(recognise.slug(outline.title, "feed"), names)
        names.append(name)
        keys = (("kind", source.kind if source and source.url else "feed"), ("url", outline.xml_url))
        yield edit.Addition(name, keys[0][1], keys, outline.title)
