"""The row of GGUF files: a llama.cpp server of the run's own, in a container, behind a socket."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from agzamov_verify.plan.manifest import Manifest, ModelPin
from agzamov_verify.seats import GgufSeat

from ..adapters.context_length import llama_body
from ..containers import container_paths
from ..containers.server_readiness import wait_for_model
from ..foundation.container_spec import ContainerSpec, Machine, Mount
from ..foundation.first_use import imported_at_first_use
from ..models.weight_pins import pin_of_gguf, placed
from ..ports import ChatPort, ModelFault, PortFault, Wait
from ..seat_kind import (
    ContainerInputs,
    FoundWeights,
    LocalModelKind,
    PortInputs,
    Serving,
    Witness,
    limits_of,
    memory_bytes,
)

if TYPE_CHECKING:
    from ..adapters import endpoint
    from ..containers import container_lifecycle
    from ..models import llama_server
else:  # the clients take half a second to import
    endpoint = imported_at_first_use("agzamov_harness.adapters.endpoint")
    container_lifecycle = imported_at_first_use("agzamov_harness.containers.container_lifecycle")
    llama_server = imported_at_first_use("agzamov_harness.models.llama_server")

SOCKET_URL: Final = "http://localhost/v1"
SERVER_PIDS: Final = 128  # threads count


class GgufKind(LocalModelKind[GgufSeat]):
    """Each seat has a server and a container for itself."""

    strict_settings = (
        "serve it with flash attention off and a key-value cache of its own for each slot (kv_unified off);"
        " weights that are not quantised (F32, F16, BF16) need concurrency: 1 too"
    )

    def port(self, name: str, seat: GgufSeat, inputs: PortInputs) -> ChatPort:
        address = inputs.served.get(name)
        if not address:
            raise PortFault(f"seat {name}: no server has its weights; play it with isolation: container")
        socket = address if address.startswith("/") else ""
        limits = limits_of(inputs, address, seat.concurrency)
        seat_there = endpoint.served(seat, SOCKET_URL if socket else address)
        door = endpoint.Door(socket, seat.context_tokens, llama_body(seat.determinism))
        return endpoint.Endpoint(name, seat_there, {}, time.monotonic_ns, inputs.wait, limits, door)

    def weights(self, seat: GgufSeat, plan_folder: Path, *, may_ask: bool) -> FoundWeights:
        return FoundWeights(pin_of_gguf(placed(plan_folder, seat.weights), seat.weights_sha256), Witness.HASHED)

    def weights_given(self, seat: GgufSeat, path: Path | None, address: str) -> FoundWeights:
        if path is None:
            raise ModelFault("expected its GGUF file too, to hash it: --weights SEAT=PATH")
        return FoundWeights(pin_of_gguf(path), Witness.HASHED)

    def look_at(self, seat: GgufSeat, address: str, pin: ModelPin | None) -> Serving:
        return llama_server.look_at(seat, address)

    def containers(self, seats: Mapping[str, GgufSeat], inputs: ContainerInputs) -> Iterator[ContainerSpec]:
        for name, seat in seats.items():
            weights = placed(inputs.plan_folder, seat.weights)
            yield server(container_paths.server_of(name), seat, weights, inputs.weights_bytes(name), inputs.machine)

    def served_at(self, name: str) -> str:
        return str(container_paths.model_socket(name))

    def wait_until_ready(self, name: str, wait: Wait) -> None:
        wait_for_model(Path(container_paths.model_socket(name)), wait)

    @contextmanager
    def served_by_image(self, manifest: Manifest, name: str, seat: GgufSeat, weights: Path) -> Iterator[str]:
        if container_paths.MODEL not in manifest.images:
            raise ModelFault(
                f"{name}: the bundle pins no image of a model server; serve the weights, and give the address by --at"
            )
        here = weights.resolve()
        size_bytes = here.stat().st_size
        with container_lifecycle.served(
            manifest,
            container_paths.MODEL,
            lambda machine: server(container_paths.server_of(name), seat, here, size_bytes, machine),
        ) as folder:
            socket = folder / container_paths.model_socket(name).name
            wait_for_model(socket, time.sleep)
            yield str(socket)


def server(name: str, seat: GgufSeat, weights: Path, weights_bytes: int, machine: Machine) -> ContainerSpec:
    """The container that serves a seat's weights, of this size, on a socket."""
    environment = {
        "AGZ_MODEL_CONTEXT": str(seat.context_tokens),
        "AGZ_MODEL_GPUS": str(seat.gpus),
        "AGZ_MODEL_SLOTS": str(seat.concurrency),
        "AGZ_MODEL_THREADS": str(seat.threads),
    }
    mounts = (Mount(name, container_paths.SOCKET_DIR, False), Mount(weights, container_paths.WEIGHTS, True))
    pids = SERVER_PIDS + 4 * seat.threads + 4 * seat.concurrency + machine.cores
    limits = machine.limits(memory_bytes((seat,), weights_bytes, machine), pids)
    part = container_paths.MODEL
    return ContainerSpec(name, part, limits, machine.user, environment=environment, mounts=mounts, gpus=seat.gpus)


ROW = GgufKind()
