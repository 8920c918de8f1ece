"""The row of hosted models: an OpenAI-compatible endpoint, reached directly or, from containers, through the proxy."""

import os
import time
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

import msgspec

from agzamov_verify.core.questions import Message
from agzamov_verify.core.untrusted_input import printable
from agzamov_verify.plan.manifest import ManifestError
from agzamov_verify.seats import EndpointSeat

from ..containers import container_paths, egress
from ..containers.topology import HOSTED_NET, OUT_NET
from ..foundation.container_spec import MIB, ContainerSpec, Mount
from ..foundation.first_use import imported_at_first_use
from ..ports import ChatPort, ChatRequest, PortFault, Wait
from ..run.run_folder import EGRESS
from ..seat_kind import ContainerInputs, PortInputs, SeatKind, limits_of
from ..servers.server_readiness import wait_for_address

if TYPE_CHECKING:
    from ..adapters import endpoint, retries
else:  # the clients take half a second to import
    retries = imported_at_first_use("agzamov_harness.adapters.retries")
    endpoint = imported_at_first_use("agzamov_harness.adapters.endpoint")

PROXY_BYTES, PROXY_PIDS = 128 * MIB, 64
TIMEOUT_S_MAX: Final = 30
FEW_TOKENS: Final = 256  # some models that think before they answer refuse a smaller limit
NAMES_SHOWN_MAX: Final = 3
HELLO: Final = ChatRequest((Message("Say OK.", "user"),), 1)


class EndpointKind(SeatKind[EndpointSeat]):
    """Its containers are one proxy, which lets requests to the plan's addresses through and no others."""

    def port(self, name: str, seat: EndpointSeat, inputs: PortInputs) -> ChatPort:
        address = inputs.served.get(name, seat.base_url)
        seat = msgspec.structs.replace(seat, base_url=address)
        limits = limits_of(inputs, address, seat.concurrency, seat.requests_per_minute)
        return endpoint.Endpoint(name, seat, os.environ, time.monotonic_ns, inputs.wait, limits)

    def require_key(self, name: str, seat: EndpointSeat) -> None:
        endpoint.key_of(name, seat, os.environ)

    def first_contact(self, name: str, seat: EndpointSeat) -> None:
        """Find the model in the server's list, else ask it for a few tokens."""
        limits = {"timeout_s": min(seat.timeout_s, TIMEOUT_S_MAX), "tokens_max": min(seat.tokens_max, FEW_TOKENS)}
        brief = msgspec.structs.replace(seat, attempts_max=1, requests_per_minute=0, **limits)
        port = endpoint.Endpoint(name, brief, os.environ, time.monotonic_ns, time.sleep)
        try:
            listed = port.models()
            if seat.model not in listed:
                _complete(port.complete, seat.model, listed)
        finally:
            port.close()

    def containers(self, seats: Mapping[str, EndpointSeat], inputs: ContainerInputs) -> Iterator[ContainerSpec]:
        folder = inputs.run / EGRESS
        mounts = tuple(Mount(folder / name, target, True) for name, target in egress.SEEN_BY_PROXY.items())
        yield ContainerSpec(
            container_paths.PROXY,
            container_paths.PROXY,
            inputs.machine.limits(PROXY_BYTES, PROXY_PIDS + egress.CLIENTS_MAX),
            inputs.machine.user,
            (str(egress.SEEN_BY_PROXY[egress.CONFIGURATION]),),
            mounts=mounts,
            networks=(OUT_NET, HOSTED_NET),
        )

    def wait_until_ready(self, name: str, seat: EndpointSeat, wait: Wait) -> None:
        wait_for_address(container_paths.PROXY, container_paths.PROXY_PORT, wait)


def _complete(complete: Callable[[ChatRequest], object], model: str, listed: tuple[str, ...]) -> None:
    """Ask for a few tokens of a model that the server does not list. Raises PortFault, ManifestError."""
    try:
        complete(HELLO)
    except retries.Faltering as error:
        if error.kind in ("connection", "timeout"):
            raise
    except PortFault as error:
        near = get_close_matches(model, listed, NAMES_SHOWN_MAX) or list(listed[:NAMES_SHOWN_MAX])
        if not near:
            raise
        raise ManifestError(f"{error}; the server lists {', '.join(map(printable, near))}") from error


ROW = EndpointKind()
