"""``aggregator find``: find other listings of a feed's show."""

from __future__ import annotations

import shlex
from typing import Annotated

import typer

from aggregator import finding
from aggregator.commands.options import CONFIG, AtOption, ConfigOption, JsonOption, current_time, find_plan
from aggregator.commands.output import format_count, to_json
from aggregator.commands.summary import warn
from aggregator.config.load import load
from aggregator.finding import FoundListing


def run(
    feed: Annotated[
        str | None, typer.Argument(help="The feed; needed if the config has several.", metavar="[FEED]")
    ] = None,
    config: ConfigOption = CONFIG,
    *,
    at: AtOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find other listings of a feed's show, and say what each would add; the config is not changed.

    Apple, fyyd, gpodder.net, the show's own site and, with a key in the environment (PODCASTINDEX_KEY and
    PODCASTINDEX_SECRET), Podcast Index are asked, once a day at most. Each address that they name is read and matched
    with the items of the feed.
    """
    loaded = load(config)
    plan = find_plan(loaded, feed)
    search = finding.find_listings(loaded, plan, current_time(at))
    if as_json:
        typer.echo(to_json({**_to_values(search), "feed": plan.name}))
        return
    for each in search.listings:
        typer.echo(f"{each.url}: {_describe(each)}")
        typer.echo(f"  named by {', '.join(each.named_by)}; aggregator add {shlex.quote(each.url)} --feed {plan.name}")
    others = f"; {format_count(search.others, 'candidate')} of other shows, or unreadable" if search.others else ""
    typer.echo(f"{plan.name}: {format_count(len(search.listings), 'more listing')} found{others}")
    for problem in search.problems:
        warn(problem)


def _describe(found: FoundListing) -> str:
    effect = found.effect
    new = len(effect.new)
    doubtful = f", {len(effect.doubtful)} doubtful" if effect.doubtful else ""
    added = "no new one" if not new else f"{new} new"
    return f"kind {found.kind}, {effect.matched} of {format_count(effect.of, 'episode')}{doubtful}, {added}"


def _to_values(search: finding.Search) -> dict[str, object]:
    return {
        "listings": [
            {
                "url": each.url,
                "kind": each.kind,
                "named_by": each.named_by,
                "matched": each.effect.matched,
                "of": each.effect.of,
                "doubtful": [entry.title for entry in each.effect.doubtful],
                "new": [entry.title for entry in each.effect.new],
                "described": _describe(each),
            }
            for each in search.listings
        ],
        "others": search.others,
        "problems": search.problems,
    }
