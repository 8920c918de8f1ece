"""The row of hosted models: an OpenAI-compatible endpoint, reached directly or, from containers, through the proxy."""

import os
import time
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

import msgspec

from agzamov_verify.core.questions import Message, NoReply, Reply
from agzamov_verify.core.untrusted_input import printable
from agzamov_verify.plan.manifest import ManifestError
from agzamov_verify.seats import EndpointSeat
from agzamov_verify.seats.model_names import is_same_model

from ..containers import container_paths, egress
from ..containers.topology import HOSTED_NET, OUT_NET
from ..foundation.container_spec import MIB, ContainerSpec, Mount
from ..foundation.first_use import imported_at_first_use
from ..ports import ChatPort, ChatRequest, PortFault, Wait
from ..run.run_folder import EGRESS
from ..seat_kind import ContainerInputs, PortInputs, SeatKind, limits_of
from ..servers.server_readiness import wait_for_address

if TYPE_CHECKING:
    from ..adapters import completion, endpoint, retries
else:  # the clients take half a second to import
    retries = imported_at_first_use("agzamov_harness.adapters.retries")
    endpoint = imported_at_first_use("agzamov_harness.adapters.endpoint")
    completion = imported_at_first_use("agzamov_harness.adapters.completion")

PROXY_BYTES, PROXY_PIDS = 128 * MIB, 64
TIMEOUT_S_MAX: Final = 30
FEW_TOKENS: Final = 256  # some models that think before they answer refuse a smaller limit
NAMES_SHOWN_MAX: Final = 3
REFUSED: Final = frozenset({401, 402, 403, 404, 405, 501})  # with these statuses a server refuses every question
NAME_CHARACTERS_MAX: Final = 100
HELLO: Final = ChatRequest((Message("Say OK.", "user"),), 1)


class EndpointKind(SeatKind[EndpointSeat]):
    """Its containers are one proxy, which lets requests to the plan's addresses through and no others."""

    def port(self, name: str, seat: EndpointSeat, inputs: PortInputs) -> ChatPort:
        address = inputs.served.get(name, seat.base_url)
        seat = msgspec.structs.replace(seat, base_url=address)
        limits = limits_of(inputs, address, seat.concurrency, seat.requests_per_minute)
        door = endpoint.Door(model=seat.names_served[-1] if inputs.requires_model else "")
        return endpoint.Endpoint(name, seat, os.environ, time.monotonic_ns, inputs.wait, limits, door)

    def require_key(self, name: str, seat: EndpointSeat) -> None:
        endpoint.key_of(name, seat, os.environ)

    def first_contact(self, name: str, seat: EndpointSeat) -> None:
        """Find the model in the server's list, ask it for a few tokens, and look at the name that answers."""
        limits = {"timeout_s": min(seat.timeout_s, TIMEOUT_S_MAX), "tokens_max": min(seat.tokens_max, FEW_TOKENS)}
        brief = msgspec.structs.replace(seat, attempts_max=1, requests_per_minute=0, **limits)
        port = endpoint.Endpoint(name, brief, os.environ, time.monotonic_ns, time.sleep)
        try:
            listed = port.models()
            answered = _answering(port.complete, seat, listed)
        finally:
            port.close()
        _require_model(name, seat, listed, answered)

    def capabilities(self, name: str, seat: EndpointSeat) -> frozenset[str] | None:
        port = endpoint.Endpoint(name, seat, os.environ, time.monotonic_ns, time.sleep)
        try:
            return port.capabilities()
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


def _answering(complete: Callable[[ChatRequest], Reply | NoReply], seat: EndpointSeat, listed: tuple[str, ...]) -> str:
    """The name that answers when a few tokens are asked for; empty where none is known.

    What a later call may mend passes. So does a listed model that is slow at first, or that dislikes this request.
    """
    is_listed = _is_among(listed, seat)
    try:
        answer = complete(HELLO)
    except retries.Faltering as error:
        if _sends_pages(error) or (error.kind in ("connection", "timeout") and not is_listed):
            raise
        return ""
    except PortFault as error:
        if is_listed and not (isinstance(error, retries.RefusedStatus) and error.status in REFUSED):
            return ""
        if is_listed or not listed:
            raise
        near = get_close_matches(seat.model, listed, NAMES_SHOWN_MAX) or list(listed[:NAMES_SHOWN_MAX])
        raise ManifestError(f"{error}; the server lists {', '.join(map(printable, near))}") from error
    return answer.model if isinstance(answer, Reply) else ""


def _sends_pages(error: "retries.Faltering") -> bool:
    """Whether what answers is no model server: one in trouble sends JSON that is no completion, others send pages."""
    return error.kind == "not_a_completion" and completion.NOT_JSON in str(error)


def _require_model(name: str, seat: EndpointSeat, listed: tuple[str, ...], answered: str) -> None:
    """Raises ManifestError unless the model that answers, and is listed where there is a list, is the plan's."""
    expected = seat.names_served[-1]
    is_answering = is_same_model(expected, answered)
    if answered and not is_answering:
        lists = f" (it lists: {_shown(expected, listed)})" if listed else ""
        raise ManifestError(
            f"seat {name}: expected model {seat.model}, the server answers as {printable(answered)}{lists};"
            f" write that name, or served_as: {printable(answered)} if a gateway renames it"
        )
    if listed and not _is_among(listed, seat) and not (is_answering and len(seat.names_served) > 1):
        answers = f" and answers as {printable(answered)}" if answered else ""
        raise ManifestError(
            f"seat {name}: expected model {seat.model}, the server lists {_shown(expected, listed)}{answers};"
            f" write a name that it lists, or served_as: {seat.model} if it lists only some"
        )


def _is_among(listed: tuple[str, ...], seat: EndpointSeat) -> bool:
    return any(is_same_model(seat.names_served[-1], one) for one in listed)


def _shown(expected: str, listed: tuple[str, ...]) -> str:
    """Some of the listed names, the nearest first."""
    near = get_close_matches(expected, listed, NAMES_SHOWN_MAX)
    names = list(dict.fromkeys([*near, *listed]))[:NAMES_SHOWN_MAX]
    more = f" and {len(set(listed)) - len(names)} more" if len(set(listed)) > len(names) else ""
    return ", ".join(printable(one[:NAME_CHARACTERS_MAX]) for one in names) + more


ROW = EndpointKind()
