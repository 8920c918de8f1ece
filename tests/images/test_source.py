"""Packages of the checkout in an image: those that are named, under the metadata of their distributions."""

from pathlib import Path

import pytest

from agzamov_harness.containers.image_records import ImageFault
from agzamov_images import declaration, source
from containers.engines import ROOT

PROJECT = """\
[project]
name = "agzamov-servers"
version = "9.9"
description = "Ours"
requires-python = ">=3.11"
license = "MIT"
dependencies = ["mcp"]
optional-dependencies = { tools = ["chess"] }
"""
METADATA = "opt/agzamov_servers-9.9.dist-info/METADATA"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A distribution of two packages."""
    for name in ("one", "two"):
        (tmp_path / "servers" / name).mkdir(parents=True)
        (tmp_path / "servers" / name / "__init__.py").write_text(f"NAME = {name!r}\n")
    (tmp_path / "servers" / "pyproject.toml").write_text(PROJECT)
    (tmp_path / "servers" / "LICENSE").write_text("MIT\n")
    return tmp_path


def paths(checkout: Path, *packages: str) -> list[str]:
    return [entry.path for entry in source.unpacked(checkout, packages, "opt")]


def test_one_package_of_two_comes_with_the_metadata_of_its_distribution(checkout: Path) -> None:
    assert paths(checkout, "servers/two") == ["opt/two/__init__.py", METADATA, METADATA.replace("METADATA", "LICENSE")]


def test_two_packages_of_one_distribution_have_one_metadata(checkout: Path) -> None:
    found = paths(checkout, "servers/one", "servers/two")
    assert found[:2] == ["opt/one/__init__.py", "opt/two/__init__.py"]
    assert found.count(METADATA) == 1
    assert [one.name for one in source.components_of(checkout, ("servers/one", "servers/two"))] == ["agzamov-servers"]


def test_a_bill_tells_one_package_from_both(checkout: Path) -> None:
    (one,) = source.components_of(checkout, ("servers/one",))
    (both,) = source.components_of(checkout, ("servers/one", "servers/two"))
    assert (one.name, one.version) == (both.name, both.version) == ("agzamov-servers", "9.9")
    assert one.value != both.value


@pytest.mark.parametrize(
    ("package", "place", "expected"),
    [
        ("servers/three", "servers/three", "expected an import package of this checkout, found none"),
        ("nowhere/one", "nowhere/pyproject.toml", "expected a distribution of this checkout"),
    ],
)
def test_a_package_that_is_not_here_is_named(checkout: Path, package: str, place: str, expected: str) -> None:
    with pytest.raises(ImageFault) as raised:
        paths(checkout, package)
    assert str(raised.value).startswith(f"{checkout / place}: {expected}")


def test_the_image_of_memories_holds_no_tools_and_no_verifier() -> None:
    held = {
        name: {
            package
            for part in declaration.read(ROOT / "images", name).layers
            for package in getattr(part, "packages", ())
        }
        for name in ("memory", "tools", "harness", "verify")
    }
    assert held == {
        "memory": {"servers/agzamov_mcp", "servers/agzamov_memory"},
        "tools": {"servers/agzamov_mcp", "servers/agzamov_tools", "verify/agzamov_verify"},
        "harness": {
            "harness/agzamov_harness",
            "servers/agzamov_mcp",
            "servers/agzamov_tools",
            "verify/agzamov_verify",
        },
        "verify": {"verify/agzamov_verify"},
    }
