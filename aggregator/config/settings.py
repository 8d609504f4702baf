"""The settings that config.yaml makes."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from msgspec import Struct

from aggregator.errors import ConfigError
from aggregator.fetchers.http.polling import Policy
from aggregator.generator.storage.output import Output
from aggregator.model.feed import Plan


class DeskAccess(Struct, frozen=True):
    """Access to the desk: the hash of the password, and the header of a proxy in these networks (CIDR)."""

    password: str | None = None
    trusted_header: str | None = None
    trusted_networks: tuple[str, ...] = ()


class Config(Struct, frozen=True):
    """The settings of config.yaml, with all defaults and with absolute paths.

    - ``path``: the file itself.
    - ``state``: the store: a file, or a database URL (it contains ``://``).
    - ``base_url``: the URL of ``output``, without a final slash.
    - ``contact``: what is sent to hosts, so that they can reach a person.
    - ``allow_networks``: private networks (CIDR) that sources may be in.
    - ``plans``: the feeds, sorted by name.
    - ``proxy``: the URL of an HTTP proxy.
    - ``obey_robots``: whether robots.txt applies to configured URLs, too.
    - ``backups``: how many daily copies of the store are kept beside it.
    - ``notify``: addresses of Apprise, with the names of secrets.
    - ``notify_after``: for how many refreshes a source fails before a message is sent.
    - ``is_copy``: whether the state is a copy and the output an empty folder, for a preview: no message is sent.
    - ``desk``: who may enter the desk.
    - ``queue``: the address of the Redis between dispatcher and workers, ``None`` without one.
    - ``lease``: after which a feed of a worker that died is given to another.
    - ``opml``: lists of subscriptions, URLs or absolute paths, with which the config is kept in step.
    - ``api_token``: what programs send, or ``${NAME}``; empty if none may enter.
    - ``websub``: whether hubs that sources name are subscribed at.
    - ``timezone``: of cron lines, and of times on pages.
    """

    path: Path
    state: str
    output: Output
    base_url: str
    contact: str | None
    allow_networks: tuple[str, ...]
    plans: tuple[Plan, ...]
    proxy: str | None = None
    obey_robots: bool = False
    backups: int = 0
    notify: tuple[str, ...] = ()
    notify_after: int = 3
    is_copy: bool = False
    desk: DeskAccess = DeskAccess()
    queue: str | None = None
    lease: timedelta = timedelta(minutes=15)
    opml: tuple[str, ...] = ()
    api_token: str = ""
    websub: bool = False
    timezone: str = "UTC"

    @property
    def polling_policy(self) -> Policy:
        """Return how origins are polled."""
        return Policy(
            contact=self.contact or "",
            allow_networks=self.allow_networks,
            proxy=self.proxy or "",
            obey_robots=self.obey_robots,
        )

    def plan(self, name: str) -> Plan:
        """Return the plan of a feed; raise ConfigError if there is none of that name."""
        for plan in self.plans:
            if plan.name == name:
                return plan
        known = ", ".join(plan.name for plan in self.plans)
        raise ConfigError(f"{self.path}: there is no feed {name}; there are {known}")
