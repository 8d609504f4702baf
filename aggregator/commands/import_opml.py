"""``aggregator import-opml``: add the subscriptions of an OPML file to the config."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from aggregator.commands import preview
from aggregator.commands.options import CONFIG, ConfigOption
from aggregator.commands.output import format_count
from aggregator.config import edit
from aggregator.config.load import load
from aggregator.errors import ConfigError
from aggregator.fetchers import registry
from aggregator.generator import opml
from aggregator.generator.opml import Outline
from aggregator.text.urls import is_web


def run(
    file: Annotated[Path, typer.Argument(help="OPML file, as exported by a feed reader.", metavar="FILE")],
    config: ConfigOption = CONFIG,
) -> None:
    """Add each subscription of an OPML file to the config as a feed of its own; nothing is fetched.

    URLs that the config already has, and URLs that are not http or https, are skipped. To merge several of them into
    one feed, move their sources under one feed in the config.
    """
    try:
        outlines = opml.read(file.read_bytes())
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read: {error.strerror}") from error
    plans = load(config, allow_empty=True).plans if config.exists() else ()
    known = {source.url for plan in plans for source in plan.sources}
    wanted = [one for one in outlines if one.xml_url not in known and is_web(one.xml_url)]
    additions = tuple(_make_additions(wanted, [plan.name for plan in plans]))
    if additions:
        edit.add(config, additions)
    skipped = len(outlines) - len(additions)
    typer.echo(f"{config}: {format_count(len(additions), 'feed')} added{f', {skipped} skipped' if skipped else ''}")


def _make_additions(outlines: Sequence[Outline], taken: Sequence[str]) -> Iterator[edit.Addition]:
    """Yield one feed with one source for each outline, under an unused name."""
    names = list(taken)
    for outline in outlines:
        source = registry.recognise(outline.xml_url)
        name = edit.find_free_name(preview.make_name(outline.title, "feed"), names)
        names.append(name)
        keys = (("kind", source.kind if source and source.url else "feed"), ("url", outline.xml_url))
        yield edit.Addition(name, keys[0][1], keys, outline.title)
