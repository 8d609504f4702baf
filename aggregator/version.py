"""The program's own version, where reading it costs nothing; the packaging reads it here, too."""

VERSION = "0.1.0"

_DISTRIBUTION = "feedmend"
"""The name on the package index, where ``aggregator`` is another program."""


def name_install(extra: str) -> str:
    """Return the command that installs the packages of an extra."""
    return f"pip install '{_DISTRIBUTION}[{extra}]'"
