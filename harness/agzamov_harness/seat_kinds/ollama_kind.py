"""The row of Ollama: one server for all seats, its owner's or in a container of the run."""

import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from agzamov_verify.plan.manifest import Manifest, ModelPin
from agzamov_verify.seats import Determinism, OllamaSeat

from ..containers import container_paths
from ..containers.topology import OLLAMA_NET
from ..foundation.container_spec import ContainerSpec, Mount
from ..foundation.first_use import imported_at_first_use
from ..models.ollama_store import StoreUnreadable, read_store, server_alone, server_asked
from ..models.weight_pins import placed
from ..ports import ChatPort, ModelFault, Wait
from ..seat_kind import (
    ContainerInputs,
    FoundWeights,
    LocalModelKind,
    PortInputs,
    Serving,
    Watched,
    Witness,
    limits_of,
    memory_bytes,
)
from ..servers.server_readiness import wait_for_address

if TYPE_CHECKING:
    from ..adapters import ollama_chat
    from ..models import ollama_api, ollama_digest_watch
else:  # the clients take half a second to import
    ollama_chat = imported_at_first_use("agzamov_harness.adapters.ollama_chat")
    ollama_digest_watch = imported_at_first_use("agzamov_harness.models.ollama_digest_watch")
    ollama_api = imported_at_first_use("agzamov_harness.models.ollama_api")

OLLAMA_PIDS: Final = 1024  # threads count


class OllamaKind(LocalModelKind[OllamaSeat]):
    """The server may be somebody's: it is held while a run asks it, and its digests are watched."""

    strict_settings = (
        "start the server with OLLAMA_FLASH_ATTENTION=0 and OLLAMA_KV_CACHE_TYPE=f32; long prompts side by side, and"
        " weights that are not quantised (F32, F16, BF16), need concurrency: 1 too"
    )

    def port(self, name: str, seat: OllamaSeat, inputs: PortInputs) -> ChatPort:
        address = inputs.served.get(name, seat.base_url)
        seat = msgspec.structs.replace(seat, base_url=address)
        limits = limits_of(inputs, address, seat.concurrency)
        return ollama_chat.Ollama(name, seat, time.monotonic_ns, inputs.wait, limits)

    def weights(self, seat: OllamaSeat, plan_folder: Path, *, may_ask: bool) -> FoundWeights:
        """Pin of an Ollama seat: from the store where it can be read, else from /api/tags."""
        try:
            weights = _stored(seat, placed(plan_folder, seat.store)) if seat.store else _stated(seat, seat.base_url)
        except StoreUnreadable:
            if not may_ask:
                raise  # the server that will play is in a container that has not started
            weights = _stated(seat, seat.base_url)
        if weights.pin.sha256 != seat.model_digest:
            raise ModelFault(
                f"{seat.model}: expected the model with digest {seat.model_digest}, found {weights.pin.sha256};"
                " pull that version, or name this one in model_digest"
            )
        return weights

    def weights_given(self, seat: OllamaSeat, path: Path | None, address: str) -> FoundWeights:
        if not address:
            raise ModelFault("expected the address of an Ollama server that has it: --at SEAT=ADDRESS")
        return _stored(seat, path) if path else _stated(seat, address)

    def look_at(self, seat: OllamaSeat, address: str, pin: ModelPin | None) -> Serving:
        return ollama_api.look_at(seat, address, pin)

    def asked_before(
        self, manifest: Manifest, name: str, seat: OllamaSeat, plan_folder: Path, wait: Wait
    ) -> AbstractContextManager[str]:
        return nullcontext(seat.base_url if manifest.plan.isolation == "process" else "")

    def held(self, address: str) -> AbstractContextManager[None]:
        return server_asked(address)

    def held_alone(self, address: str) -> AbstractContextManager[None]:
        return server_alone(address)

    @contextmanager
    def watched(self, manifest: Manifest, served: Mapping[str, str], notes: Path) -> Iterator[Watched]:
        with ollama_digest_watch.digests_watched(manifest, served, notes) as watch:
            yield lambda port: ollama_digest_watch.WatchedSeat(port, watch)

    def capabilities(self, name: str, seat: OllamaSeat) -> frozenset[str] | None:
        return ollama_api.capabilities(seat)

    def containers(self, seats: Mapping[str, OllamaSeat], inputs: ContainerInputs) -> Iterator[ContainerSpec]:
        """One server for all of its seats, which share a store: it may read that, call nobody, and keep nothing."""
        first, *_ = seats.values()  # their store, gpus and memory are the same: plan_problems
        machine, part = inputs.machine, container_paths.OLLAMA
        weights_bytes = sum({seat.model: inputs.weights_bytes(name) for name, seat in seats.items()}.values())
        mounts = (Mount(placed(inputs.plan_folder, first.store), container_paths.STORE, True),)
        limits = machine.limits(memory_bytes(tuple(seats.values()), weights_bytes, machine), OLLAMA_PIDS)
        environment, networks = _environment(seats), (OLLAMA_NET,)
        yield ContainerSpec(
            part, part, limits, machine.user, ("serve",), environment, mounts, networks, gpus=first.gpus
        )

    def served_at(self, name: str) -> str:
        return f"http://{container_paths.OLLAMA}:{container_paths.OLLAMA_PORT}"

    def wait_until_ready(self, name: str, seat: OllamaSeat, wait: Wait) -> None:
        wait_for_address(container_paths.OLLAMA, container_paths.OLLAMA_PORT, wait)


def _environment(seats: Mapping[str, OllamaSeat]) -> dict[str, str]:
    strict = any(seat.determinism is Determinism.STRICT for seat in seats.values())
    return {
        "HOME": "/tmp",  # noqa: S108 - inside
        "LLAMA_ARG_CACHE_RAM": "0",
        "OLLAMA_FLASH_ATTENTION": "0" if strict else "",
        "OLLAMA_HOST": f"0.0.0.0:{container_paths.OLLAMA_PORT}",
        "OLLAMA_KEEP_ALIVE": "-1",
        "OLLAMA_KV_CACHE_TYPE": "f32",
        "OLLAMA_MAX_LOADED_MODELS": str(len({seat.model for seat in seats.values()})),
        "OLLAMA_MODELS": str(container_paths.STORE),
        "OLLAMA_NOPRUNE": "1",
        "OLLAMA_NO_CLOUD": "1",
        "OLLAMA_NUM_PARALLEL": str(max(seat.concurrency for seat in seats.values())),
    }


def _stored(seat: OllamaSeat, store: Path) -> FoundWeights:
    stored = read_store(store, seat.model)
    return FoundWeights(ModelPin(stored.sha256, stored.size_bytes), Witness.HASHED)


def _stated(seat: OllamaSeat, address: str) -> FoundWeights:
    with ollama_api.Inventory(address) as server:
        model = server.model(seat.model)
    return FoundWeights(ModelPin(model.digest, model.size_bytes), Witness.SERVER)


ROW = OllamaKind()
