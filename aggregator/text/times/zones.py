"""Show times in a time zone."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError


def find_zone(name: str) -> tzinfo:
    """Return a zone of the IANA database by its name; raise ValueError if this machine has none of that name."""
    try:
        return UTC if name == "UTC" else ZoneInfo(name)
    except (ZoneInfoNotFoundError, OSError, ValueError) as error:
        raise ValueError(f'no time zone "{name}" is known here, such as Europe/Berlin') from error


def name_zone(at: datetime) -> str:
    """Return the abbreviation of a time's zone, or its offset if the zone has no abbreviation.

    >>> at = datetime(2024, 8, 4, 8, tzinfo=UTC)
    >>> [name_zone(at.astimezone(find_zone(name))) for name in ("UTC", "Europe/Berlin", "America/Sao_Paulo")]
    ['UTC', 'CEST', 'UTC-03']
    """
    name = at.strftime("%Z")
    return f"UTC{name}" if name.startswith(("+", "-")) else name


def format_time(at: datetime, zone: str, *, seconds: bool = False) -> str:
    """Format a time for people in the zone of this name, to the minute or the second.

    >>> format_time(datetime(2024, 8, 4, 23, 5, tzinfo=UTC), "Asia/Tokyo")
    '2024-08-05 08:05 JST'
    """
    local = at.astimezone(find_zone(zone))
    return f"{local:%Y-%m-%d %H:%M:%S} {name_zone(local)}" if seconds else f"{local:%Y-%m-%d %H:%M} {name_zone(local)}"
