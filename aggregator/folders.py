"""Remove the files of a feed that are published no more, and keep renamed feeds and private ones what they were.

A feed gets another folder with another token or name, and none when the config names it no more. The store knows the
files of each feed before they appear, so that a crash, or news in the same run, leaves none that is not known.

Private files are removed before anything is fetched, and so are those of a feed that becomes private: no failure of a
source, or of the new folder, keeps an address readable that was revoked. Public files of a feed that was renamed or
removed stay for a week, so that a slip in the config takes no feed from its subscribers.

Files in an output folder of before stay, and it is said; those of a former token are removed there, too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from aggregator.errors import DamagedError, LockedError, PublishError
from aggregator.generator.storage.output import Output
from aggregator.model.feed import Plan, SourceResult
from aggregator.store import decisions, facts, leases, polls, publications
from aggregator.store.connection import parse_address, printable_name
from aggregator.store.database import Store, transaction
from aggregator.store.decisions import Event
from aggregator.store.renaming import rename_feed
from aggregator.translation.marks import N_

_FILES: Final = "published files"
"""The fact with the names, under the output folder, of all files of a feed that may be published.

Those that may be in an output of before are named with it: ``/srv/former/show/feed.xml``.
"""

_OUTPUT: Final = "output"
"""The fact with the address of the store, and with the output under which the files of a feed are.

A copy of the store, with another address, leaves the outputs of the original alone.
"""

_PRIVATE: Final = "private"
"""The fact of feeds that were published with a token and have none of a person's words since that they are public.

Of a feed that came without a token when a private one went it is ``?`` and the name of that one.
"""

_RENAMED: Final = "renamed"
"""The fact with the time since when a public feed has had another name, until the files of the former are removed."""

_UNNAMED: Final = "unnamed"
"""The fact with the time since when the config has not named the feed."""

_GRACE: Final = timedelta(days=7)
"""For how long public files stay under a name that the config has no more: cron's mail may wait for a weekend."""

_PUBLISHED: Final = ("feed.json", "feed.xml")
"""Files that every published feed has."""


def note_files(store: Store, output: Output, plan: Plan, names: Iterable[str]) -> None:
    """Note, before the files of the feed's folder appear, that they may be published, and whether the feed is private.

    The names are those within the folder.
    """
    now = (f"{plan.channel.folder}/{name}" for name in names)
    _write_files(store, output, plan.name, {*_read_files(store, output, plan.name), *now})
    facts.write_fact(store, plan.name, _PRIVATE, b"1" if plan.channel.token else None)
    if plan.channel.token:
        facts.write_fact(store, plan.name, _RENAMED, None)


def revoke(
    store: Store, output: Output, plans: Iterable[Plan], every: Sequence[Plan], now: datetime
) -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """Remove, before the ``plans`` are fetched, what was published of them in another folder and may be read no more.

    Private feeds, and feeds that become private, lose it at once, others after a time. Folders of ``every`` plan stay.
    Returns by feed a line about what was removed, and why something could not be.
    """
    lines, failures = dict[str, tuple[str, ...]](), dict[str, tuple[str, ...]]()
    files = _read_files_of_feeds(store, output)
    for plan in plans:
        found = {_find_folder(name) for name in files.get(plan.name, ())}
        if found > {plan.channel.folder} or (found and plan.channel.token):
            try:
                lines[plan.name] = remove_former(store, output, plan, every, now)
            except PublishError as error:
                failures[plan.name] = (plan.channel.hide_token(str(error)),)
    return lines, failures


def remove_former(store: Store, output: Output, plan: Plan, plans: Iterable[Plan], now: datetime) -> tuple[str, ...]:
    """Remove the files of the feed that stand in another folder, and return one line about it; raise PublishError.

    Public ones stay for a time. Folders of ``plans`` stay: one feed may have got the former name of another.
    """
    known = _read_files(store, output, plan.name)
    current = [name for name in known if _find_folder(name) == plan.channel.folder]
    end = None if plan.channel.token else find_end(store, plan.name)
    if len(current) == len(known) or (end is not None and now < end):
        return ()
    count = _remove(output, _list_former(known, {plan.channel.folder}, plans))
    line = N_(f"its former folder is published no more: {count} files were removed")
    with transaction(store) as tx:
        _write_files(tx, output, plan.name, current)
        facts.write_fact(tx, plan.name, _RENAMED, None)
        if count:
            decisions.write_event(tx, plan.name, Event(now, "removed", line))
    return (line,) if count else ()


def describe_other_output(store: Store, output: Output, plans: Iterable[Plan]) -> tuple[str, ...]:
    """Note where the files of the plans are published from now on; return one line for an output of before.

    Its files stay: another program may serve them, or they may be a copy.
    """
    places = facts.read_fact_of_feeds(store, _OUTPUT)
    noted = {plan.name: places[plan.name] for plan in plans if plan.name in places}
    moved = {feed: _read_place(store, kept) for feed, kept in noted.items() if kept != _describe_place(store, output)}
    with transaction(store) as tx:
        for feed in moved:
            _write_files(tx, output, feed, _read_files(tx, output, feed))
    return tuple(
        f"{place}: the feeds are published to {output} from now on, and what is left there is refreshed no more: "
        "remove it, or have its addresses lead to the new place"
        for place in sorted(set(moved.values()))
        if place and _has_other(place, output)
    )


def find_end(store: Store, feed: str) -> datetime | None:
    """Return when the public files of the feed's former name are removed, ``None`` if there are none."""
    since = facts.read_fact(store, feed, _RENAMED)
    return datetime.fromisoformat(since.decode()) + _GRACE if since else None


def remove_unnamed(store: Store, output: Output, plans: Sequence[Plan], now: datetime) -> tuple[str, ...]:
    """Remove the files of feeds that the config names no more, and return one line each; raise PublishError.

    Public ones stay for a time. Where several machines share the store, a feed stays that their schedule has: the
    config of this machine may be older or newer than another's.
    """
    named, lines = {plan.name for plan in plans}, list[str]()
    times, private = facts.read_fact_of_feeds(store, _UNNAMED), facts.read_fact_of_feeds(store, _PRIVATE)
    for feed in times.keys() & named:
        facts.write_fact(store, feed, _UNNAMED, None)
    scheduled = leases.read_feeds(store) if store.claim else frozenset()
    for feed, known in sorted(_read_files_of_feeds(store, output).items()):
        if feed in named:
            continue
        end = (datetime.fromisoformat(times[feed].decode()) if feed in times else now) + _GRACE
        is_over = feed not in scheduled and (feed in private or now >= end)
        if feed in times and not is_over:
            continue
        former = _list_former(known, (), plans)
        count = sum(map(len, former.values()))
        if is_over:
            count = _remove(output, former)
            told = N_(f"its {count} published files were removed")
        elif feed in scheduled:
            told = N_(f"its {count} published files stay while the schedule of another machine has it")
        else:
            told = N_(f"its {count} published files stay until {end:%Y-%m-%d %H:%M} UTC, then they are removed")
        line = N_(f"{feed} is not in the config any more: {told}. Named again, it is published with the same guids")
        with transaction(store) as tx:
            facts.write_fact(tx, feed, _UNNAMED, None if is_over else now.isoformat().encode())
            if is_over:
                _write_files(tx, output, feed, ())
                publications.forget_publication(tx, feed)
            decisions.write_event(tx, feed, Event(now, "removed", line))
        lines.append(line)
    return tuple(lines)


def read_folders(store: Store) -> frozenset[str]:
    """Return the folders with published files that the store knows."""
    known = facts.read_fact_of_feeds(store, _FILES).values()
    return frozenset(_find_folder(name) for kept in known for name in _decode(kept))


def find_refused(store: Store, plans: Iterable[Plan]) -> dict[str, str]:
    """Return the private feeds whose token is missing in the config, each with a line about what to do.

    They are not refreshed: only a person's word, ``token: none``, makes a private feed public.
    """
    private = facts.read_fact_of_feeds(store, _PRIVATE)
    refused = {}
    for plan in plans:
        if plan.name in private and not plan.channel.token and not plan.is_public:
            _, is_suspect, former = private[plan.name].decode().partition("?")
            refused[plan.name] = f"feeds.{plan.name}: " + (
                f"it came without a token when the private feed {former} went, and is not published. Write its token, "
                "or token: none if it is public"
                if is_suspect
                else "the feed is private, and its token is missing: it is not refreshed, and stays as it was "
                "published. Write its token again, or token: none to make it public"
            )
    return refused


def note_suspects(store: Store, plans: Iterable[Plan]) -> None:
    """Take new feeds without a token for a private one that the config names no more, until a person decides.

    A private feed may have got another name and another source in the edit in which its token was lost.
    """
    scheduled = leases.read_feeds(store) if store.claim else frozenset()
    names = {plan.name for plan in plans}
    gone = sorted(facts.read_fact_of_feeds(store, _PRIVATE).keys() - names - scheduled)
    gone = [feed for feed in gone if facts.read_fact(store, feed, _FILES)]
    if gone:
        known = facts.SOURCE_RESULTS.read_of_feeds(store)
        for plan in plans:
            if plan.name not in known and not plan.channel.token and not plan.is_public:
                facts.write_fact(store, plan.name, _PRIVATE, f"?{gone[0]}".encode())


def adopt_renamed(store: Store, plans: Sequence[Plan], new: Collection[str], now: datetime) -> tuple[str, ...]:
    """Give ``new`` feeds all that the store knows of feeds with the same sources that the config names no more.

    Guids, dates, decisions and the podcast:guid are kept; a machine that has the former name in work commits nothing
    more. Returns one line for each. Of several feeds with the same sources the private one stands for a private one,
    and the public one for a public one; where that does not tell them apart, none is renamed.
    """
    if not new:
        return ()
    results = facts.SOURCE_RESULTS.read_of_feeds(store)
    former = results.keys() - {plan.name for plan in plans}
    added = [plan for plan in plans if plan.name in new and plan.name not in results]
    if not former or not added:
        return ()
    private = facts.read_fact_of_feeds(store, _PRIVATE)
    addresses = {feed: _find_addresses(store, feed, results[feed]) for feed in former}
    renamed = []
    for plan in added:
        wanted = _list_addresses(plan)
        same = [feed for feed in sorted(former) if addresses[feed] == wanted]
        rivals = [each for each in added if _list_addresses(each) == wanted]
        if len(same) > 1 or len(rivals) > 1:
            same = [feed for feed in same if (feed in private) == bool(plan.channel.token)]
            rivals = [each for each in rivals if bool(each.channel.token) == bool(plan.channel.token)]
        if len(same) == len(rivals) == 1:
            renamed.append((same[0], plan.name))
    lines = []
    for old, name in renamed:
        line = N_(f"{name} is {old} under another name, with the same sources: its guids, dates and decisions are kept")
        with transaction(store) as tx:
            rename_feed(tx, old, name)
            leases.remove(tx, old)
            if old not in private:
                facts.write_fact(tx, name, _RENAMED, now.isoformat().encode())
            decisions.write_event(tx, name, Event(now, "renamed", line))
        lines.append(line)
    return tuple(lines)


def _find_addresses(store: Store, feed: str, results: Sequence[SourceResult]) -> frozenset[str]:
    """Return where the sources of a feed of the store are; a local file is known by its poll state alone."""
    sources = [each.source for each in results]
    known = polls.read_poll_states(store, [feed])
    files = (each.url for one in sources if not (one.url or one.show) for each in known.get((feed, one.name), ()))
    return frozenset({*(one.url or one.show or "" for one in sources), *files} - {""})


def _list_addresses(plan: Plan) -> frozenset[str]:
    return frozenset(one.url or one.show or Path(one.path or "/").as_uri() for one in plan.sources)


def _find_folder(name: str) -> str:
    """Return the folder of a file under its output.

    >>> _find_folder("show/feed.xml"), _find_folder("/srv/former/show/feed.xml")
    ('show', 'show')
    """
    return name.rsplit("/", 2)[-2]


def _list_former(known: Iterable[str], own: Iterable[str], plans: Iterable[Plan]) -> Mapping[str, list[str]]:
    """Return the names of files by their folders, without folders that a feed of the config has."""
    kept, found = {*own, *(plan.channel.folder for plan in plans)}, dict[str, list[str]]()
    for name in sorted(known):
        folder, _, file = name.rpartition("/")
        if _find_folder(name) not in kept:
            found.setdefault(folder, []).append(file)
    return found


def _remove(output: Output, former: Mapping[str, Sequence[str]]) -> int:
    """Remove the files, and return how many were there; raise PublishError."""
    count = 0
    for folder, names in former.items():
        place, _, own = folder.rpartition("/")
        there = replace(output, bucket=place) if "://" in place else Output(Path(place)) if place else output
        try:
            count += there.remove_folder(own, names)
        except PublishError as error:  # the name of the folder may have a token
            reason = str(error).replace(f"/{own}", "/…").replace("writes the rest", "tries again")
            raise PublishError(
                f"files of a former folder could not be removed, and can still be read: {reason}"
            ) from error
    return count


def _read_files(store: Store, output: Output, feed: str) -> list[str]:
    kept = facts.read_fact(store, feed, _FILES) or b""
    return _locate(store, _decode(kept), facts.read_fact(store, feed, _OUTPUT), output)


def _read_files_of_feeds(store: Store, output: Output) -> dict[str, list[str]]:
    places = facts.read_fact_of_feeds(store, _OUTPUT)
    known = facts.read_fact_of_feeds(store, _FILES)
    return {feed: _locate(store, _decode(kept), places.get(feed), output) for feed, kept in known.items()}


def _locate(store: Store, names: list[str], noted: bytes | None, output: Output) -> list[str]:
    """Return the names as seen from ``output``, if they were written for the output that was ``noted``.

    A folder may have been moved or copied with its files, so that each may be in both.
    """
    if noted is None or noted == _describe_place(store, output):
        return names
    before = _read_place(store, noted)
    if not before:
        return [name for name in names if name.count("/") == 1]
    own = [name.removeprefix(f"{output}/") for name in names]
    if not _has_other(before, output):
        return sorted(set(own))
    return sorted({*own, *(f"{before}/{name}" for name in own if name.count("/") == 1)})


def _describe_place(store: Store, output: Output) -> bytes:
    return f"{printable_name(store.engine.url)}\n{output}".encode()


def _read_place(store: Store, noted: bytes) -> str:
    """Return the output that was noted, empty if this store is a copy of the one that noted it."""
    address, _, place = noted.decode().partition("\n")
    return place if address == printable_name(store.engine.url) else ""


def _has_other(place: str, output: Output) -> bool:
    """Return whether there is another output at ``place``: a folder that was moved, or has two names, is none."""
    if "://" in place:
        return place != output.bucket
    try:
        return Path(place).is_dir() and not (output.path.is_dir() and Path(place).samefile(output.path))
    except OSError:
        return False


def _decode(kept: bytes) -> list[str]:
    return kept.decode().split("\n") if kept else []


def _write_files(store: Store, output: Output, feed: str, names: Collection[str]) -> None:
    """Write the names, and for which output; none are no fact."""
    facts.write_fact(store, feed, _FILES, "\n".join(sorted(names)).encode() or None)
    facts.write_fact(store, feed, _OUTPUT, _describe_place(store, output) if names else None)


def require_known(known: Collection[str], output: Output, state: str, plans: Iterable[Plan]) -> None:
    """Raise DamagedError if a feed is published and not ``known``: its store is gone, was emptied, or is another one.

    Published anew, its items could have other guids and dates, and a person's decisions would be forgotten.
    """
    for plan in plans:
        folder = plan.channel.folder
        if plan.name not in known and output.exists(folder, _PUBLISHED):
            store = printable_name(parse_address(state))
            raise DamagedError(
                f"{store}: has nothing of {plan.name}, which is published in "
                f"{plan.channel.hide_token(f'{output}/{folder}')}; restore a backup, or begin anew "
                "with aggregator refresh --new",
                store,
            )


@contextmanager
def noticing_lost_lease(store: Store, output: Output, name: str, at: datetime) -> Iterator[None]:
    """Have the feed, or the list of all feeds, published again if writing to a bucket fails and its lease was lost.

    Another worker may then have published a later edition, and this one has replaced some of its objects. In a folder
    the next refresh finds that by the times of the files.
    """
    is_done = False
    try:
        yield
        is_done = True
    finally:
        if not is_done and output.bucket and _has_lost_lease(store):
            unclaimed = replace(store, claim=None)
            publications.require_publication(unclaimed, name)
            leases.make_due(unclaimed, name, at)


def _has_lost_lease(store: Store) -> bool:
    try:
        with transaction(store):  # compares the tokens of the leases
            return False
    except LockedError:
        return True
