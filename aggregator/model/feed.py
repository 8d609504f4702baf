"""Feed: the channel and its items, as the config asks for it and as it is published."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from msgspec import field

from aggregator.model.cluster import Decision, Pair
from aggregator.model.entry import Moment, Show, Tag
from aggregator.model.item import HeldItem, Item, LeftOut, Override
from aggregator.model.record import Record
from aggregator.model.source import Filter, Rewrite, Source, SourceStatus

Video = Literal["only", "prefer", "no"]
"""Treatment of video where an item has several files."""


class Channel(Record, frozen=True):
    """The channel of the published feed: each field from the config, else from the most trusted source.

    ``base_url`` is where the feed's folder is served, without a final slash. ``guid`` is the podcast:guid.
    ``categories`` are paths such as ``("Society & Culture", "Documentary")``. ``passes_value`` says that podcast:value
    is passed on from sources, ``shows_sources`` that the pages say which source a value is from. A feed with a
    ``token`` is private: its folder cannot be guessed, and nothing but its own files names it. The pages show times in
    the ``timezone`` of this name, and are published in these ``languages`` beside that of the show.
    """

    name: str
    title: str
    base_url: str
    guid: str = ""
    link: str | None = None
    description: str | None = None
    language: str | None = None
    author: str | None = None
    owner_email: str | None = None
    image: str | None = None
    copyright: str | None = None
    license: str | None = None
    license_url: str | None = None
    explicit: bool | None = None
    type: Literal["episodic", "serial"] | None = None
    complete: bool | None = None
    locked: bool = True
    block: bool = False
    medium: str | None = None
    categories: tuple[tuple[str, ...], ...] = ()
    new_feed_url: str | None = None
    hubs: tuple[str, ...] = ()
    ttl: int | None = None
    tags: tuple[Tag, ...] = ()
    passes_value: bool = False
    shows_sources: bool = True
    token: str = ""
    timezone: str = "UTC"
    languages: tuple[str, ...] = ()

    @property
    def folder(self) -> str:
        """Return the name of the feed's folder under the output folder."""
        return f"{self.name}-{self.token}" if self.token else self.name

    def hide_token(self, text: str) -> str:
        """Return a text about the feed, such as a path, without its token."""
        return text.replace(f"-{self.token}", "") if self.token else text


class Ping(Record, frozen=True):
    """An index of podcasts that is told of a changed podcast.xml, and the token that it wants, empty for none."""

    url: str
    token: str = ""


class Plan(Record, frozen=True):
    """One feed as the config asks for it: its channel, its sources sorted by name, and a person's decisions.

    ``refresh`` is a cron expression; without one the times are learned. ``boilerplate`` says whether learned heads and
    tails are cut from the texts of all sources that have no such setting of their own, ``None`` if rank decides.
    ``window`` is the most items of the newest page (older ones go to archives), ``None`` for all. ``audio_grace`` is
    for how many days a source that fails, or lists an item no more, keeps giving its audio; ``probe_gone`` is how many
    days lie between two requests for it, 0 for none. ``reads_chapters`` is whether an episode without chapters gets
    those that its notes list. ``filter`` is for items, as they would be published. ``buried``
    are the guids that a person has taken out of the feed, each with the reason. ``is_public`` is a person's word
    (``token: none``) that a feed which was private is public now.

    ``is_mixed`` is whether it has several shows, whose items are never merged, ``shows_in_titles`` whether their names
    stand before the titles. ``rewrite`` are rules for the fields of items, as they would be published. ``video`` says
    whether video is published: nothing else, before audio, or never; ``None`` after audio. ``notify_new`` are addresses
    of Apprise that are told of new items, as the ``webhook`` is, whose calls are signed with the secret.
    """

    name: str
    channel: Channel
    sources: tuple[Source, ...]
    refresh: str | None = None
    boilerplate: Literal["keep", "strip"] | None = None
    decisions: tuple[Decision, ...] = ()
    overrides: tuple[Override, ...] = ()
    window: int | None = None
    probe_enclosures: bool = False
    audio_grace: int = 7
    reads_chapters: bool = True
    filter: Filter = Filter()
    probe_gone: int = 0
    buried: tuple[tuple[str, str], ...] = ()
    without: tuple[str, ...] = ()
    is_public: bool = False
    pings: tuple[Ping, ...] = ()
    is_mixed: bool = False
    shows_in_titles: bool = False
    rewrite: tuple[Rewrite, ...] = ()
    video: Video | None = None
    notify_new: tuple[str, ...] = ()
    webhook: str | None = None
    webhook_secret: str = ""

    @property
    def announces(self) -> bool:
        """Return whether anybody is told of new items."""
        return bool(self.notify_new or self.webhook)

    @property
    def keeps(self) -> frozenset[str]:
        """Return the sources whose texts keep their boilerplate: unless the config says so, the most trusted."""
        top = max((source.trust for source in self.sources), default=0.0)
        return frozenset(
            source.name
            for source in self.sources
            if (source.boilerplate or self.boilerplate or ("keep" if source.trust >= top else "strip")) == "keep"
        )


_FAILING = {
    "snapshot": "failed; using a saved copy",
    "cached": "failed; using earlier entries",
    "failed": "failed",
    "held back": "newest listing held back; using earlier entries",
}
"""The statuses of a source whose live listing could not be used, in words."""


class SourceResult(Record, frozen=True):
    """The result of one source in the last run that asked it, as the report lists it."""

    source: Source
    status: SourceStatus = field(name="state")  # the key of report.json
    message: str = ""
    entries: int = 0
    show: Show = Show()
    remarks: tuple[str, ...] = ()

    @property
    def is_failing(self) -> bool:
        """Return whether the live source gave no usable listing."""
        return self.status in _FAILING

    @property
    def standing(self) -> str:
        """Return the status in the words of every page and command; those of an answering source are "ok"."""
        return _FAILING.get(self.status, "ok")


class Cover(Record, frozen=True):
    """A feed as the page of all feeds shows it: its number of items, the date of the newest, and its address.

    ``address`` is that of the feed of episodes if there are any, else of the feed of all items.
    """

    channel: Channel
    address: str
    updated: datetime
    episodes: int = 0
    posts: int = 0
    newest: Moment | None = None


class Feed(Record, frozen=True):
    """The channel, its items newest first, and what the report needs to answer every why.

    ``updated`` is the time of the newest content change: the only clock of the output. ``gone`` are the sources that
    the config names no more: entries that only they listed stay, and they are still credited. ``held`` are the new
    items that are not published yet, ``left_out`` what the filters of the config leave out.
    """

    channel: Channel
    items: tuple[Item, ...]
    updated: datetime
    source_results: tuple[SourceResult, ...] = ()
    near_misses: tuple[Pair, ...] = ()
    remarks: tuple[str, ...] = ()
    gone: tuple[Source, ...] = ()
    held: tuple[HeldItem, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
