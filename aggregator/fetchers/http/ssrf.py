"""Decide which addresses may be reached, by the addresses to which a name resolves."""

from __future__ import annotations

import ipaddress
import queue
import socket
import threading
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from aggregator.errors import FetchError, UnansweredError
from aggregator.translation.marks import N_

_Network = ipaddress.IPv4Network | ipaddress.IPv6Network

# Not global, or translated to addresses that are not, but global for `ipaddress.is_global` of Python 3.11.7
# (measured); from the IANA special-purpose registries for IPv4 and IPv6.
_DENIED: tuple[_Network, ...] = tuple(
    ipaddress.ip_network(text)
    for text in (
        "100.64.0.0/10",  # shared address space, RFC 6598
        "192.0.0.0/24",  # protocol assignments, RFC 6890
        "192.88.99.0/24",  # 6to4 relays, RFC 7526
        "224.0.0.0/4",  # multicast
        "2001::/23",  # protocol assignments, Teredo among them
        "2002::/16",  # 6to4, RFC 3056: contains an IPv4 address
        "3fff::/20",  # documentation, RFC 9637
    )
)

# All unicast addresses of IPv6 that are allocated (IANA, IPv6 address space). Outside of it are NAT64 (64:ff9b::/96),
# local NAT64, IPv4-compatible and IPv4-translated addresses, segment routing, site-local and multicast.
_ALLOCATED = ipaddress.ip_network("2000::/3")


_SCOPE = 3
"""Where the number of the interface stands in an address of IPv6 (Python's socket module)."""


_FAILED = {socket.EAI_SYSTEM, socket.EAI_MEMORY, socket.EAI_FAIL}
"""Errors of the resolver that say nothing of the name (getaddrinfo(3)), such as too many open files."""


class RefusedAddressError(FetchError):
    """The rules of the config allow no address of the host."""


def _explain_refusal(address: str, allowed: Sequence[str] = ()) -> str | None:
    """Return why the address may not be reached; ``None`` if it may.

    An address mapped into IPv6 is judged as IPv4 (RFC 4291 section 2.5.5.2).

    >>> _explain_refusal("::ffff:127.0.0.1")
    '127.0.0.1 is not a public address'
    >>> _explain_refusal("127.0.0.1", ("127.0.0.0/8",))
    >>> _explain_refusal("93.184.215.14")
    """
    parsed = _parse(address)
    if any(parsed in network for network in _networks(tuple(allowed))):
        return None
    allocated = parsed.version == 4 or parsed in _ALLOCATED  # noqa: PLR2004  # the version of the protocol
    if parsed.is_global and allocated and not any(parsed in network for network in _DENIED):
        return None
    return N_(f"{parsed} is not a public address")


def _parse(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    parsed = ipaddress.ip_address(address)
    return getattr(parsed, "ipv4_mapped", None) or parsed


def resolve(host: str, port: int, seconds: float, allowed: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the addresses of a host that may be reached, in the resolver's order; never empty.

    Connect to these, not to the name again, which may resolve otherwise the next time. Raises RefusedAddressError if
    none may be reached, FetchError if none is found in time.
    """
    found = _look_up(host, port, seconds)
    refusals = {address: _explain_refusal(address, allowed) for address in found}
    reachable = tuple(address for address, reason in refusals.items() if reason is None)
    if not reachable:
        raise _refuse(refusals)
    return reachable


def check_address(address: str, allowed: Sequence[str] = ()) -> None:
    """Raise RefusedAddressError if the address may not be reached."""
    if reason := _explain_refusal(address, allowed):
        raise _refuse({address: reason})


def _refuse(refusals: Mapping[str, str | None]) -> RefusedAddressError:
    """Return the error about addresses that may not be reached, with the line of the config that allows them."""
    networks = [str(ipaddress.ip_network(str(_parse(address)).partition("%")[0])) for address in refusals]
    line = f"allow_networks: [{', '.join(networks)}]"
    option = " ".join(f"--allow {network}" for network in networks)
    reasons = "; ".join(reason for reason in refusals.values() if reason) or N_("the host has no address")
    return RefusedAddressError(
        f"refused: {reasons}; if it is the source's own, write {line} into the config, or add it with {option}"
    )


def _look_up(host: str, port: int, seconds: float) -> tuple[str, ...]:
    """Return the answer of the system's resolver, asked in a thread because it cannot be interrupted."""
    answers: queue.SimpleQueue[tuple[str, ...] | OSError | ValueError] = queue.SimpleQueue()

    def ask() -> None:
        try:
            rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            answers.put(tuple(dict.fromkeys(_name_address(row[4]) for row in rows)))
        except (OSError, ValueError) as error:
            answers.put(error)

    threading.Thread(target=ask, daemon=True, name="resolver").start()
    try:
        answer = answers.get(timeout=max(seconds, 0.001))
    except queue.Empty:
        raise UnansweredError("the name was not resolved in time: no name server answered") from None
    if isinstance(answer, tuple):
        return answer
    if isinstance(answer, socket.gaierror) and answer.errno == socket.EAI_AGAIN:
        raise UnansweredError("the name of the host cannot be looked up now: no name server answers") from answer
    if isinstance(answer, socket.gaierror) and answer.errno in _FAILED:
        raise UnansweredError(f"the name of the host cannot be looked up now ({answer.strerror})") from answer
    raise UnansweredError("the name of the host is not known") from answer


def _name_address(found: tuple[Any, ...]) -> str:
    """Return an address of the resolver as text, a link-local one with the number of its interface (RFC 4007)."""
    scope = found[3] if len(found) > _SCOPE else 0
    return f"{str(found[0]).partition('%')[0]}%{scope}" if scope else str(found[0])


@lru_cache(maxsize=64)
def _networks(texts: tuple[str, ...]) -> tuple[_Network, ...]:
    return tuple(ipaddress.ip_network(text, strict=False) for text in texts)
