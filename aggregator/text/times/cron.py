"""Evaluate cron expressions of five fields, or a nickname, as crontab(5) of Debian defines them.

Sunday is 0 and 7; where neither day field begins with a star, a day that matches one of them is enough. In a zone with
summer time a time that the switch skips comes right after it, and one that it repeats comes once, unless the
expression is hourly. APScheduler differs: its Monday is 0, and a day must match both day fields.
"""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo

from cronsim import CronSim, CronSimError

from aggregator.text.times.zones import find_zone

NICKNAMES = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
"""crontab(5), section EXTENSIONS; without ``@reboot``, which is no time."""

_FIELDS = 5

_ZONE = "CRON_TZ="
"""Before the name of a zone, as crontab(5) of cronie has it."""


def find_fault(expression: str) -> str | None:
    """Return what is wrong with the expression, ``None`` where nothing is.

    >>> find_fault("17 * * * *"), find_fault("@daily"), find_fault("61 * * * *")
    (None, None, 'bad minute')
    """
    try:
        zone, fields = _split(expression, UTC)
        _iterate_slots(fields, datetime(2024, 1, 1, tzinfo=zone))
    except ValueError as error:
        return str(error)
    return None


def next_slot(expression: str, after: datetime, zone: tzinfo = UTC) -> datetime | None:
    """Return the first time of the expression in a zone after the given one, in UTC; ``None`` where there is none.

    A zone that the expression names (``CRON_TZ=Europe/Berlin 0 6 * * *``) goes before. Raises ValueError where the
    expression has a fault.

    >>> next_slot("0 0 * * 7", datetime(2024, 5, 1, tzinfo=UTC)).isoformat()
    '2024-05-05T00:00:00+00:00'
    >>> next_slot("CRON_TZ=Asia/Tokyo 0 6 * * *", datetime(2024, 5, 1, tzinfo=UTC)).isoformat()
    '2024-05-01T21:00:00+00:00'
    """
    zone, fields = _split(expression, zone)
    slot = next(_iterate_slots(fields, after.astimezone(zone)), None)
    return None if slot is None else slot.astimezone(UTC)


def put_in_zone(expression: str, zone: str) -> str:
    """Return the expression in a zone, or as it is if it names one."""
    return expression if expression.startswith(_ZONE) else f"{_ZONE}{zone} {expression}"


def describe(expression: str) -> str:
    """Return an expression as people read it.

    >>> describe("CRON_TZ=Asia/Tokyo 0 6 * * *")
    '0 6 * * * (Asia/Tokyo)'
    """
    zone, _, fields = expression.removeprefix(_ZONE).partition(" ")
    return f"{fields} ({zone})" if expression.startswith(_ZONE) else expression


def _split(expression: str, otherwise: tzinfo) -> tuple[tzinfo, str]:
    if not expression.startswith(_ZONE):
        return otherwise, expression
    name, _, fields = expression.removeprefix(_ZONE).partition(" ")
    return find_zone(name), fields


def _iterate_slots(expression: str, after: datetime) -> CronSim:
    """Return the times after the given one, in its zone; a sixth field (seconds), which cron lacks, is a fault."""
    fields = NICKNAMES.get(expression.strip().lower(), expression.strip())
    if len(fields.split()) != _FIELDS:
        raise ValueError("wrong number of fields")
    try:
        return CronSim(fields, after)
    except CronSimError as error:
        raise ValueError(str(error).lower()) from error
