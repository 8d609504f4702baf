"""The walk of one entry in docs/architecture.md names functions that exist, in the order in which they are called."""

import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from types import FrameType

import pytest

import aggregator
from aggregator import persist
from aggregator.config.load import load
from aggregator.fetchers import parse
from aggregator.model.source import Document, Source
from aggregator.processes import composer
from aggregator.processes.editions import Task
from aggregator.refresh import fetch, open_run
from aggregator.sandbox import calls
from aggregator.store.leases import lock_feeds

START = datetime(2024, 6, 1, 12, tzinfo=UTC)
PACKAGE = Path(aggregator.__file__).parent
TEXT = (PACKAGE.parent / "docs" / "architecture.md").read_text("utf-8")
MAIN, COMPOSER, PARSER = TEXT.split("## One entry,")[1].split("\n## ")[0].split("### In the ")[1:]


def named(section: str) -> list[str]:
    """The functions that a section names, in its order."""
    return re.findall(r"`([a-z_]+(?:\.[A-Za-z_]+)+)`", section)


@contextmanager
def tracing() -> Iterator[list[str]]:
    """The functions of the package that the body calls, in the order of their first calls, in any thread."""
    called: dict[str, None] = {}

    def profile(frame: FrameType, event: str, _: object) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(PACKAGE):
            module = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
            called.setdefault(f"{module}.{frame.f_code.co_qualname}")

    found: list[str] = []
    threading.setprofile(profile)
    sys.setprofile(profile)
    try:
        yield found
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]  # None is allowed
        found.extend(called)


def check(section: str, called: list[str]) -> None:
    names = named(section)
    missing = [name for name in names if name not in called]
    assert not missing, f"docs/architecture.md names what a refresh does not call: {missing}"
    in_order = sorted(names, key=called.index)
    late = next((name for name, right in zip(names, in_order, strict=True) if name != right), None)
    assert late is None, f"in docs/architecture.md {late} is not where it is called: {in_order}"


@pytest.fixture
def two_sources(project, origin, episode, rss):
    episodes = [episode(turn) for turn in range(4)]
    for name in ("host", "mirror"):
        origin.serve(f"/{name}.xml", rss(*episodes))
        project.sources[name] = origin.source(f"/{name}.xml", trust=len(name) / 10)
    return project


@pytest.mark.skipif(sys.gettrace() is not None, reason="the profiler is taken")
def test_the_walk_names_the_functions_of_a_refresh_in_their_order(two_sources) -> None:
    with tracing() as called:
        two_sources.refresh(force=False)
    check(MAIN, called)


def test_the_walk_names_the_functions_of_the_compose_process_in_their_order(two_sources) -> None:
    config = load(two_sources.config())
    with lock_feeds(config.state, ()) as store, open_run(config, store, START, config.plans) as run:
        for fetched in fetch(run):
            persist.write_fetched(run.store, fetched, run.at)
    task = Task(config.state, START, config.plans[0], str(config.output), packed=True)
    with tracing() as called:
        composer.run(calls.encode("compose", task), BytesIO(), lambda _text: None)
    check(COMPOSER, called)


def test_the_walk_names_the_functions_of_the_parser_in_their_order(episode, rss) -> None:
    document = Document(Source("host", "feed"), "https://host.example/feed.xml", rss(episode(1)).encode())
    with tracing() as called:
        parse.read(document)
    check(PARSER, called)
