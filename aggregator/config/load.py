"""config.yaml -> Config, or one line for each thing that is wrong with it."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct
from pydantic import ValidationError

from aggregator.config import plan as plans
from aggregator.config.keys import BegunKeys, ConfigKeys, schema
from aggregator.config.messages import tell
from aggregator.config.parse import Parsed, parse
from aggregator.errors import ConfigError
from aggregator.model.feed import Plan

DEFAULT = Path("config.yaml")


class Config(Struct, frozen=True):
    """The settings of config.yaml, with every default filled in and every path absolute.

    ``path`` is the file itself. ``state`` is the store's file, or a database URL (it holds ``://``). ``base_url``
    is where ``output`` is served, without a final slash. ``contact`` is told to origins, ``None`` where not given.
    ``allow_networks`` are CIDR networks. ``plans`` are the feeds, sorted by name. ``proxy`` is the address of the proxy
    that origins are asked through, ``None`` where they are asked from here. ``obey_robots`` is whether a robots.txt is
    obeyed for configured addresses.
    """

    path: Path
    state: str
    output: Path
    base_url: str
    contact: str | None
    allow_networks: tuple[str, ...]
    plans: tuple[Plan, ...]
    proxy: str | None = None
    obey_robots: bool = False

    def plan(self, name: str) -> Plan:
        """Return the plan of a feed. Raises ConfigError for a name that the config does not have."""
        for plan in self.plans:
            if plan.name == name:
                return plan
        known = ", ".join(plan.name for plan in self.plans)
        raise ConfigError(f"{self.path}: there is no feed {name}; there are {known}")


def load(path: Path, *, begun: bool = False) -> Config:
    """The config that a file holds; one that was only ``begun`` may have no feed.

    Raises ConfigError with one line for each mistake, in the order of the file.
    """
    parsed = parse(_text(path), str(path))
    keys = _check(parsed, str(path), begun=begun)
    folder = path.resolve().parent
    base_url = keys.base_url.rstrip("/")
    return Config(
        path=path.resolve(),
        state=keys.state if "://" in keys.state else str(folder / keys.state),
        output=folder / keys.output,
        base_url=base_url,
        contact=keys.contact,
        allow_networks=tuple(sorted(keys.allow_networks)),
        plans=tuple(plans.plan(name, feed, base_url, folder) for name, feed in sorted((keys.feeds or {}).items())),
        proxy=keys.proxy,
        obey_robots=keys.obey_robots,
    )


def check(text: str, name: str, *, begun: bool = False) -> ConfigKeys:
    """Return the checked keys of a config's text; ``name`` is how errors call the file. Raises ConfigError."""
    return _check(parse(text, name), name, begun=begun)


def _check(parsed: Parsed, name: str, *, begun: bool) -> ConfigKeys:
    try:
        return (BegunKeys if begun else ConfigKeys).model_validate({} if parsed.values is None else parsed.values)
    except ValidationError as error:
        found = error.errors(include_url=False)
        raise ConfigError("\n".join(tell(found, name, parsed.lines, schema()))) from error


def _text(path: Path) -> str:
    """The text of a config file. Raises ConfigError."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}; -c FILE names another config") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 at byte {error.start}") from error
