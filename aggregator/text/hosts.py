"""Whom an address asks: the host and port that a limit of requests, or a wish to be left alone, concerns."""

from __future__ import annotations

from functools import lru_cache
from urllib.parse import urlsplit


@lru_cache(maxsize=4096)
def host(url: str) -> str:
    """Host and port in lower case; empty where the address names none.

    >>> host("https://me@Feeds.Example.org/show"), host("http://example.org:8080/"), host("file:///etc/hosts")
    ('feeds.example.org:443', 'example.org:8080', '')
    """
    try:
        parts = urlsplit(url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        return ""
    return f"{parts.hostname}:{port}" if parts.hostname else ""
