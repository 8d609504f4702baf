"""The keys of config.yaml as pydantic models, and the JSON Schema that editors check the file with."""

from __future__ import annotations

import json
import re
from typing import Annotated, Literal, Self, get_args

from pydantic import AfterValidator, BeforeValidator, Field, model_validator
from pydantic.config import ConfigDict, JsonDict

from aggregator.config.scalars import (
    PUBLIC,
    ApiToken,
    Category,
    ContactAddress,
    Cron,
    Day,
    Email,
    FeedName,
    Guid,
    HashedPassword,
    HeaderName,
    Keys,
    Language,
    Length,
    Network,
    OneOrMore,
    OutputPlace,
    Pair,
    Pattern,
    Plain,
    ProxyAddress,
    QueueAddress,
    SourceName,
    Text,
    Token,
    WebAddress,
    Whole,
    Zone,
)
from aggregator.config.suggestions import suggest
from aggregator.errors import ReadError
from aggregator.fetchers import registry
from aggregator.model.entry import EpisodeType, Genre
from aggregator.model.feed import Video
from aggregator.model.source import RewrittenField
from aggregator.translation.marks import N_

PageLanguage = Literal["en", "de", "es", "fr", "pt", "ja"]
"""The languages of pages; ``translation.locale`` has their catalogues."""

_Medium = Literal[
    "podcast", "music", "video", "film", "audiobook", "newsletter", "blog", "publisher", "course", "mixed",
    "podcastL", "musicL", "videoL", "filmL", "audiobookL", "newsletterL", "blogL", "publisherL", "courseL",
]  # fmt: skip
"""Values of ``podcast:medium`` (podcast namespace)."""

ItemField = Literal[
    "title", "description", "summary", "link", "published", "duration", "season", "episode", "episode_type",
    "explicit", "image", "author", "enclosure",
]  # fmt: skip
"""The fields of an item that ``overrides`` can set."""


def _check_kind(text: str) -> str:
    if text not in registry.KINDS and text not in registry.names():
        raise ValueError(f'"{text}" is not a kind of source; {suggest(text, registry.names())}')
    try:
        registry.find(text)
    except ReadError as error:
        raise ValueError(str(error)) from error
    return text


def _kind_schema(schema: JsonDict) -> None:
    """Offer the built-in kinds in editors, and allow those of other packages."""
    schema.update(anyOf=[{"enum": list(registry.KINDS)}, {"type": "string"}])
    del schema["type"]


def _show_schema(schema: JsonDict) -> None:
    """Allow the number that Apple uses without quotes."""
    schema["anyOf"] = [{"type": ["string", "integer"]}, {"type": "null"}]


class FilterKeys(Keys):
    """Conditions on items; of several values of one key, any will do."""

    title: OneOrMore[Pattern] = Field(default=[], description=N_("A regular expression that is found in the title."))
    category: OneOrMore[Text] = Field(default=[], description=N_("A category."))
    type: OneOrMore[EpisodeType] = Field(default=[], description=N_("full, trailer or bonus."))
    longer_than: Length | None = Field(default=None, description=N_("A length, such as 20 min."))
    shorter_than: Length | None = Field(default=None, description=N_("A length, such as 1:30:00."))
    since: Day | None = Field(default=None, description=N_("The first day, such as 2024-05-01 (UTC)."))
    before: Day | None = Field(default=None, description=N_("The day after the last, such as 2025-01-01 (UTC)."))


class SourceFilterKeys(FilterKeys):
    """Conditions on the entries of a source."""

    show: OneOrMore[Text] = Field(default=[], description=N_("Name of the show, as the listing writes it."))


class RewriteKeys(Keys):
    """A rule that rewrites a field: each match of the pattern is replaced."""

    model_config = ConfigDict(str_strip_whitespace=False)

    field: RewrittenField = Field(
        description="The field: title, description, summary, author, link, image or enclosure."
    )
    pattern: Pattern = Field(description="A regular expression.")
    with_: str = Field("", alias="with", description=r"The replacement; \1 is the first group. Empty to cut the match.")

    @model_validator(mode="after")
    def _check_groups(self) -> Self:
        try:
            re.compile(f"{self.pattern}|").sub(self.with_, "")
        except (re.error, IndexError) as error:
            raise ValueError(f'with: "{self.with_}" does not fit the pattern: {error}') from error
        return self


_ONE_SHOW = N_("to keep only one show's entries write only: {show: NAME}")
_SAVED_COPY = N_("to read only a saved copy, write it as path")


class SourceKeys(Keys):
    """One place that lists items."""

    kind: Annotated[str, AfterValidator(_check_kind)] = Field(
        description="Kind of source: how it is fetched and read.", json_schema_extra=_kind_schema
    )
    url: WebAddress | None = Field(None, description="URL of the source.")
    path: Text | None = Field(None, description="A local file, relative to this config's folder.")
    show: Text | None = Field(
        None, description="Id of the show in the directory (Apple's number).", json_schema_extra=_show_schema
    )
    snapshot: Text | None = Field(
        None, description="A saved copy of the listing, used until the live source first answers."
    )
    history: OneOrMore[Text] = Field(
        default=[],
        description="Archived copies of the listing, URLs or files, that are read once for older items.",
    )
    follow_moves: bool = Field(
        default=False,
        description="Whether the address that a feed names as its new one (itunes:new-feed-url) is polled.",
    )
    only: SourceFilterKeys = Field(
        SourceFilterKeys(), description="Only entries that meet each of these conditions belong to the feed."
    )
    exclude: SourceFilterKeys = Field(
        SourceFilterKeys(), description="Entries that meet any of these conditions do not belong to the feed."
    )
    rewrite: list[RewriteKeys] = Field(
        default_factory=list, description="Rules that rewrite fields of its entries, one after the other."
    )
    full_text: bool = Field(
        default=False,
        description=N_("Whether the page of each post is fetched for its full text (needs readability-lxml)."),
    )
    trust: Annotated[float, Field(strict=True, ge=0, le=1)] | None = Field(
        None, description="How far the source is trusted, from 0 to 1 (default: by its kind)."
    )
    adds: Literal["always", "confirmed", "never"] | None = Field(
        None,
        description="Whether its new items are published at once, only when another source lists them, or never "
        "(default: by its trust).",
    )
    boilerplate: Literal["keep", "strip"] | None = Field(
        None,
        description="Whether text that it repeats at the ends of its descriptions, and that other sources lack, is cut "
        "(default: as the feed says, else kept for the most trusted source and cut for others).",
    )
    distrust_304_after_hours: Annotated[int, Field(strict=True, ge=24)] | None = Field(
        None,
        description="Hours of nothing but 304 answers after which the whole document is requested (default: never).",
    )
    allow_networks: list[Network] = Field(
        default_factory=list, description="Private networks (CIDR) that its own address may be in (default: none)."
    )
    headers: dict[HeaderName, Text] = Field(
        default_factory=dict,
        description="Header fields of requests to the host of url; ${NAME} is the environment variable NAME, or the "
        "content of the file that NAME_FILE names.",
    )
    ca: Text | None = Field(
        None,
        description="A file with certificates (PEM) that are trusted at its own host, too, relative to this config's "
        "folder: for a host with a certificate that it signed itself.",
    )
    options: dict[Text, Plain] = Field(
        default_factory=dict,
        description="Options of this kind of source.",
        json_schema_extra={"properties": {"genre": {"enum": list(get_args(Genre))}}},
    )

    @model_validator(mode="after")
    def _check_place(self) -> Self:
        """Check that exactly one key says where the source is, and that the kind can use it."""
        usable = registry.find(self.kind).places
        given = tuple(key for key in ("show", "url", "path") if getattr(self, key) is not None)
        for key in given:
            if key not in usable:
                refusal = N_(f"kind {self.kind} takes no {key}"), suggest(key, usable)
                raise ValueError("; ".join((*refusal, _ONE_SHOW) if key == "show" else refusal))
        if not given:
            missing = N_(f"kind {self.kind} needs one of these: {', '.join(usable)}")
            raise ValueError(f"{missing}; {_SAVED_COPY}" if self.snapshot else missing)
        if "path" in given and len(given) > 1:
            raise ValueError(f"{', '.join(given)} say where it is: keep one (write a saved copy as snapshot)")
        if self.headers and self.url is None:
            raise ValueError("headers need url: they are sent to its host alone")
        if self.ca and not (self.url or "").startswith("https:"):
            raise ValueError("ca needs url with https: it is for the certificate of its host")
        if "path" in given and self.snapshot:
            raise ValueError("path is always read, so the snapshot would never be used: keep one of them")
        return self

    @model_validator(mode="after")
    def _check_options(self) -> Self:
        """Check that the kind knows every option, and that none is missing that it needs."""
        kind = registry.find(self.kind)
        for name in self.options if kind.options is not None else ():
            if name not in (kind.options or ()):
                raise ValueError(f'kind {self.kind} has no option "{name}"; {suggest(name, kind.options or ())}')
        if (genre := self.options.get("genre")) not in (None, *get_args(Genre)):
            raise ValueError(f'option genre: "{genre}" is not allowed; {suggest(str(genre), get_args(Genre))}')
        for name in kind.needed:
            if name not in self.options:
                raise ValueError(f"kind {self.kind} needs the option {name}")
        return self


class PersonKeys(Keys):
    """A person who makes the show (``podcast:person``)."""

    name: Annotated[str, Field(min_length=1, max_length=128)]
    role: Text | None = None
    group: Text | None = None
    href: WebAddress | None = None
    img: WebAddress | None = None


class FundingKeys(Keys):
    """A page where listeners can give money (``podcast:funding``)."""

    url: WebAddress
    text: Annotated[str, Field(min_length=1, max_length=128)]


class DecisionKeys(Keys):
    """A decision about two entries or items, each named by entry id or guid."""

    same: Pair | None = None
    different: Pair | None = None

    @model_validator(mode="after")
    def _check_one(self) -> Self:
        if (self.same is None) == (self.different is None):
            raise ValueError("write one of same: [A, B] and different: [A, B]")
        return self


class PingKeys(Keys):
    """An index of podcasts that is told of changes; its address alone stands for a mapping with it."""

    url: WebAddress = Field(description="Address that is asked with ?url= and the address of podcast.xml.")
    token: Text | None = Field(None, description="Value of the header field Authorization; ${NAME} is a secret.")

    @model_validator(mode="before")
    @classmethod
    def _take_address(cls, value: object) -> object:
        """Take an address for a mapping."""
        return {"url": value} if isinstance(value, str) else value


class FeedNotifyKeys(Keys):
    """Addresses that are told of the news of a feed."""

    new: OneOrMore[Text] = Field(default=[], description="Apprise addresses that get a message about each new item.")


class FeedKeys(Keys):
    """One published feed and the sources it is merged from."""

    title: Text = Field(description=N_("Title of the feed."))
    sources: dict[SourceName, SourceKeys] = Field(
        min_length=1, description="The places that list the show, by name; their order does not matter."
    )
    primary: SourceName | None = Field(
        None, description=N_("The show's own source: it is trusted more than every other.")
    )
    refresh: Cron | None = Field(
        None, description="When its sources are due: cron, in UTC (default: learned from when the show publishes)."
    )
    link: WebAddress | None = Field(None, description=N_("Home page of the show."))
    description: Text | None = Field(None, description=N_("What the show is about."))
    language: Language | None = Field(None, description=N_("Language of the show."))
    author: Text | None = Field(None, description=N_("Who makes the show."))
    owner_email: Email | None = Field(
        None, description="Your e-mail address, published as the feed's owner; never taken from a source."
    )
    image: WebAddress | None = Field(None, description=N_("Artwork: JPEG or PNG, square, 1400 to 3000 pixels."))
    explicit: bool | None = Field(None, description=N_("Whether the show is explicit."))
    type: Literal["episodic", "serial"] | None = Field(
        None, description="Whether episodes stand alone (episodic) or are meant to be played in order (serial)."
    )
    categories: list[Category] = Field(default_factory=list, description="Categories of Apple Podcasts.")
    copyright: Text | None = Field(None, description="Copyright notice.")
    license: Text | None = Field(None, description="Licence: an SPDX identifier, or a name with license_url.")
    license_url: WebAddress | None = Field(None, description="URL of the licence.")
    locked: bool = Field(default=True, description="Whether other platforms must not import the feed.")
    block: bool = Field(default=False, description="Whether directories should not list the feed.")
    medium: _Medium | None = Field(None, description="Medium of the feed (podcast:medium).")
    complete: bool | None = Field(None, description="Whether there will be no more episodes.")
    guid: Guid | None = Field(None, description="The show's podcast:guid, if it already has one.")
    new_feed_url: WebAddress | None = Field(None, description="URL to which the feed has moved.")
    hubs: list[WebAddress] = Field(default_factory=list, description="WebSub hubs to notify of changes.")
    pings: list[PingKeys] = Field(
        default_factory=list, description="Indexes of podcasts that are told when podcast.xml has changed."
    )
    ttl_minutes: Whole | None = Field(None, description="How long readers may cache the feed, in minutes.")
    persons: list[PersonKeys] = Field(default_factory=list, description="Who makes the show (podcast:person).")
    funding: list[FundingKeys] = Field(
        default_factory=list, description="Where listeners can give money (podcast:funding)."
    )
    without: list[SourceName] = Field(
        default_factory=list,
        description="Sources of which nothing is published: they only tell which items are one, and with which guid.",
    )
    token: Token | None = Field(
        None,
        description="Makes the feed private: its folder is NAME-TOKEN, and no page or list names it. 16 to 64 letters, "
        "digits, dashes or underscores, or ${NAME} for an environment variable. none: a private feed becomes public.",
    )
    value: Literal["drop", "pass"] = Field(
        "drop", description="Whether payment addresses of the most trusted source (podcast:value) are passed on."
    )
    boilerplate: Literal["keep", "strip"] | None = Field(
        None,
        description="Whether text that sources repeat at the ends of their descriptions, and other copies lack, is "
        "cut (default: kept for the most trusted source and cut for others).",
    )
    window: int = Field(
        1000,
        strict=True,
        ge=0,
        description="Most items in the main file of a feed; older ones go to archive files. 0 puts all in one file.",
    )
    notify: FeedNotifyKeys = Field(FeedNotifyKeys(), description="Who is told of its news.")
    webhook: WebAddress | None = Field(
        None,
        description="URL that gets each new item as JSON, signed as Standard Webhooks describes; ${NAME} is a secret.",
    )
    webhook_secret: Text | None = Field(
        None, description="What the calls of the webhook are signed with: whsec_… (base64), any text, or ${NAME}."
    )
    rewrite: list[RewriteKeys] = Field(
        default_factory=list, description="Rules that rewrite fields of its items, one after the other."
    )
    mixed: bool = Field(
        default=False,
        description="Whether the sources are of several shows: items of different shows never become one.",
    )
    show_in_titles: bool = Field(default=False, description="Whether [Show] stands before each title.")
    video: Video | None = Field(
        None,
        description="Whether only video is published, video before audio, or no video (default: audio first, video as "
        "an alternative).",
    )
    show_sources: bool = Field(
        default=True, description=N_("Whether the pages say which sources list an item, and which value is whose.")
    )
    probe_enclosures: bool = Field(
        default=False, description="Whether to ask the audio's host once for a size that no source gave."
    )
    chapters: Literal["notes", "sources"] = Field(
        "notes",
        description="Whether an episode without chapters gets those that its notes list (notes), or none (sources).",
    )
    audio_grace: int = Field(
        7,
        strict=True,
        ge=0,
        description="Days after which audio of a source that fails, or lists the item no more, gives way to that of a "
        "source that lists it.",
    )
    only: FilterKeys = Field(FilterKeys(), description="Only items that meet each of these conditions are published.")
    exclude: FilterKeys = Field(FilterKeys(), description="Items that meet any of these conditions are not published.")
    probe_gone: int = Field(
        0,
        strict=True,
        ge=0,
        description="Days between two requests for audio that another source could replace; what is gone both times "
        "(404 or 410) gives way. 0 asks for none.",
    )
    decisions: list[DecisionKeys] = Field(default_factory=list, description="Your decisions about pairs of entries.")
    overrides: dict[Text, dict[ItemField, Plain]] = Field(
        default_factory=dict, description="Values that replace those of the sources, by guid and field."
    )
    buried: dict[Text, Text] = Field(
        default_factory=dict, description="Items to remove from the feed, by guid, each with the reason."
    )

    @model_validator(mode="after")
    def _check_primary(self) -> Self:
        if self.primary is not None and self.primary not in self.sources:
            raise ValueError(f"primary: there is no source {self.primary}; there are {', '.join(sorted(self.sources))}")
        return self

    @model_validator(mode="after")
    def _check_webhook(self) -> Self:
        """Check that calls of a webhook can be signed."""
        if (self.webhook is None) != (self.webhook_secret is None):
            raise ValueError("webhook and webhook_secret go together: calls are signed")
        return self

    @model_validator(mode="after")
    def _check_without(self) -> Self:
        """Check that the hidden sources are sources of the feed, and that another is left."""
        for name in self.without:
            if name not in self.sources:
                raise ValueError(f"without: there is no source {name}; there are {', '.join(sorted(self.sources))}")
        if set(self.without) >= set(self.sources):
            raise ValueError("without names every source: nothing would be published")
        return self

    @model_validator(mode="after")
    def _check_token(self) -> Self:
        """Check that the address of a private feed is not sent to a hub or an index."""
        for name in ("hubs", "pings"):
            if self.token not in (None, PUBLIC) and getattr(self, name):
                raise ValueError(
                    f"the address of a private feed would be sent to the {name}: keep one of token and {name}"
                )
        return self

    @model_validator(mode="after")
    def _check_license(self) -> Self:
        """Check that a licence's URL has a name."""
        if self.license_url and not self.license:
            raise ValueError("license_url needs license, the name of the licence")
        return self


DEFAULT_BASE_URL = "http://localhost:8000"


class DeskKeys(Keys):
    """Access to the desk from other machines than the one it runs on."""

    password: HashedPassword | None = Field(
        default=None, description="The password as `aggregator serve --hash-password` prints it."
    )
    trusted_header: HeaderName | None = Field(
        default=None, description="Header field by which a proxy names a person whom it let in, such as Remote-User."
    )
    trusted_networks: list[Network] = Field(
        default_factory=list, description="Networks (CIDR) of that proxy; the field is ignored in requests of others."
    )

    @model_validator(mode="after")
    def _check_networks(self) -> Self:
        """Check that a trusted header has networks, and networks a header."""
        if (self.trusted_header is None) != (not self.trusted_networks):
            raise ValueError("trusted_header and trusted_networks need each other: anyone can send a header")
        return self


class ApiKeys(Keys):
    """Access for programs."""

    token: ApiToken | None = Field(
        default=None, description="What programs send as their bearer token to /api/ of `aggregator serve`; or ${NAME}."
    )


def _make_feeds(value: object) -> object:
    """Return the feeds, none for a key without a value."""
    return {} if value is None else value


class ConfigKeys(Keys):
    """The whole config: where the aggregator stores and publishes, and the feeds it makes."""

    state: Text = Field(
        ".aggregator/store.db", description="The store: a file relative to this config's folder, or postgresql://…"
    )
    queue: QueueAddress | None = Field(
        None, description="Redis (redis://…) that carries feeds from the dispatcher to workers; needs PostgreSQL."
    )
    lease_seconds: int = Field(
        900, strict=True, ge=5, description="After which a feed of a worker that died is given to another (PostgreSQL)."
    )
    backups: Annotated[int, Field(strict=True, ge=0)] = Field(
        7, description="How many daily copies of the store are kept beside it; 0 for none."
    )
    output: OutputPlace = Field(
        "output", description="Folder of the published feeds, relative to this config's folder, or s3://bucket/prefix."
    )
    base_url: WebAddress = Field(DEFAULT_BASE_URL, description=N_("URL at which the output is served."))
    contact: ContactAddress | None = Field(
        None,
        description=N_("A page about you, or mailto: and your address, sent to every host, so that it can reach you."),
    )
    allow_networks: list[Network] = Field(
        default_factory=list,
        description=N_("Private networks (CIDR) that the sources' own addresses may be in (default: none)."),
    )
    proxy: ProxyAddress | None = Field(
        None, description="HTTP proxy for all requests (CONNECT); environment variables are not used."
    )
    obey_robots: bool = Field(
        default=False, description="Whether sources named here are fetched only if their robots.txt permits it."
    )
    notify: list[Text] = Field(
        default_factory=list,
        description="Apprise addresses that get a message when trouble begins and when it is over.",
    )
    notify_after: int = Field(
        3, strict=True, ge=1, description="Refreshes in a row in which a source must fail before a message is sent."
    )
    timezone: Zone | None = Field(
        None,
        description="Time zone of cron lines and of the times on pages, such as Europe/Berlin (default: UTC).",
    )
    languages: list[PageLanguage] = Field(
        default_factory=list,
        description="Languages in which all pages are published, beside that of their show (default: none).",
    )
    websub: bool = Field(
        default=False,
        description=N_(
            "Whether `aggregator serve` subscribes at the WebSub hubs that sources name; they call base_url."
        ),
    )
    opml: OneOrMore[Text] = Field(
        default=[],
        description="OPML lists, files or URLs, that the config is kept in step with: their new feeds are added to it.",
    )
    desk: DeskKeys = Field(DeskKeys(), description="Who may enter the desk (default: this machine alone).")
    api: ApiKeys = Field(ApiKeys(), description="Which programs may use the API (default: none).")
    feeds: Annotated[dict[FeedName, FeedKeys], BeforeValidator(_make_feeds)] = Field(
        default_factory=dict, description="The feeds, by the name of their folder; none yet in a new config."
    )

    @model_validator(mode="after")
    def _check_websub(self) -> Self:
        """Check that hubs can call the server that refreshes: by default base_url leads them to themselves."""
        if self.websub and self.base_url == DEFAULT_BASE_URL:
            raise ValueError("websub needs base_url: the address at which hubs reach aggregator serve")
        if self.websub and (self.queue or self.output.startswith("s3:")):
            raise ValueError(
                "websub needs aggregator serve to refresh, and to be what base_url leads to: no queue, no s3"
            )
        return self

    @model_validator(mode="after")
    def _check_queue(self) -> Self:
        """Check that a queue has a store that several machines can share."""
        if self.queue and not self.state.startswith("postgres"):
            raise ValueError("queue needs a store that several machines share: state: postgresql://…")
        return self


def json_schema() -> dict[str, object]:
    """Return the JSON Schema (2020-12) of config.yaml."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **ConfigKeys.model_json_schema()}


def json_schema_text() -> str:
    """Return the JSON Schema as the text of ``config.schema.json``."""
    return json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"
