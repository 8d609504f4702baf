"""Modules whose code runs when it is first needed: a refresh with nothing due pays for no merger and no network.

The program installs the table before it loads a command (``cli``). A module that is named here is found and entered
into ``sys.modules`` as any other, but its code runs when the first name in it is asked for. So every file imports
what it uses at its top, the floors stay visible to the linter and the types to mypy; what decides is whether a file
imports the *module* (``from aggregator import making``) or a name out of it, which runs it at once.

The mechanism is that of ``importlib.util.LazyLoader`` as Python 3.12 mended it (a lock for each module: CPython
gh-114763); that of 3.11 shows half a module to a second thread. Imports go down only, so the locks are always taken
from above to below and cannot wait for each other in a circle.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from threading import RLock
from types import ModuleType

FOREIGN = frozenset(
    {
        "dateutil.parser",  # feedgen's, for dates that come as text; ours ask it last
        "ftfy",  # its detector is asked of every text, all else of it where that found something
        "importlib.metadata",
        "numpy._core._add_newdocs",  # what numpy says to whoever asks for help
        "numpy._core._add_newdocs_scalars",
    }
)
"""What others load and hardly ever use: a twentieth of a small refresh. The parts of a package are found without it."""

LATE = FOREIGN | frozenset(
    {
        "aggregator.commands.bars",  # for a terminal
        "aggregator.fetchers.apple_catalogue",
        "aggregator.fetchers.apple_json",
        "aggregator.fetchers.apple_page",
        "aggregator.fetchers.apple_text",
        "aggregator.fetchers.doubt",
        "aggregator.fetchers.http.host_limits",
        "aggregator.fetchers.keys",
        "aggregator.fetchers.measure",
        "aggregator.fetchers.nursery",
        "aggregator.fetchers.http.robots",
        "aggregator.fetchers.recording",
        "aggregator.fetchers.sandbox",
        "aggregator.fetchers.shape",
        "aggregator.fetchers.http.client",
        "aggregator.generator.changes.history",
        "aggregator.generator.pages.view",
        "aggregator.learning",
        "aggregator.ledger.promises",
        "aggregator.ledger.recall",
        "aggregator.ledger.remember",
        "aggregator.making",
        "aggregator.merger.admission",
        "aggregator.merger.frame",
        "aggregator.merger.held",
        "aggregator.merger.match",
        "aggregator.merger.resolve",
        "aggregator.merger.sight",
        "aggregator.merger.table",
        "aggregator.merger.weights",
        "aggregator.probes",
        "aggregator.publish",
        "aggregator.stages",
    }
)
"""What a refresh needs only where a source is asked, a feed has something new, or several tell it."""

_KNOWN = frozenset({"__class__", "__spec__", "__name__", "__loader__", "__package__", "__path__", "__file__"})
"""What the import system itself asks of a module; nobody else's question can be answered by it."""


def install(names: frozenset[str] = LATE) -> None:
    """From now on, let the named modules wait; those already loaded stay as they are."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder(names))


def waiting(module: ModuleType) -> bool:
    """Was the module imported and its code not yet run?"""
    return object.__getattribute__(module, "__class__") is _Waiting


@dataclass(frozen=True, slots=True)
class _Finder:
    """Finds the modules of the table, with a loader that lets them wait."""

    names: frozenset[str]

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Where the module stands; ``None`` for a module of no concern."""
        spec = PathFinder.find_spec(name, path, target) if name in self.names else None
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _Later(name, spec.loader.path)
        return spec


class _Later(SourceFileLoader):
    """A loader that lets the module wait for its first use."""

    def exec_module(self, module: ModuleType) -> None:
        """Nothing yet."""
        spec = object.__getattribute__(module, "__spec__")
        spec.loader = module.__loader__ = SourceFileLoader(self.name, self.path)
        spec.loader_state = _State()
        module.__class__ = _Waiting


@dataclass(slots=True)
class _State:
    """Who may run the code, and whether somebody does."""

    lock: RLock = field(default_factory=RLock)
    runs: bool = False


class _Waiting(ModuleType):
    """A module whose code runs when anything in it is asked for."""

    def __getattribute__(self, name: str) -> object:
        """The attribute, once the code has run; to the code itself, as far as it has come."""
        if name in _KNOWN:
            return object.__getattribute__(self, name)
        spec = object.__getattribute__(self, "__spec__")
        with spec.loader_state.lock:
            if waiting(self) and not spec.loader_state.runs:
                spec.loader_state.runs = True
                try:
                    spec.loader.exec_module(self)
                finally:
                    spec.loader_state.runs = False
                ready: ModuleType = self
                ready.__class__ = ModuleType
            return ModuleType.__getattribute__(self, name)
