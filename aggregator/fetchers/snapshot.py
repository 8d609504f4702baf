"""Read documents from local files: a source's path, or the snapshot that is used until the source answers."""

from __future__ import annotations

from pathlib import Path

from aggregator.errors import FetchError, ReadError
from aggregator.model.source import Document, Source

_MOST_BYTES = 128 * 1024 * 1024  # the largest real feed seen has 4.1 MB, 20,000 made-up items 80 MB


def read_file(source: Source) -> Document:
    """Return the local document of the source, its path before its snapshot.

    Raise FetchError if the file cannot be read and ReadError if it is empty or too large.
    """
    path = Path(source.path or source.snapshot or "")
    try:
        if path.exists() and not path.is_file():
            raise FetchError(f"{source.name}: {path} is not a file")
        with path.open("rb") as file:
            body = file.read(_MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror.lower() if isinstance(error, OSError) and error.strerror else str(error)
        raise FetchError(f"{source.name}: {path} cannot be read: {reason}") from error
    if not body:
        raise ReadError(f"{source.name}: {path} is empty (0 bytes)")
    if len(body) > _MOST_BYTES:
        raise ReadError(f"{source.name}: {path} is larger than {_MOST_BYTES // 2**20} MiB")
    return Document(source, path.absolute().as_uri(), body)
