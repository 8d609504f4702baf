"""The config as pydantic checks it: whatever is not plainly sound comes here, and every mistake is one line."""

from __future__ import annotations

from pydantic import ValidationError

from aggregator.config.faults import tell
from aggregator.config.keys import BegunKeys, ConfigKeys, schema
from aggregator.config.parse import Parsed, parse
from aggregator.errors import ConfigError


def check(text: str, name: str, *, begun: bool = False) -> ConfigKeys:
    """The checked keys of a config's text; ``name`` is how errors call the file. Raises ConfigError."""
    return checked(parse(text, name), name, begun=begun)


def checked(parsed: Parsed, name: str, *, begun: bool = False) -> ConfigKeys:
    """The checked keys of a parsed config; one that was only ``begun`` may have no feed. Raises ConfigError."""
    try:
        return (BegunKeys if begun else ConfigKeys).model_validate({} if parsed.values is None else parsed.values)
    except ValidationError as error:
        found = error.errors(include_url=False)
        raise ConfigError("\n".join(tell(found, name, parsed.lines, schema()))) from error
