"""The images of memory servers from outside: each is found by the name of its adapter, and holds what that starts."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from agzamov_harness.containers.image_roles import BUILT_ON_REQUEST, IMAGE_OF
from agzamov_harness.memory.adapter_file import sealed_text, system_of
from agzamov_harness.memory.launch import Setup
from agzamov_verify.memory.declared_server import IMAGE_PARTS, WITH_IMAGE, server_of

ROOT = Path(__file__).parents[2]
ADAPTERS = ROOT / "harness" / "agzamov_harness" / "memory" / "adapters"
OTHERS = {"memory", "memory-minilm", "memory-python", "memory-python313", "memory-semantic"}
"""Images of memory that no run finds by an adapter: those of the built-in servers, and those that others stand on."""


def declared(name: str) -> dict[str, Any]:
    return tomllib.loads((ROOT / "images" / name / "image.toml").read_text())


def places(image: str) -> set[str]:
    """The paths that the `files` layers of an image put there."""
    layers = [layer for layer in declared(image)["layers"] if layer["kind"] == "files"]
    return {f"/{path}" for layer in layers for path in (*layer.get("files", ()), *layer.get("links", ()))}


def test_every_adapter_in_the_table_has_an_image_and_every_image_an_adapter_in_the_table() -> None:
    assert all((ADAPTERS / f"{name}.yaml").is_file() for name in WITH_IMAGE)
    found = {path.parent.name for path in ROOT.glob("images/memory*/image.toml")}
    assert found - OTHERS == {IMAGE_OF[part] for part in IMAGE_PARTS.values()}
    assert found - OTHERS <= BUILT_ON_REQUEST


def test_an_adapter_that_does_not_come_with_the_program_has_no_image_whatever_it_says() -> None:
    adapter = sealed_text(system_of("server-memory").adapter)
    with_image, without = server_of("server-memory", adapter), server_of("server-memory.yaml", adapter)
    assert with_image
    assert without
    assert (with_image.image_part, without.image_part) == ("memory_server_memory", "")


@pytest.mark.parametrize("name", WITH_IMAGE)
def test_an_image_holds_what_its_adapter_starts(name: str) -> None:
    command, _ = Setup(system_of(name)).in_image()
    programs = [word for word in command if word.startswith(("/opt/memory/bin/", "/opt/agz/"))]
    assert set(programs) <= places(f"memory-{name}")
    assert programs or "/opt/memory" in places(f"memory-{name}")


@pytest.mark.parametrize("name", WITH_IMAGE)
def test_the_pin_of_an_image_begins_with_the_layers_of_the_one_it_stands_on(name: str) -> None:
    image = f"memory-{name}"
    ours, below = (
        json.loads((ROOT / "images" / one / "pin.amd64.json").read_text()) for one in (image, declared(image)["from"])
    )
    layers = below["diff_ids"]
    assert ours["diff_ids"][: len(layers)] == layers, f"agzamov images build {image} && agzamov images pin {image}"
