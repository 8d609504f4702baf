from __future__ import annotations

import itertools
from pathlib import Path

import jsonschema
import pytest
import yaml

from aggregator.config import parse
from aggregator.config.load import load
from aggregator.config.schema import json_schema, json_schema_text
from aggregator.config.settings import Config
from aggregator.errors import ConfigError
from aggregator.fetchers import registry
from aggregator.fetchers.directories import json_paths, page
from aggregator.generator.storage.output import Output
from aggregator.model.cluster import Decision
from aggregator.model.entry import Tag
from aggregator.model.item import Override
from aggregator.model.source import Conditions, Filter, Source
from tests.support.paths import ROOT

WHOLE = """
state: state/store.db
output: public
base_url: https://feeds.example.org/
contact: https://example.org/me
allow_networks: [192.168.0.0/16, 10.0.0.0/8]
proxy: http://proxy.example:3128
feeds:
  talk:
    title: 1984
    link: https://example.org/talk
    language: pt-BR
    explicit: no
    type: serial
    categories: [Technology, Society & Culture > Documentary]
    license: CC-BY-4.0
    refresh: "@daily"
    persons: [{name: Ada, role: host}]
    funding: [{url: "https://example.org/give", text: Give}]
    ttl_minutes: 90
    window: 50
    boilerplate: keep
    probe_enclosures: true
    decisions: [{different: [b, a]}, {same: [c, d]}]
    overrides: {guid-2: {season: 3, explicit: true}, guid-1: {title: "On"}}
    sources:
      zeta: {kind: page, path: zeta.html, only: {show: Talk, title: "^Talk"}, options: {items: li, day_first: yes}}
      alpha: {kind: apple, show: 1566080008, snapshot: rec/apple.txt, trust: 1, distrust_304_after_hours: 48}
"""


def written(folder: Path, text: str) -> Config:
    path = folder / "config.yaml"
    path.write_text(text, encoding="utf-8")
    return load(path)


def test_every_key_reaches_its_place(tmp_path: Path) -> None:
    config = written(tmp_path, WHOLE)
    (plan,) = config.plans
    channel = plan.channel
    assert (str(tmp_path / "state/store.db"), Output(tmp_path / "public")) == (config.state, config.output)
    assert config.allow_networks == ("10.0.0.0/8", "192.168.0.0/16")
    assert config.proxy == "http://proxy.example:3128"
    assert (config.base_url, channel.base_url) == ("https://feeds.example.org", "https://feeds.example.org/talk")
    assert (channel.title, channel.explicit, channel.type, channel.ttl) == ("1984", False, "serial", 90)
    assert channel.categories == (("Technology",), ("Society & Culture", "Documentary"))
    assert (
        Tag("podcast:person", "Ada", (("role", "host"),)),
        Tag("podcast:funding", "Give", (("url", "https://example.org/give"),)),
    ) == channel.tags
    assert (plan.refresh, plan.boilerplate, plan.window, plan.probe_enclosures) == ("@daily", "keep", 50, True)
    assert (Decision("different", "a", "b"), Decision("same", "c", "d")) == plan.decisions
    assert (
        Override("guid-1", "title", "On"),
        Override("guid-2", "explicit", "true"),
        Override("guid-2", "season", "3"),
    ) == plan.overrides


def test_sources_are_sorted_and_absolute(tmp_path: Path) -> None:
    alpha, zeta = written(tmp_path, WHOLE).plans[0].sources
    recording = str(tmp_path / "rec/apple.txt")
    assert Source("alpha", "apple", None, None, recording, "1566080008", trust=1.0, distrust_304_after=48) == alpha
    assert zeta == Source(
        "zeta",
        "page",
        path=str(tmp_path / "zeta.html"),
        filter=Filter(Conditions(show=("Talk",), title=("^Talk",))),
        trust=0.3,
        options=(("day_first", "yes"), ("items", "li")),
    )


def test_the_order_of_sources_never_matters(tmp_path: Path) -> None:
    rows = [f"      {name}: {{kind: feed, path: {name}.xml}}\n" for name in ("c", "a", "b")]
    head = "feeds:\n  talk:\n    title: T\n    sources:\n"
    answers = {written(tmp_path, head + "".join(order)) for order in itertools.permutations(rows)}
    assert len(answers) == 1


def test_a_database_address_is_no_file(tmp_path: Path) -> None:
    config = written(tmp_path, WHOLE.replace("state/store.db", "postgresql://localhost/aggregator"))
    assert config.state == "postgresql://localhost/aggregator"


def test_words_that_yaml_1_1_misreads_stay_words(tmp_path: Path) -> None:
    text = WHOLE.replace("1984", "2024-05-01").replace("Talk, title", "no, title")
    (plan,) = written(tmp_path, text).plans
    assert (plan.channel.title, plan.sources[1].filter.only.show) == ("2024-05-01", ("no",))


def test_the_projects_own_config_is_sound() -> None:
    config = load(ROOT / "config.yaml")
    assert [plan.name for plan in config.plans] == ["pytorch-dev-podcast"]
    assert all(Path(source.snapshot).is_absolute() for source in config.plans[0].sources if source.snapshot)


def test_the_schema_is_fresh_and_named_by_the_config() -> None:
    assert (ROOT / "config.schema.json").read_text(encoding="utf-8") == json_schema_text(), (
        "run: aggregator check --schema > config.schema.json"
    )
    first = (ROOT / "config.yaml").read_text(encoding="utf-8").splitlines()[0]
    assert first == "# yaml-language-server: $schema=config.schema.json"


def test_the_schema_agrees_with_the_config() -> None:
    own = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(json_schema())
    jsonschema.validate(own, json_schema())
    own["feeds"]["pytorch-dev-podcast"]["sources"]["casts"]["onyl"] = {}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(own, json_schema())


def test_the_options_of_a_page_are_those_it_reads() -> None:
    assert set(registry.find("page").options or ()) == {*page._SELECTORS, *page._VALUES}
    read = {*json_paths._FIELDS, "items", "script", "next", "next_query", "genre", "day_first", "show", "unit"}
    assert set(registry.find("json").options or ()) == read


def test_trust_falls_in_the_order_of_the_kinds() -> None:
    order = ("simplecast", "feed", "jsonfeed", "apple", "blog", "json", "listing", "page")
    trusts = [registry.find(kind).trust for kind in order]
    assert trusts == sorted(trusts, reverse=True)


@pytest.mark.parametrize(
    "text",
    [
        "a: {b: [1, -2, 3.5, 1e3, ~, true, no, '1', 12:30, 2024-05-01], c: }",
        "a: &a {b: 1}\nc: {<<: *a, d: 2}",
        "a: &a [1, 2]\nb: *a\nc: &c x\nd: *c",
        "1: a\n'2': b\ntrue: c",
        "a: !!str 5\nb: !!int 5\nc: !!float 5",
        "[a, {b: c}, [], {}]",
        "just text",
        "a: |\n  two\n  lines\nb: >\n  one\n  line",
    ],
)
def test_values_are_those_that_pyyaml_makes_with_our_scalars(text: str) -> None:
    loader = parse._Loader(text)
    expected = loader.construct_document(loader.get_single_node())
    loader.dispose()
    assert repr(expected) == repr(parse.parse(text, "c.yaml").values)


@pytest.mark.parametrize("title", ["Salt &amp;amp; Bread", "Salt &amp; <b>Bread</b>", "Salt & Bread"])
def test_the_title_of_a_feed_is_cleaned_once(title: str, tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(f"feeds: {{talk: {{title: '{title}', sources: {{a: {{kind: feed, path: a.xml}}}}}}}}\n")
    assert [plan.channel.title for plan in load(path).plans] == ["Salt & Bread"]


def test_cron_lines_are_in_the_zone_of_the_config_unless_they_name_one(tmp_path: Path) -> None:
    sources = "sources: {host: {kind: feed, url: 'https://a.example/'}}"
    lines = {"a": "0 6 * * *", "b": "CRON_TZ=Asia/Tokyo 0 6 * * *"}
    feeds = "".join(f"  {name}: {{title: T, refresh: '{line}', {sources}}}\n" for name, line in lines.items())
    path = tmp_path / "config.yaml"
    path.write_text(f"timezone: Europe/Berlin\nfeeds:\n{feeds}  c: {{title: T, {sources}}}\n")
    assert [plan.refresh for plan in load(path).plans] == ["CRON_TZ=Europe/Berlin 0 6 * * *", lines["b"], None]
    path.write_text(path.read_text().replace("Europe/Berlin", "Europe/Berlyn"))
    with pytest.raises(ConfigError, match=r'config\.yaml:1: timezone: no time zone "Europe/Berlyn" is known here'):
        load(path)


def test_pages_have_the_zone_and_the_languages_of_the_config(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    feeds = "feeds: {a: {title: T, language: fr, sources: {host: {kind: feed, url: 'https://a.example/'}}}}\n"
    path.write_text(f"timezone: Europe/Berlin\nlanguages: [de, en, de]\n{feeds}")
    (plan,) = load(path).plans
    assert (plan.channel.timezone, plan.channel.languages) == ("Europe/Berlin", ("de", "en"))
    path.write_text(f"languages: [de, nl]\n{feeds}")
    with pytest.raises(ConfigError, match=r"config\.yaml:1: languages"):
        load(path)
