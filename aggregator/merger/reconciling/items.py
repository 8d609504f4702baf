"""A Cluster becomes one Item: each field by its own rule, each with its witness.

A source's word weighs by its trust (promise 5: a less trusted source may complete, never contradict):

    title        one reading of the copies that resemble the most trusted one, its spelling voted on
    description  one reading of all copies, token by token; with the witness's markup where it is that witness's text
    published    the most trusted date; made exact by a source that names a time on that day
    duration     the most trusted one; made exact by a source within its grain
    enclosure    the most trusted one; a missing length or type from another source of the same file
    link         the most trusted one, one that its source does not repeat on other items first
    all others   the most trusted source that says something and has the rank to supply it (``merger.supply``)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta

from msgspec.structs import replace

from aggregator.merger.reconciling.provenance import Ballot, Finding, Weights, attest, ballot
from aggregator.merger.reconciling.supply import supplied
from aggregator.merger.reconciling.text_fields import read_description, read_title
from aggregator.model.cluster import Cluster
from aggregator.model.entry import PRECISIONS, Duration, Enclosure, Entry, Moment
from aggregator.model.item import Item, Provenance
from aggregator.text import urls

# A day without a zone can begin 14 hours before or 12 hours after that day begins in UTC (the zones in use).
ZONES = timedelta(hours=14)

# Fields whose value is simply that of the most trusted source that says something.
PLAIN = (
    *("guid", "summary", "updated", "season", "episode", "number", "episode_type", "explicit", "image", "author"),
    *("language", "categories", "tags"),
)

SILENT = (None, "", ())


def reconcile(cluster: Cluster, weights: Weights) -> Item:
    """One item of the feed, without its promised guid: ``guid`` holds the host's own where a source gave one."""
    votes = ballot(cluster.entries, weights)
    item = Item(
        title="",
        entries=tuple(sorted(entry.id for entry in votes.witnesses)),
        genre="episode" if any(entry.genre == "episode" for entry in votes.witnesses) else "post",
        rank=votes.witnesses[0].position,
        origin=votes.witnesses[0].source,
        pairs=cluster.pairs,
    )
    found = [finding for rule in RULES for finding in rule(votes)]
    values = {name: value for finding in found for name, value in finding.values.items()}
    provenance = tuple(sorted((finding.origin for finding in found), key=lambda origin: origin.field))
    return replace(item, provenance=provenance, **values)


def _published(votes: Ballot) -> Iterator[Finding]:
    """The most trusted date, sharpened by the finest one that names a time of that day.

    A date ahead of its own entry counts only where nobody has another.
    """
    said = [(entry, entry.published) for entry in votes.witnesses if entry.published is not None]
    dated = [(entry, moment) for entry, moment in said if entry.id not in votes.weights.ahead] or said
    if not dated:
        return
    trusted = dated[0][1]
    finest = [(entry, said) for entry, said in dated if _finer(said, trusted)]
    witness, moment = min(finest, key=lambda pair: -PRECISIONS.index(pair[1].precision), default=dated[0])
    origin = attest(
        "published",
        witness,
        votes,
        lambda entry: entry.published.at.isoformat() if entry.published else None,
        lambda entry: entry.published is not None and _compatible(entry.published, moment),
    )
    yield Finding({"published": moment}, origin)


def _finer(said: Moment, trusted: Moment) -> bool:
    """Is this a more precise account of the same date?"""
    return PRECISIONS.index(said.precision) > PRECISIONS.index(trusted.precision) and _compatible(said, trusted)


def _compatible(left: Moment, right: Moment) -> bool:
    """Can both be true of one item? A year holds all its days; a day without a zone lies within ``ZONES`` of UTC's."""
    if "year" in (left.precision, right.precision):
        return left.at.year == right.at.year
    if "day" in (left.precision, right.precision):
        whole = timedelta(days=1) if left.precision != right.precision else timedelta()
        early, late = (left, right) if left.precision == "day" else (right, left)
        return early.at - ZONES <= late.at <= early.at + whole + ZONES
    return abs(left.at - right.at) <= timedelta(minutes=1)


def _duration(votes: Ballot) -> Iterator[Finding]:
    """The most trusted duration, made exact by a source that differs by less than its grain."""
    timed = [(entry, entry.duration) for entry in votes.witnesses if entry.duration is not None]
    if not timed:
        return
    trusted = timed[0][1]
    exact = [(entry, said) for entry, said in timed if said.step < trusted.step and _same_length(said, trusted)]
    witness, duration = min(exact, key=lambda pair: pair[1].step, default=timed[0])
    origin = attest(
        "duration",
        witness,
        votes,
        lambda entry: f"{entry.duration.seconds} s" if entry.duration else None,
        lambda entry: entry.duration is not None and _same_length(entry.duration, duration),
    )
    yield Finding({"duration": duration}, origin)


def _same_length(left: Duration, right: Duration) -> bool:
    """Do two lengths differ by no more than the coarser grain (rounded and floored minutes differ by one)?"""
    return abs(left.seconds - right.seconds) <= max(left.step, right.step)


def _enclosure(votes: Ballot) -> Iterator[Finding]:
    """The most trusted audio, whole; only what it lacks may come from another source of the very same file."""
    heard = [(entry, entry.enclosure) for entry in votes.witnesses if entry.enclosure is not None]
    if not heard:
        return
    witness, chosen = heard[0]
    bare = urls.bare_audio(chosen.url)
    twins = [said for _, said in heard if urls.bare_audio(said.url) == bare]
    enclosure = Enclosure(
        chosen.url,
        next((twin.type for twin in twins if twin.type), None),
        next((twin.length for twin in twins if twin.length), None),
    )
    origin = attest(
        "enclosure",
        witness,
        votes,
        lambda entry: entry.enclosure.url if entry.enclosure else None,
        lambda entry: entry.enclosure is not None and urls.bare_audio(entry.enclosure.url) == bare,
    )
    yield Finding({"enclosure": enclosure}, origin)


def _link(votes: Ballot) -> Iterator[Finding]:
    """The most trusted page of the item itself; a page that stands on many items only where nobody has a better one."""
    linked = [entry for entry in votes.witnesses if entry.link is not None]
    if not linked:
        return
    repeated = votes.weights.repeated_links
    own = [entry for entry in linked if (entry.source, entry.link) not in repeated]
    witness = (own or linked)[0]
    origin = attest("link", witness, votes, lambda entry: entry.link, lambda entry: entry.link == witness.link)
    yield Finding({"link": witness.link}, origin)


def _plain(votes: Ballot) -> Iterator[Finding]:
    """Every other field: the word of the most trusted source that has one and may supply it."""
    audio = next((each for each in votes.witnesses if each.enclosure is not None), votes.witnesses[0])
    least = votes.weights.of(audio)
    for name in PLAIN:
        for entry in votes.witnesses:
            value = supplied(name, getattr(entry, name), owner=votes.weights.of(entry) >= least)
            if value not in SILENT:
                yield Finding({name: value}, _attest_plain(name, entry, votes))
                break


def _attest_plain(name: str, witness: Entry, votes: Ballot) -> Provenance:
    """The provenance of a plain field; a guid disagrees with nobody, for every host has its own."""
    value = getattr(witness, name)
    return attest(
        name,
        witness,
        votes,
        lambda entry: None if (said := getattr(entry, name)) in SILENT else str(said),
        lambda entry: name == "guid" or bool(getattr(entry, name) == value),
    )


Rule = Callable[[Ballot], Iterator[Finding]]
RULES: tuple[Rule, ...] = (read_title, read_description, _published, _duration, _enclosure, _link, _plain)
