"""The row of GGUF files: a llama.cpp server of the run's own behind sockets, in a container or on this machine."""

import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from agzamov_verify.plan.manifest import Manifest, ModelPin
from agzamov_verify.seats import GgufSeat

from ..adapters.context_length import llama_body
from ..containers import container_paths
from ..foundation.container_spec import ContainerSpec, Machine, Mount
from ..foundation.first_use import imported_at_first_use
from ..models.weight_pins import pin_of_gguf, placed
from ..ports import ChatPort, ModelFault, PortFault, Wait
from ..seat_kind import (
    ContainerInputs,
    FoundWeights,
    LocalModelKind,
    PortInputs,
    ServedHere,
    Serving,
    Witness,
    limits_of,
    memory_bytes,
)
from ..servers.server_readiness import wait_for_model

if TYPE_CHECKING:
    from ..adapters import endpoint, slot_ports
    from ..containers import container_lifecycle
    from ..models import gguf_process, llama_server
else:  # the clients take half a second to import
    gguf_process = imported_at_first_use("agzamov_harness.models.gguf_process")
    slot_ports = imported_at_first_use("agzamov_harness.adapters.slot_ports")
    endpoint = imported_at_first_use("agzamov_harness.adapters.endpoint")
    container_lifecycle = imported_at_first_use("agzamov_harness.containers.container_lifecycle")
    llama_server = imported_at_first_use("agzamov_harness.models.llama_server")

SOCKET_URL: Final = "http://localhost/v1"
SERVER_PIDS, SLOT_PIDS = 16, 64  # threads count


class GgufKind(LocalModelKind[GgufSeat]):
    """Each seat has a server and a container for itself."""

    strict_settings = (
        "a run serves each slot by a process of its own; serve it with flash attention off and with one slot for each"
        " server"
    )

    def port(self, name: str, seat: GgufSeat, inputs: PortInputs) -> ChatPort:
        address = inputs.served.get(name)
        if not address:
            raise PortFault(f"seat {name}: no server has its weights")
        if not address.startswith("/"):
            return _endpoint(name, seat, inputs, address, "", seat.concurrency)
        sockets = [str(socket) for socket in gguf_process.slot_sockets(Path(address), seat)]
        of_each = seat.concurrency // len(sockets)
        return slot_ports.SlotPorts([_endpoint(name, seat, inputs, SOCKET_URL, each, of_each) for each in sockets])

    def weights(self, seat: GgufSeat, plan_folder: Path, *, may_ask: bool) -> FoundWeights:
        return FoundWeights(pin_of_gguf(placed(plan_folder, seat.weights), seat.weights_sha256), Witness.HASHED)

    def weights_given(self, seat: GgufSeat, path: Path | None, address: str) -> FoundWeights:
        if path is None:
            raise ModelFault("expected its GGUF file too, to hash it: --weights SEAT=PATH")
        return FoundWeights(pin_of_gguf(path), Witness.HASHED)

    def look_at(self, seat: GgufSeat, address: str, pin: ModelPin | None) -> Serving:
        if not address.startswith("/"):
            return llama_server.look_at(address, seat.concurrency, seat.determinism)
        sockets = gguf_process.slot_sockets(Path(address), seat)
        slots = seat.concurrency // len(sockets)
        return [llama_server.look_at(str(each), slots, seat.determinism) for each in sockets][-1]

    @contextmanager
    def served_here(self, seats: Mapping[str, GgufSeat], plan_folder: Path, wait: Wait) -> Iterator[ServedHere]:
        with ExitStack() as stack:
            sockets: dict[str, str] = {}
            for name, seat in seats.items():
                weights = placed(plan_folder, seat.weights).resolve()
                server = stack.enter_context(gguf_process.served_here(name, seat, weights, wait))
                sockets[name], wait = str(server.socket), server.waiting(wait)
            yield ServedHere(sockets, wait)

    @contextmanager
    def asked_before(
        self, manifest: Manifest, name: str, seat: GgufSeat, plan_folder: Path, wait: Wait
    ) -> Iterator[str]:
        if manifest.plan.isolation == "container":
            with self.served_as_sealed(manifest, name, seat, placed(plan_folder, seat.weights)) as socket:
                yield socket
            return
        with self.served_here({name: seat}, plan_folder, wait) as served:
            yield served.sockets[name]

    def containers(self, seats: Mapping[str, GgufSeat], inputs: ContainerInputs) -> Iterator[ContainerSpec]:
        for name, seat in seats.items():
            weights = placed(inputs.plan_folder, seat.weights)
            box = container_paths.server_of(name)
            yield container_of(box, seat, weights, inputs.weights_bytes(name), inputs.machine)

    def served_at(self, name: str) -> str:
        return str(container_paths.model_socket(name))

    def wait_until_ready(self, name: str, seat: GgufSeat, wait: Wait) -> None:
        for socket in gguf_process.slot_sockets(Path(container_paths.model_socket(name)), seat):
            wait_for_model(socket, wait)

    @contextmanager
    def served_as_sealed(self, manifest: Manifest, name: str, seat: GgufSeat, weights: Path) -> Iterator[str]:
        here = weights.resolve()
        if container_paths.MODEL not in manifest.images:
            with gguf_process.served_here(name, seat, here, time.sleep) as here_served:
                yield str(here_served.socket)
            return
        size_bytes = here.stat().st_size
        with container_lifecycle.served(
            manifest,
            container_paths.MODEL,
            lambda machine: container_of(container_paths.server_of(name), seat, here, size_bytes, machine),
        ) as folder:
            socket = folder / container_paths.model_socket(name).name
            for each in gguf_process.slot_sockets(socket, seat):
                wait_for_model(each, time.sleep)
            yield str(socket)


def _endpoint(
    name: str, seat: GgufSeat, inputs: PortInputs, base_url: str, socket: str, concurrency: int
) -> "endpoint.Endpoint":
    limits = limits_of(inputs, socket or base_url, concurrency)
    seat_there = msgspec.structs.replace(endpoint.served(seat, base_url), concurrency=concurrency)
    door = endpoint.Door(socket, seat.context_tokens, llama_body(seat.determinism))
    return endpoint.Endpoint(name, seat_there, {}, time.monotonic_ns, inputs.wait, limits, door)


def container_of(name: str, seat: GgufSeat, weights: Path, weights_bytes: int, machine: Machine) -> ContainerSpec:
    """The container that serves a seat's weights, of this size, on a socket."""
    environment = gguf_process.settings(seat)
    mounts = (Mount(name, container_paths.SOCKET_DIR, False), Mount(weights, container_paths.WEIGHTS, True))
    pids = (SLOT_PIDS + 4 * seat.threads + machine.cores) * seat.concurrency + SERVER_PIDS
    limits = machine.limits(memory_bytes((seat,), weights_bytes, machine), pids)
    part = container_paths.MODEL
    return ContainerSpec(name, part, limits, machine.user, environment=environment, mounts=mounts, gpus=seat.gpus)


ROW = GgufKind()
