"""The keys of one feed: what its channel says of itself, and how its items are made."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from aggregator.config.scalars import (
    Category,
    Cron,
    Email,
    Guid,
    Keys,
    Language,
    Pair,
    Plain,
    SourceName,
    Text,
    WebAddress,
    Whole,
)
from aggregator.config.source_keys import SourceKeys

Medium = Literal[
    "podcast",
    "music",
    "video",
    "film",
    "audiobook",
    "newsletter",
    "blog",
    "publisher",
    "course",
    "mixed",
    "podcastL",
    "musicL",
    "videoL",
    "filmL",
    "audiobookL",
    "newsletterL",
    "blogL",
    "publisherL",
    "courseL",
]
"""Podcasting 2.0, ``podcast:medium``."""

Field_ = Literal[
    "title",
    "description",
    "summary",
    "link",
    "published",
    "duration",
    "season",
    "episode",
    "episode_type",
    "explicit",
    "image",
    "author",
]
"""The fields of an item that a person may set."""


class PersonKeys(Keys):
    """Somebody who makes the show (``podcast:person``)."""

    name: Annotated[str, Field(min_length=1, max_length=128)]
    role: Text | None = None
    group: Text | None = None
    href: WebAddress | None = None
    img: WebAddress | None = None


class FundingKeys(Keys):
    """Where listeners can give (``podcast:funding``)."""

    url: WebAddress
    text: Annotated[str, Field(min_length=1, max_length=128)]


class DecisionKeys(Keys):
    """What a person decided about two entries or items, each named by entry id or guid."""

    same: Pair | None = None
    different: Pair | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        """Exactly one of the two verdicts is given."""
        if (self.same is None) == (self.different is None):
            raise ValueError("write one of same: [A, B] and different: [A, B]")
        return self


class FeedKeys(Keys):
    """One canonical feed and the sources it is made of."""

    title: Text = Field(description="The title of the feed.")
    sources: dict[SourceName, SourceKeys] = Field(
        min_length=1, description="The places that list the show, by name; their order means nothing."
    )
    primary: SourceName | None = Field(
        None, description="The source that speaks for the show: it is trusted more than every other."
    )
    refresh: Cron | None = Field(
        None, description="When its sources may be asked: cron, in UTC. Every run, unless given."
    )
    link: WebAddress | None = Field(None, description="The home page of the show.")
    description: Text | None = Field(None, description="What the show is about.")
    language: Language | None = Field(None, description="The language of the show.")
    author: Text | None = Field(None, description="Who makes the show.")
    owner_email: Email | None = Field(
        None, description="Your own address, published as the feed's owner; never a source's."
    )
    image: WebAddress | None = Field(None, description="The artwork: JPEG or PNG, square, 1400 to 3000 pixels.")
    explicit: bool | None = Field(None, description="Whether the show is for adults.")
    type: Literal["episodic", "serial"] | None = Field(
        None, description="Whether episodes stand alone or are heard in order."
    )
    categories: list[Category] = Field(default_factory=list, description="Categories of Apple Podcasts.")
    copyright: Text | None = Field(None, description="Who holds the rights.")
    license: Text | None = Field(None, description="The licence: an SPDX identifier, or a name with license_url.")
    license_url: WebAddress | None = Field(None, description="Where the licence stands.")
    locked: bool = Field(default=True, description="Whether other platforms may not import the feed.")
    block: bool = Field(default=False, description="Whether directories should not list the feed.")
    medium: Medium | None = Field(None, description="What kind of medium the feed carries.")
    complete: bool | None = Field(None, description="Whether no further episode will come.")
    guid: Guid | None = Field(None, description="The podcast:guid, where the show already has one.")
    new_feed_url: WebAddress | None = Field(None, description="Where the feed has moved to.")
    hubs: list[WebAddress] = Field(default_factory=list, description="WebSub hubs that are told of changes.")
    ttl_minutes: Whole | None = Field(None, description="How long readers may keep the feed, in minutes.")
    persons: list[PersonKeys] = Field(default_factory=list, description="Who makes the show (podcast:person).")
    funding: list[FundingKeys] = Field(default_factory=list, description="Where listeners can give (podcast:funding).")
    boilerplate: Literal["keep", "strip"] | None = Field(
        None,
        description="Whether what sources repeat at the ends of their texts is cut where another copy lacks it; "
        "unless given, kept for the most trusted source and cut for others.",
    )
    window: int = Field(
        1000,
        strict=True,
        ge=0,
        description="The most items of the newest page; older ones go to archives. 0 puts all on one page.",
    )
    probe_enclosures: bool = Field(
        default=False, description="Whether to ask the audio's host once for a length that no source gave."
    )
    decisions: list[DecisionKeys] = Field(default_factory=list, description="What you decided about pairs of entries.")
    overrides: dict[Text, dict[Field_, Plain]] = Field(
        default_factory=dict, description="What a field of an item is to be, by guid, whatever the sources say."
    )
    buried: dict[Text, Text] = Field(
        default_factory=dict, description="Items that leave the feed, by guid, each with the reason why."
    )

    @model_validator(mode="after")
    def _known(self) -> Self:
        """The primary source is one of the sources."""
        if self.primary is not None and self.primary not in self.sources:
            raise ValueError(f"primary: there is no source {self.primary}; there are {', '.join(sorted(self.sources))}")
        return self

    @model_validator(mode="after")
    def _licensed(self) -> Self:
        """A licence's address needs its name."""
        if self.license_url and not self.license:
            raise ValueError("license_url needs license, the name of what stands there")
        return self
