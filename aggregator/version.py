"""The program's own version, where reading it costs nothing; the packaging reads it here, too."""

from hashlib import blake2b
from pathlib import Path

VERSION = "0.1.0"

_DISTRIBUTION = "feedmend"
"""The name on the package index, where ``aggregator`` is another program."""


def name_install(extra: str) -> str:
    """Return the command that installs the packages of an extra."""
    return f"pip install '{_DISTRIBUTION}[{extra}]'"


def digest_code(*folders: str) -> str:
    """Return a digest of the version and of the modules, templates and tables in these folders of the package."""
    digest, here = blake2b(VERSION.encode(), digest_size=16), Path(__file__).parent
    for path in sorted(each for folder in folders for each in (here / folder).rglob("*.*")):
        if path.suffix in {".py", ".j2", ".json"}:
            digest.update(path.read_bytes())
    return digest.hexdigest()
