"""The files that users copy: each is what its tool takes, and does what docs/deploy/README.md says of it."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from aggregator.cli import COMMANDS
from aggregator.config.load import load
from aggregator.text.times.cron import next_slot
from tests.support.paths import ROOT

DEPLOY = ROOT / "docs" / "deploy"
NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)


def command_of(line: str) -> list[str]:
    """The words after the program in a line that starts it."""
    words = shlex.split(line)
    found = next(number for number, word in enumerate(words) if word.endswith("bin/aggregator"))
    return words[found + 1 :]


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
def test_systemd_takes_its_units(tmp_path: Path) -> None:
    for name in ("aggregator.service", "aggregator.timer"):
        unit = (DEPLOY / name).read_text().replace("/opt/aggregator/bin/aggregator", shutil.which("true") or "")
        (tmp_path / name).write_text(unit)
    units = [tmp_path / "aggregator.service", tmp_path / "aggregator.timer"]
    verify = ["systemd-analyze", "verify", *units]
    done = subprocess.run(verify, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    added = tmp_path / "aggregator.service.d" / "serve.conf"
    added.parent.mkdir()
    added.write_text((DEPLOY / "serve.conf").read_text().replace("/opt/aggregator/bin/aggregator", "/bin/true"))
    done = subprocess.run(verify, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_service_can_be_the_server_instead() -> None:
    lines = (DEPLOY / "serve.conf").read_text().splitlines()
    assert lines.count("ExecStart=") == 1, "without it, the refresh of the unit stays"
    (start,) = [line for line in lines if line.startswith("ExecStart=/")]
    assert command_of(start) == ["serve"]
    assert "Type=exec" in lines


def test_the_service_is_one_refresh_that_may_find_another_at_work() -> None:
    unit = (DEPLOY / "aggregator.service").read_text()
    start = re.search(r"^ExecStart=(.+)$", unit, re.MULTILINE)
    assert start is not None
    assert command_of(start[1])[0] in COMMANDS
    for line in ("Type=oneshot", "SuccessExitStatus=4", "User=aggregator", "NoNewPrivileges=yes"):
        assert line in unit.splitlines()
    timer = (DEPLOY / "aggregator.timer").read_text().splitlines()
    assert "Persistent=true" in timer
    assert any(line.startswith("RandomizedDelaySec=") for line in timer)


def cron_lines() -> list[tuple[str, str]]:
    lines = (DEPLOY / "crontab").read_text().splitlines()
    jobs = [line.split(maxsplit=5) for line in lines if line[:1].isdigit() or line[:1] == "*"]
    return [(" ".join(job[:5]), job[5]) for job in jobs]


def test_cron_takes_its_lines() -> None:
    assert len(cron_lines()) == 2
    (refresh, refreshing), (backup, backing) = cron_lines()
    assert next_slot(refresh, NOON) == NOON + timedelta(minutes=7)
    assert next_slot(backup, NOON) == NOON + timedelta(hours=15, minutes=41)
    assert (command_of(refreshing)[0], command_of(backing)[0]) == ("refresh", "backup")
    assert re.search(r"(?<!\\)%", refreshing + backing) is None, "cron ends a line at a bare percent sign"


@pytest.mark.parametrize(("code", "wanted"), [(0, 0), (4, 0), (1, 1), (3, 1)])
def test_a_refresh_that_found_another_is_no_failure_for_cron(tmp_path: Path, code: int, wanted: int) -> None:
    program = tmp_path / "aggregator"
    program.write_text(f"#!/bin/sh\nexit {code}\n")
    program.chmod(0o755)
    line = cron_lines()[0][1].replace("/opt/aggregator/bin/aggregator", str(program))
    line = line.replace("/srv/aggregator", str(tmp_path))
    assert subprocess.run(["/bin/sh", "-c", line], check=False).returncode == wanted


def documents() -> dict[str, Any]:
    found = yaml.safe_load_all((DEPLOY / "cronjob.yaml").read_text())
    return {each["kind"]: each for each in found}


def test_the_cron_job_forbids_two_at_once_and_runs_as_nobody() -> None:
    job = documents()["CronJob"]["spec"]
    assert next_slot(job["schedule"], NOON) == NOON + timedelta(minutes=2)
    assert (job["concurrencyPolicy"], job["startingDeadlineSeconds"]) == ("Forbid", 300)
    pod = job["jobTemplate"]["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert container["args"][0] in COMMANDS
    assert pod["securityContext"]["runAsNonRoot"]
    assert not container["securityContext"]["allowPrivilegeEscalation"]
    mounted = {mount["name"] for mount in container["volumeMounts"]}
    assert mounted == {volume["name"] for volume in pod["volumes"]}


def test_the_config_of_the_cron_job_is_a_config(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(documents()["ConfigMap"]["data"]["config.yaml"])
    config = load(path)
    assert config.state == str(tmp_path / "data" / "store.db")


def test_the_image_is_made_of_the_wheel_and_is_not_root() -> None:
    text = re.sub(r"\\\n\s*", "", (DEPLOY / "Dockerfile").read_text())
    lines = [line.split(maxsplit=1) for line in text.splitlines() if line and not line.startswith("#")]
    last = max(number for number, (word, _) in enumerate(lines) if word == "FROM")
    made = dict(lines[last:])
    assert made["USER"].split(":")[0] == "10001"
    assert made["ENTRYPOINT"] == '["aggregator"]'
    assert yaml.safe_load(made["CMD"])[0] in COMMANDS
    assert any(word == "RUN" and "pip wheel" in rest for word, rest in lines[:last])
    copied = [name for word, rest in lines[:last] if word == "COPY" for name in rest.split()[:-1]]
    assert all((ROOT / name).exists() for name in copied)


def test_compose_for_one_machine_is_the_image_with_a_password_and_a_volume() -> None:
    text = (DEPLOY / "compose.yaml").read_text()
    assert sum(not line.startswith("#") for line in text.splitlines()) <= 10
    compose = yaml.safe_load(text)
    (service,) = compose["services"].values()
    assert set(service) == {"build", "restart", "environment", "ports", "volumes"}, "the image has the rest"
    assert (ROOT / service["build"]["dockerfile"]).exists()
    (variable,) = service["environment"]
    assert f'envvar="{variable}"' in (ROOT / "aggregator/commands/serve.py").read_text()
    assert service["environment"][variable].endswith(":?}"), "without a password it does not start"
    assert [each.split(":")[0] for each in service["ports"]] == ["127.0.0.1"]
    image = (DEPLOY / "Dockerfile").read_text()
    (volume,) = service["volumes"]
    assert f"VOLUME {volume.partition(':')[2]}\n" in image
    assert "/healthz" in image.partition("HEALTHCHECK")[2]


def test_every_file_stands_in_the_page_that_says_how_to_use_it() -> None:
    page = (DEPLOY / "README.md").read_text()
    files = {str(path.relative_to(DEPLOY)) for path in DEPLOY.rglob("*") if path.is_file()} - {"README.md"}
    assert [name for name in files if f"({name})" not in page] == []
