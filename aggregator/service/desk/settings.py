"""The settings of a source, a feed or the server, with what a change would do to the feeds before it is saved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, Final, Literal, get_args

from msgspec import Struct
from msgspec.structs import replace

from aggregator.config import edit
from aggregator.config.change import Keys, Place, change_keys, make_digest, read_keys
from aggregator.config.parse import parse
from aggregator.config.scalars import Keys as SchemaKeys
from aggregator.config.schema import ConfigKeys, FeedKeys, FilterKeys, SourceFilterKeys, SourceKeys
from aggregator.errors import ConfigError
from aggregator.fetchers import registry
from aggregator.model.entry import Genre
from aggregator.model.feed import Plan
from aggregator.model.source import Source
from aggregator.service.desk.changes import FeedChanges, read_comparison
from aggregator.service.desk.errors import BusyError
from aggregator.service.desk.frame import Act, ActResult, Button, Desk, Page, PageRequest
from aggregator.service.desk.jobs import Job
from aggregator.service.desk.source import find_source
from aggregator.translation.locale import ENGLISH, Locale
from aggregator.translation.marks import N_

_KIND: Final = "preview"
_FILTERS: Final = ("only", "exclude")
_FILTER_TITLES: Final[Mapping[tuple[str, bool], str]] = {
    ("only", False): N_("Only items that meet each of these"),
    ("exclude", False): N_("No items that meet any of these"),
    ("only", True): N_("Only entries that meet each of these"),
    ("exclude", True): N_("No entries that meet any of these"),
}
"""Titles of filters, by whether they are of a source."""

_OF_A_SHOW: Final = ("title", "description", "link", "author", "language", "image", "explicit")
_CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    "switch": ("yes", "no"),
    "day_first": ("yes", "no"),
    "genre": get_args(Genre),
}


class _Setting(Struct, frozen=True):
    """A field of the form: its name there, what it means, its value, and the values to choose from, if these are known.

    Of ``lines`` each is a value, and a single one is written without a list where the config takes that; a ``switch``
    is yes or no.
    """

    field: str
    name: str
    help: str
    value: str
    type: Literal["text", "lines", "list", "number", "switch"] = "text"
    choices: tuple[str, ...] = ()


class _Group(Struct, frozen=True):
    """Settings that belong together; ``is_open`` if any is set."""

    title: str
    settings: tuple[_Setting, ...]
    is_open: bool


class _Target(Struct, frozen=True):
    """A thing that has settings: its name, its page below the desk, and its place in the config.

    That is a source of a feed, a feed without ``source``, or the server without both.
    """

    name: str
    page: str
    place: Place
    plan: Plan | None = None
    source: Source | None = None


class _Preview(Struct, frozen=True):
    """A change before it is saved: its fields, and what it would do, once that is known."""

    fields: Mapping[str, str]
    running: int | None
    problems: tuple[str, ...]
    feeds: tuple[FeedChanges, ...]
    can_be_saved: bool = False


class _SettingsPage(Struct, frozen=True):
    """The settings of a source, a feed, or the server; ``seen`` is the state of the config that the form was made of.

    ``can_choose`` is whether the source is a page whose elements are chosen.
    """

    name: str
    page: str
    groups: tuple[_Group, ...]
    seen: str
    preview: _Preview | None
    can_choose: bool


class _Draft(Struct, frozen=True):
    place: Place
    fields: Mapping[str, str]
    job: Job | None = None
    mistakes: tuple[str, ...] = ()


def _find_target(desk: Desk, request: PageRequest) -> _Target:
    """Return the thing that the address names; raise MissingError."""
    if "feed" not in request.names:
        return _Target("the server", "/system", ())
    plan = desk.find_plan(request)
    page, place = f"/feeds/{plan.name}", ("feeds", plan.name)
    if "source" not in request.names:
        return _Target(plan.name, page, place, plan)
    source = find_source(plan, request)
    return _Target(source.name, f"{page}/sources/{source.name}", (*place, "sources", source.name), plan, source)


def _show_settings(desk: Desk, request: PageRequest) -> _SettingsPage:
    """Gather settings as the config has them, or as the preview with the number ``draft`` has them."""
    target = _find_target(desk, request)
    keys = _read(desk, target)
    draft = desk.cache.find(request.query.get("draft", ""))
    preview, fields = None, {**_format_fields(keys), "seen": make_digest(keys)}
    if isinstance(draft, _Draft) and draft.place == target.place:
        preview, fields = _make_preview(draft), dict(draft.fields)
    groups = tuple(_list_groups(target, fields, request.locale))
    can_choose = target.source is not None and target.source.kind == "page" and target.source.url is not None
    return _SettingsPage(target.name, target.page, groups, fields["seen"], preview, can_choose)


def _read(desk: Desk, target: _Target) -> Keys:
    """Return the keys of a place as the file has them now; raise ConfigError if the file has mistakes."""
    path = desk.config.path
    if desk.mistakes:
        raise ConfigError(desk.mistakes)
    return read_keys(parse(path.read_text(encoding="utf-8-sig"), path.name), target.place)


def _make_preview(draft: _Draft) -> _Preview:
    job = draft.job
    if job is None:
        return _Preview(draft.fields, None, draft.mistakes, (), can_be_saved=not draft.mistakes)
    if job.code is None:
        return _Preview(draft.fields, job.number, (), ())
    feeds, _ = read_comparison(job)
    return _Preview(draft.fields, None, tuple(job.lines[:50]), feeds, can_be_saved=job.code == 0)


def _format_fields(keys: Keys) -> dict[str, str]:
    """Return the settings among the keys of a place, by the names of their fields in the form."""
    fields: dict[str, str] = {}
    for name, value in keys.items():
        if name in (*_FILTERS, "options"):
            fields |= {f"{name}.{inner}": _format(each) for inner, each in (value or {}).items()}
        elif not isinstance(value, dict):
            fields[name] = _format(value)
    return fields


def _format(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "\n".join(map(str, value)) if isinstance(value, list) else "" if value is None else str(value)


def _list_groups(target: _Target, fields: Mapping[str, str], locale: Locale = ENGLISH) -> Iterator[_Group]:
    """Yield all settings that the target may have, with the values of those that are among the fields."""

    def group(title: str, settings: Iterable[_Setting]) -> _Group:
        filled = tuple(
            replace(each, value=fields.get(each.field, ""), help=locale.gettext(each.help)) for each in settings
        )
        return _Group(title, filled, any(each.value for each in filled))

    if target.plan is None:
        yield group(
            locale.gettext("Address"),
            (_describe(ConfigKeys, name) for name in ("base_url", "websub", "contact", "allow_networks")),
        )
        return
    if target.source is None:
        yield group(locale.gettext("The show"), (_describe(FeedKeys, name) for name in _OF_A_SHOW))
        names = tuple(source.name for source in target.plan.sources)
        yield group(
            locale.gettext("Sources"), (_describe(FeedKeys, "primary", names), _describe(FeedKeys, "show_sources"))
        )
    else:
        kind = registry.find(target.source.kind)
        help_ = locale.gettext(
            "How far the source is trusted, from 0 to 1; %(trust)s if nothing is set.", trust=f"{kind.trust:g}"
        )
        yield group(locale.gettext("Trust"), (_Setting("trust", "trust", help_, "", "number"),))
        yield group(locale.gettext("Texts"), (_describe(SourceKeys, "full_text"),))
    of = FilterKeys if target.source is None else SourceFilterKeys
    for name in _FILTERS:
        title = locale.gettext(_FILTER_TITLES[name, target.source is not None])
        conditions = (_describe(of, each) for each in of.model_fields)
        yield group(title, (replace(each, field=f"{name}.{each.field}") for each in conditions))
    if target.source is not None:
        kind = registry.find(target.source.kind)
        given = (name.removeprefix("options.") for name in fields if name.startswith("options."))
        if options := dict.fromkeys((*(kind.options or ()), *given)):
            yield group(
                locale.gettext("Options of kind %(kind)s", kind=target.source.kind),
                (_Setting(f"options.{name}", name, "", "", choices=_CHOICES.get(name, ())) for name in options),
            )


def _describe(keys: type[SchemaKeys], name: str, choices: tuple[str, ...] = ()) -> _Setting:
    """Return a setting as the schema of the config describes it, without a value."""
    field = keys.model_fields[name]
    is_switch = field.annotation in (bool, bool | None)
    kind: Literal["text", "lines", "list", "switch"] = "switch" if is_switch else "text"
    if field.default_factory is list or field.default == []:
        kind = "list" if field.default_factory else "lines"
    return _Setting(
        name,
        name.replace("_", " "),
        field.description or "",
        "",
        kind,
        _CHOICES["switch"] if is_switch else choices,
    )


def _parse(groups: Iterable[_Group], form: Mapping[str, str]) -> tuple[dict[str, str], dict[str, Any]]:
    """Return the fields of a form that belong to the settings, and the keys of the config that they mean."""
    fields = {"seen": form.get("seen", "")}
    keys: dict[str, Any] = {}
    for setting in (setting for group in groups for setting in group.settings):
        fields[setting.field] = text = form.get(setting.field, "").replace("\r\n", "\n").strip()
        key, _, name = setting.field.partition(".")
        value = _parse_value(setting, text)
        if not name:
            keys[key] = value
        else:
            keys.setdefault(key, {}).update({name: value} if value is not None else {})
    return fields, keys


def _parse_value(setting: _Setting, text: str) -> object:
    """Return the value that a text of the form means; what it cannot be is left to the check of the config."""
    if not text:
        return None
    if setting.type == "switch":
        return {"yes": True, "no": False}.get(text, text)
    if setting.type in ("lines", "list"):
        lines = [line.strip() for line in text.split("\n") if line.strip()]
        return lines if len(lines) > 1 or setting.type == "list" else lines[0]
    if setting.type == "number":
        with suppress(ValueError):
            return float(text)
    return text


def _preview(desk: Desk, request: PageRequest) -> ActResult:
    """Find what a change would do, as ``aggregator diff`` says it with the config changed so."""
    target = _find_target(desk, request)
    fields, keys = _parse(_list_groups(target, _format_fields(_read(desk, target))), request.form)
    number = desk.cache.add(request.visitor, None)
    then = f"{target.page}/settings?draft={number}"
    try:
        file = edit.write_draft(desk.config.path, lambda now: change_keys(now, target.place, keys), f"draft-{number}")
    except ConfigError as error:
        draft = _Draft(target.place, fields, mistakes=tuple(str(error).splitlines()))
        desk.cache.add(request.visitor, draft, number)
        return ActResult(then)
    if not desk.config.plans:  # nothing is published that could change
        file.unlink()
        desk.cache.add(request.visitor, _Draft(target.place, fields), number)
        return ActResult(then)
    feed = target.plan.name if target.plan else ""
    words = ("diff", "--json", *(("--feed", feed) if feed else ()))
    try:
        heading = N_("Preview of %(feed)s") if feed else N_("Preview")
        job = desk.jobs.start(_KIND, feed, words, heading=heading, as_json=True, draft=file, then=then)
    except BusyError:
        file.unlink(missing_ok=True)
        raise
    desk.cache.add(request.visitor, _Draft(target.place, fields, job), number)
    return ActResult(f"/jobs/{job.number}")


def _preview_chosen(desk: Desk, request: PageRequest) -> ActResult:
    """Find what a page that is read by the selectors of the form would change."""
    keys = _read(desk, _find_target(desk, request))
    options = {f"options.{name}": request.form.get(name, "") for name in registry.find("page").options or ()}
    form = {**_format_fields(keys), **options, "seen": make_digest(keys)}
    return _preview(desk, replace(request, form=form))


def _save(desk: Desk, request: PageRequest) -> ActResult:
    """Write a change into the config."""
    target = _find_target(desk, request)
    groups = tuple(_list_groups(target, _format_fields(_read(desk, target))))
    before = {setting.field: setting.value for group in groups for setting in group.settings}
    fields, keys = _parse(groups, request.form)
    edit.change(desk.config.path, target.place, keys, seen=fields["seen"])
    before["seen"] = make_digest(_read(desk, target))
    undo = Button(request.locale.gettext("Undo"), f"{target.page}/settings/save", before)
    return ActResult(target.page, request.locale.gettext("Saved; it counts from the next refresh on."), undo)


_PLACES: Final = ("/feeds/{feed}/sources/{source}", "/feeds/{feed}", "/system")
_DRAFT: Final = {"draft": "The number of a preview."}
_SETTINGS: Final = {
    "seen": "The `seen` of the settings: the act is refused if the config has changed since.",
    "*": "Every setting by its `field`, with its value as a text; one that is missing is removed from the config.",
}
PAGES = tuple(Page(f"{place}/settings", "settings.html.j2", _show_settings, takes=_DRAFT) for place in _PLACES)
ACTS = (
    *(Act(f"{place}/settings/preview", _preview, takes=_SETTINGS) for place in _PLACES),
    *(Act(f"{place}/settings/save", _save, takes=_SETTINGS) for place in _PLACES),
    Act(f"{_PLACES[0]}/settings/chosen", _preview_chosen, in_api=False),
)
