"""The settings of a source: trust, filters and options, with what a change would do to the feed before it is saved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from msgspec import Struct

from aggregator.config import edit
from aggregator.config.change import Keys, make_digest, read_source
from aggregator.config.parse import parse
from aggregator.config.schema import SourceFilterKeys
from aggregator.errors import ConfigError
from aggregator.fetchers import registry
from aggregator.model.feed import Plan
from aggregator.model.source import Source
from aggregator.service.desk.changes import FeedChanges, read_comparison
from aggregator.service.desk.frame import Act, ActResult, Button, Desk, Page, PageRequest
from aggregator.service.desk.jobs import BusyError, Job
from aggregator.service.desk.source import find_source

_KIND: Final = "preview"
_FILTERS: Final = {"only": "Only entries that meet each of these", "exclude": "No entries that meet any of these"}


class _Setting(Struct, frozen=True):
    """A field of the form: its name there, what it means, its value; ``several`` values stand on lines."""

    field: str
    name: str
    help: str
    value: str
    several: bool = False


class _Group(Struct, frozen=True):
    """Settings that belong together."""

    title: str
    settings: tuple[_Setting, ...]


class _Preview(Struct, frozen=True):
    """A change before it is saved: its fields, and what it would do, once that is known."""

    fields: Mapping[str, str]
    running: int | None
    problems: tuple[str, ...]
    feeds: tuple[FeedChanges, ...]
    can_be_saved: bool = False


class _SettingsPage(Struct, frozen=True):
    """The settings of a source; ``seen`` is the state of the config that the form was made of."""

    feed: str
    name: str
    kind: str
    groups: tuple[_Group, ...]
    seen: str
    preview: _Preview | None


class _Draft(Struct, frozen=True):
    feed: str
    source: str
    fields: Mapping[str, str]
    job: Job | None = None
    mistakes: tuple[str, ...] = ()


def _show_settings(desk: Desk, request: PageRequest) -> _SettingsPage:
    """Gather the settings of a source as its config has them, or as the preview with the number ``draft`` has them."""
    plan = desk.find_plan(request)
    source = find_source(plan, request)
    keys = _read(desk, plan, source)
    draft = desk.cache.find(request.query.get("draft", ""))
    preview, fields = None, {**_format_fields(keys), "seen": make_digest(keys)}
    if isinstance(draft, _Draft) and (draft.feed, draft.source) == (plan.name, source.name):
        preview, fields = _make_preview(draft), dict(draft.fields)
    groups = tuple(_list_groups(source, fields))
    return _SettingsPage(plan.name, source.name, source.kind, groups, fields["seen"], preview)


def _read(desk: Desk, plan: Plan, source: Source) -> Keys:
    """Return the keys of a source as the file has them now; raise ConfigError if the file has mistakes."""
    path = desk.config.path
    if desk.mistakes:
        raise ConfigError(desk.mistakes)
    return read_source(parse(path.read_text(encoding="utf-8-sig"), path.name), plan.name, source.name)


def _make_preview(draft: _Draft) -> _Preview:
    job = draft.job
    if job is None:
        return _Preview(draft.fields, None, draft.mistakes, ())
    if job.code is None:
        return _Preview(draft.fields, job.number, (), ())
    return _Preview(draft.fields, None, tuple(job.lines[:50]), read_comparison(job)[0], can_be_saved=job.code == 0)


def _format_fields(keys: Keys) -> dict[str, str]:
    """Return the settings that the keys of a source have, by the names of their fields in the form."""
    groups = {name: keys.get(name) or {} for name in (*_FILTERS, "options")}
    fields = {f"{group}.{name}": value for group, values in groups.items() for name, value in values.items()}
    return {name: _format(value) for name, value in {"trust": keys.get("trust"), **fields}.items()}


def _format(value: object) -> str:
    return "\n".join(map(str, value)) if isinstance(value, list) else "" if value is None else str(value)


def _list_groups(source: Source, fields: Mapping[str, str]) -> Iterator[_Group]:
    """Yield all settings that the source may have, with the values of those that are among the fields."""

    def make(field: str, name: str, help_: str = "", *, several: bool = False) -> _Setting:
        return _Setting(field, name, help_, fields.get(field, ""), several)

    kind = registry.find(source.kind)
    help_ = f"How far the source is trusted, from 0 to 1; {kind.trust:g} if nothing is set."
    yield _Group("Trust", (make("trust", "trust", help_),))
    for group, title in _FILTERS.items():
        known = SourceFilterKeys.model_fields.items()
        conditions = (
            make(f"{group}.{name}", name.replace("_", " "), key.description or "", several=key.default == [])
            for name, key in known
        )
        yield _Group(title, tuple(conditions))
    given = (name.removeprefix("options.") for name in fields if name.startswith("options."))
    if names := dict.fromkeys((*(kind.options or ()), *given)):
        yield _Group(f"Options of kind {source.kind}", tuple(make(f"options.{name}", name) for name in names))


def _parse(groups: Iterable[_Group], form: Mapping[str, str]) -> tuple[dict[str, str], dict[str, Any]]:
    """Return the fields of a form that belong to the settings, and the keys of the config that they mean."""
    fields = {"seen": form.get("seen", "")}
    keys: dict[str, Any] = {"trust": None, "only": {}, "exclude": {}}
    for setting in (setting for group in groups for setting in group.settings):
        fields[setting.field] = text = form.get(setting.field, "").replace("\r\n", "\n").strip()
        key, _, name = setting.field.partition(".")
        if not name:
            keys[key] = _parse_number(text)
        elif text:
            lines = [line.strip() for line in text.split("\n") if line.strip()] if setting.several else [text]
            keys.setdefault(key, {})[name] = lines if len(lines) > 1 else lines[0]
        else:
            keys.setdefault(key, {})
    return fields, keys


def _parse_number(text: str) -> object:
    """Return a number of the form; what is none is left to the check of the config."""
    try:
        return float(text) if text else None
    except ValueError:
        return text


def _preview(desk: Desk, request: PageRequest) -> ActResult:
    """Find what a change would do to the feed, as ``aggregator diff`` says it with the config changed so."""
    plan = desk.find_plan(request)
    source = find_source(plan, request)
    fields, keys = _parse(_list_groups(source, _format_fields(_read(desk, plan, source))), request.form)
    number = desk.cache.add(request.visitor, None)
    then = f"/feeds/{plan.name}/sources/{source.name}/settings?draft={number}"
    try:
        file = edit.write_draft(desk.config.path, plan.name, source.name, keys, f"draft-{number}")
    except ConfigError as error:
        draft = _Draft(plan.name, source.name, fields, mistakes=tuple(str(error).splitlines()))
        desk.cache.add(request.visitor, draft, number)
        return ActResult(then)
    words = ("diff", "--json", "--feed", plan.name)
    try:
        job = desk.jobs.start(_KIND, plan.name, words, as_json=True, draft=file, then=then)
    except BusyError:
        file.unlink(missing_ok=True)
        raise
    desk.cache.add(request.visitor, _Draft(plan.name, source.name, fields, job), number)
    return ActResult(f"/jobs/{job.number}")


def _save(desk: Desk, request: PageRequest) -> ActResult:
    """Write a change into the config."""
    plan = desk.find_plan(request)
    source = find_source(plan, request)
    before = _format_fields(_read(desk, plan, source))
    fields, keys = _parse(_list_groups(source, before), request.form)
    edit.change(desk.config.path, plan.name, source.name, keys, seen=fields["seen"])
    before["seen"] = make_digest(_read(desk, plan, source))
    undo = Button("Undo", f"/feeds/{plan.name}/sources/{source.name}/settings/save", before)
    return ActResult(f"/feeds/{plan.name}/sources/{source.name}", "Saved; it counts from the next refresh on.", undo)


PAGES = (Page("/feeds/{feed}/sources/{source}/settings", "settings.html.j2", _show_settings),)
ACTS = (
    Act("/feeds/{feed}/sources/{source}/settings/preview", _preview),
    Act("/feeds/{feed}/sources/{source}/settings/save", _save),
)
