"""The config file is edited by one at a time, and what another program wrote meanwhile stays."""

from __future__ import annotations

import fcntl
import re
import time
from pathlib import Path

import pytest

from aggregator import subscriptions
from aggregator.config import edit, names
from aggregator.config.change import Addition, change_keys
from aggregator.config.load import Config, load
from aggregator.errors import ChangedError, ConfigError
from aggregator.model.subscription import Subscription


def trust(value: float) -> edit.Rewrite:
    return lambda before: change_keys(before, ("feeds", "oven", "sources", "feed"), {"trust": value})


OVEN = Addition("oven", "feed", (("kind", "feed"), ("url", "https://oven.example/feed")), "Ovens")
TEXT = "# mine\nfeeds:\n  talk: {title: Talk, sources: {a: {kind: feed, url: 'https://a.example/'}}}\n"


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "config.yaml"
    path.write_text(TEXT)
    return path


def plan_oven(_: Config | None) -> tuple[Addition, ...]:
    return (OVEN,)


def list_files(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def test_an_edit_sees_the_config_as_it_is_now(config: Path) -> None:
    known = load(config)
    subscriptions.add(config, [Subscription("Talk", "https://b.example/")])
    added = subscriptions.add(
        config, [Subscription("Talk", "https://c.example/"), Subscription("B", "https://b.example/")]
    )
    assert [(each.feed, dict(each.keys)["url"]) for each in added.additions] == [("talk-3", "https://c.example/")]
    assert [plan.name for plan in load(config).plans] == ["talk", "talk-2", "talk-3"]
    assert [plan.name for plan in known.plans] == ["talk"]
    assert list_files(config.parent) == [".config.yaml.lock", "config.yaml"]


def test_what_an_editor_changed_meanwhile_stays(config: Path) -> None:
    def write_meanwhile(_: Config | None) -> tuple[Addition, ...]:
        config.write_text(f"{TEXT}# and this\n")
        return (OVEN,)

    with pytest.raises(ChangedError, match=r"^[^\n]+: was changed by another program meanwhile\. Nothing was written"):
        edit.add(config, write_meanwhile)
    assert config.read_text() == f"{TEXT}# and this\n"
    edit.add(config, plan_oven)
    assert config.read_text().startswith(f"{TEXT}  oven:\n")
    assert config.read_text().endswith("# and this\n")


def test_a_config_made_meanwhile_stays(config: Path) -> None:
    def write_meanwhile(known: Config | None) -> tuple[Addition, ...]:
        assert known is None
        config.write_text(TEXT)
        return (OVEN,)

    config.unlink()
    with pytest.raises(ChangedError):
        edit.add(config, write_meanwhile)
    assert config.read_text() == TEXT


def test_the_mode_of_the_file_is_kept_and_never_wider(config: Path) -> None:
    config.chmod(0o640)
    edit.add(config, plan_oven)
    assert config.stat().st_mode & 0o777 == 0o640
    draft = edit.write_draft(config, trust(0.5), "draft-1")
    assert draft.stat().st_mode & 0o777 == 0o640
    with pytest.raises(ConfigError, match=r"config\.yaml: cannot be written \(\.config\.yaml\.draft-1\): File exists"):
        edit.write_draft(config, trust(0.6), "draft-1")
    assert "0.5" in draft.read_text()


def test_a_temporary_file_that_someone_left_or_laid_is_not_written(config: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text("kept")
    (tmp_path / ".config.yaml.partial").symlink_to(other)
    (tmp_path / ".config.yaml.00000000.partial").write_text("of a process that was killed")
    edit.add(config, plan_oven)
    assert other.read_text() == "kept"
    assert list_files(tmp_path) == [".config.yaml.lock", ".config.yaml.partial", "config.yaml", "other"]


def test_an_edit_waits_for_another_process(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edit, "_LOCK_SECONDS", 0)
    with (config.parent / ".config.yaml.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(ConfigError, match=r"config\.yaml: another process has been editing it"):
            edit.add(config, plan_oven)
    edit.add(config, plan_oven)


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(
        ConfigError, match=r"^[^\n]+config\.yaml: cannot be written \(\.config\.yaml\.lock\): No such file"
    ):
        edit.add(tmp_path / "none" / "config.yaml", plan_oven)


def test_many_subscriptions_take_seconds(config: Path) -> None:
    """A text that is parsed anew for each feed takes minutes."""
    subscriptions.add(config, [Subscription(f"Show {each % 7}", f"https://{each}.example/") for each in range(400)])
    others = [Subscription("Show", f"https://b{each}.example/") for each in range(400)]
    begun = time.process_time()
    assert len(subscriptions.add(config, others).additions) == 400
    assert time.process_time() - begun < 5


def test_a_long_name_stays_within_its_limit() -> None:
    assert [len(each) for each in names.find_free_names(["x" * 64] * 11, ["x" * 64])] == [64] * 11


def test_what_a_new_config_proposes_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    edit.make(path)
    proposed = re.sub(r"^# (?=\w+: )", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    path.write_text(proposed, encoding="utf-8")
    loaded = load(path)
    assert (loaded.base_url, loaded.contact) == ("https://feeds.example.org", "mailto:you@example.org")
