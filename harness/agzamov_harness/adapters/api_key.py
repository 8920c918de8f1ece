"""The key of an API, out of the environment of whoever runs the harness."""

from collections.abc import Mapping

from agzamov_verify.seats.model_seat import keeps_secrets

from ..ports import PortFault


def key_in(variable: str, url: str, environment: Mapping[str, str]) -> str:
    """The key in a variable, for the API at `url`; empty where no variable is named.

    Raises PortFault without it, and for one that no header can carry, which a client would print. A key is only ever
    sent to https or to this machine.
    """
    if not variable:
        return ""
    if not keeps_secrets(url):
        raise PortFault(f"expected https:// where a key is sent, found {url}; use https")
    key = environment.get(variable, "").strip()
    if not key:
        raise PortFault(f"the environment variable {variable} holds no key; set it")
    if not key.isascii() or not key.isprintable() or " " in key:
        raise PortFault(f"expected a key of printable ASCII in {variable}, found other characters or spaces")
    return key
