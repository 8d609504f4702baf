"""Evaluate cron expressions of five fields, or a nickname, as crontab(5) of Debian defines them.

Sunday is 0 and 7; where neither day field begins with a star, a day that matches one of them is enough. In a zone with
summer time a time that the switch skips comes right after it, and one that it repeats comes once, unless the
expression is hourly. APScheduler differs: its Monday is 0, and a day must match both day fields.
"""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo

from cronsim import CronSim, CronSimError

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


def find_fault(expression: str) -> str | None:
    """Return what is wrong with the expression, ``None`` where nothing is.

    >>> find_fault("17 * * * *"), find_fault("@daily"), find_fault("61 * * * *")
    (None, None, 'bad minute')
    """
    try:
        _iterate_slots(expression, datetime(2024, 1, 1, tzinfo=UTC))
    except ValueError as error:
        return str(error)
    return None


def next_slot(expression: str, after: datetime, zone: tzinfo = UTC) -> datetime | None:
    """Return the first time of the expression in a zone after the given one, in UTC; ``None`` where there is none.

    Raise ``ValueError`` where the expression has a fault.

    >>> next_slot("0 0 * * 7", datetime(2024, 5, 1, tzinfo=UTC)).isoformat()
    '2024-05-05T00:00:00+00:00'
    """
    slot = next(_iterate_slots(expression, after.astimezone(zone)), None)
    return None if slot is None else slot.astimezone(UTC)


def _iterate_slots(expression: str, after: datetime) -> CronSim:
    """Return the times after the given one, in its zone; a sixth field (seconds), which cron lacks, is a fault."""
    fields = NICKNAMES.get(expression.strip().lower(), expression.strip())
    if len(fields.split()) != _FIELDS:
        raise ValueError("wrong number of fields")
    try:
        return CronSim(fields, after)
    except CronSimError as error:
        raise ValueError(str(error).lower()) from error
