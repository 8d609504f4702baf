"""The files for several machines: what each says is there, and its commands run together."""

from __future__ import annotations

import json
import re
import time
import urllib.request
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import yaml

from aggregator.cli import COMMANDS
from aggregator.config.load import load
from aggregator.service import metrics, queue
from aggregator.store.leases import Counts
from tests.support.fleet import running_fleet
from tests.support.paths import ROOT
from tests.support.ports import find_port
from tests.support.servers import running_postgresql, running_redis

DEPLOY = ROOT / "docs" / "deploy"
KUBERNETES = [
    each for path in sorted((DEPLOY / "kubernetes").glob("*.yaml")) for each in yaml.safe_load_all(path.read_text())
]
DEPLOYMENTS = {each["metadata"]["name"]: each for each in KUBERNETES if each["kind"] == "Deployment"}


def read_compose() -> dict[str, Any]:
    return dict(yaml.safe_load((DEPLOY / "compose-fleet.yaml").read_text())["services"])


def container_of(name: str) -> dict[str, Any]:
    (container,) = DEPLOYMENTS[name]["spec"]["template"]["spec"]["containers"]
    return dict(container)


def test_compose_has_both_servers_a_dispatcher_two_workers_and_the_web() -> None:
    services = read_compose()
    assert sorted(services) == ["dispatcher", "postgres", "redis", "web", "worker"]
    assert services["worker"]["deploy"]["replicas"] == 2
    for name in ("dispatcher", "worker", "web"):
        service = services[name]
        assert service["command"][0] in COMMANDS
        assert (ROOT / service["build"]["dockerfile"]).exists()
        assert set(service["depends_on"]) == {"postgres", "redis"}
        assert service["read_only"]
    assert services["redis"]["command"][1:5] == ["--save", "", "--appendonly", "no"]


def test_kubernetes_runs_the_same_commands_as_compose() -> None:
    services = read_compose()
    for name in ("dispatcher", "worker"):
        assert container_of(f"aggregator-{name}")["args"] == services[name]["command"]
    assert container_of("aggregator-web")["args"][:5] == services["web"]["command"]


def test_every_pod_has_probes_is_nobody_and_mounts_what_is_there() -> None:
    names = {(each["kind"], each["metadata"]["name"]) for each in KUBERNETES}
    assert sorted(DEPLOYMENTS) == ["aggregator-dispatcher", "aggregator-web", "aggregator-worker"]
    for name, deployment in DEPLOYMENTS.items():
        pod, container = deployment["spec"]["template"]["spec"], container_of(name)
        assert deployment["spec"]["selector"]["matchLabels"] == deployment["spec"]["template"]["metadata"]["labels"]
        assert pod["securityContext"]["runAsNonRoot"]
        assert not container["securityContext"]["allowPrivilegeEscalation"]
        for probe in ("readinessProbe", "livenessProbe"):
            assert container[probe]["httpGet"]["path"] == ("/healthz" if name == "aggregator-web" else "/metrics")
            assert container[probe]["httpGet"]["port"] in {each["name"] for each in container["ports"]}
        assert {each["name"] for each in container["volumeMounts"]} == {each["name"] for each in pod["volumes"]}
        assert ("ConfigMap", pod["volumes"][0]["configMap"]["name"]) in names
        assert ("PersistentVolumeClaim", pod["volumes"][1]["persistentVolumeClaim"]["claimName"]) in names


def test_workers_follow_the_length_of_the_queue() -> None:
    (scaled,) = (each["spec"] for each in KUBERNETES if each["kind"] == "ScaledObject")
    assert scaled["scaleTargetRef"]["name"] in DEPLOYMENTS
    assert "replicas" not in DEPLOYMENTS["aggregator-worker"]["spec"], "the autoscaler sets it"
    (trigger,) = scaled["triggers"]
    assert (trigger["type"], trigger["metadata"]["listName"]) == ("redis", f"{queue.NAMESPACE}:{queue.QUEUE}")


def test_the_config_of_kubernetes_is_a_config(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(next(each for each in KUBERNETES if each["kind"] == "ConfigMap")["data"]["config.yaml"])
    config = load(path)
    assert config.queue is not None
    assert str(config.output) == "/data/output"


def test_the_dashboard_asks_for_metrics_that_exist() -> None:
    found = metrics.make_queue_registry(lambda: metrics.QueueCounts(Counts(1, 1, 1, 1, (0, 0, 0, 0)), 1, 1, 1))
    exist = {
        sample.name
        for registry in (found, metrics.make_worker_meter(None)[1])
        for metric in registry.collect()
        for sample in metric.samples
    }
    dashboard = json.loads((DEPLOY / "grafana.json").read_text())
    asked = {
        name
        for panel in dashboard["panels"]
        for target in panel["targets"]
        for name in re.findall(r"aggregator_\w+", target["expr"])
    }
    assert asked
    assert asked <= exist
    named = set(re.findall(r"aggregator_(?:queue|worker)_\w+", (DEPLOY / "README.md").read_text()))
    assert asked <= named <= exist


def answer_of(address: str, wanted: str, seconds: float = 180) -> str:
    """The answer, once it has the wanted text."""
    end, body = time.monotonic() + seconds, ""
    while time.monotonic() < end:
        with suppress(OSError), urllib.request.urlopen(address) as answer:  # noqa: S310 - on loopback
            body = answer.read().decode()
            if wanted in body:
                return body
        time.sleep(0.2)
    raise AssertionError(f"{address}: {body}")


def test_the_commands_of_compose_run_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REDIS_PASSWORD", "a:b@c")
    with (
        running_postgresql("-F") as postgresql,
        running_redis("a:b@c") as redis,
        running_fleet(tmp_path / "w") as fleet,
    ):
        queue = f"redis://:${{REDIS_PASSWORD}}@127.0.0.1:{redis.port}/0"
        config = fleet.config("config", postgresql.make_database("compose"), feeds=2, queue=queue)
        services, ports = read_compose(), []
        for name in ("dispatcher", "worker", "worker", "web"):
            ports.append(str(find_port()))
            words = [
                {"/srv/config.yaml": config.name, "9100": ports[-1]}.get(word, word)
                for word in services[name]["command"]
            ]
            fleet.start(*words, *(["--port", ports[-1]] if name == "web" else []))
        answer_of(f"http://127.0.0.1:{ports[3]}/show-1/feed.xml", "Show 1")
        answer_of(f"http://127.0.0.1:{ports[3]}/feeds.opml", "show-1")
        answer_of(f"http://127.0.0.1:{ports[0]}/metrics", "aggregator_queue_up 1.0")
        done = [answer_of(f"http://127.0.0.1:{port}/metrics", "worker_feeds_total") for port in ports[1:3]]
        assert sum(float(re.findall(r"worker_feeds_total (\S+)", each)[-1]) for each in done) >= 3
