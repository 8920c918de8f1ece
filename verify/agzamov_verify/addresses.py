"""Addresses of model servers: which of them stay on this machine, and to which a key may be sent."""

from ipaddress import ip_address
from urllib.parse import urlsplit

HOST_NAME = "host.docker.internal"
"""In a plan with isolation: container, the machine that the containers run on; the run says itself where that is."""


def is_loopback(base_url: str) -> bool:
    """True for an address that never leaves this machine or, inside a container, the container."""
    try:
        host = urlsplit(base_url).hostname or ""
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def keeps_secrets(base_url: str) -> bool:
    """True if nobody on the network path can read what is sent to `base_url`."""
    return base_url.startswith("https://") or is_loopback(base_url) or bare_host(base_url) == HOST_NAME


def host_of(base_url: str) -> str:
    """The host and port that an address names, as a person would write them."""
    return urlsplit(base_url).netloc.lower()


def bare_host(base_url: str) -> str:
    """The host alone that an address names; empty where it names none, or a port that is none."""
    try:
        parts = urlsplit(base_url)
        port, host = parts.port, parts.hostname or ""
    except ValueError:
        return ""
    return "" if port == 0 else host
