"""The keys of config.yaml from the top, and the JSON Schema that editors check them with."""

from __future__ import annotations

import json

from pydantic import Field

from aggregator.config.channel import FeedKeys
from aggregator.config.scalars import FeedName, Keys, Network, ProxyAddress, Text, WebAddress

SCHEMA_FILE = "config.schema.json"


class ConfigKeys(Keys):
    """The config of the aggregator: where it keeps and puts things, and the feeds it makes."""

    state: Text = Field(
        ".aggregator/store.db", description="The store: a file relative to this config's folder, or postgresql://…"
    )
    output: Text = Field("output", description="The folder of the published feeds, relative to this config's folder.")
    base_url: WebAddress = Field("http://localhost:8000", description="Where the output folder will be served.")
    contact: WebAddress | None = Field(
        None, description="A page about you, told to every origin in the User-Agent, so that it can reach you."
    )
    allow_networks: list[Network] = Field(
        default_factory=list, description="Private networks (CIDR) that sources may be in; none, unless given."
    )
    proxy: ProxyAddress | None = Field(
        None, description="A proxy that all questions go through (CONNECT); the environment names none."
    )
    obey_robots: bool = Field(
        default=False, description="Whether sources named here are asked only as their robots.txt permits."
    )
    feeds: dict[FeedName, FeedKeys] = Field(min_length=1, description="The feeds, each by the name of its folder.")


class BegunKeys(ConfigKeys):
    """A config that someone has begun: it may have no feed yet."""

    feeds: dict[FeedName, FeedKeys] | None = None  # type: ignore[assignment]  # pydantic's own way to loosen a field


def schema() -> dict[str, object]:
    """The JSON Schema (2020-12) of config.yaml."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **ConfigKeys.model_json_schema()}


def schema_text() -> str:
    """The JSON Schema as the file that is committed beside config.yaml."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"
