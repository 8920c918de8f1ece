"""Bundles of different submitters: their keys are named, mixing them is warned of, and `--key` takes chosen ones."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from agzamov_harness.cli import main
from agzamov_verify.core.envelope import key_id
from bundles.bundle_factory import STRANGER, SUBMITTER, make

RULES = {"adjudication": {"policy": "none"}, "plies_max": 4}
LOOK_ALIKE = "gpt-4\N{CYRILLIC SMALL LETTER O}\N{RIGHT-TO-LEFT OVERRIDE}"


def plan(name: str) -> dict[str, object]:
    match = {"phase": 0, "game": "chess960", "a": name, "b": name, "games": 2}
    return {"title": name, "seats": {name: {"kind": "random"}}, "chess960": RULES, "matches": [match]}


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """One bundle of each of two keys."""
    return [make(plan(name), tmp_path_factory.mktemp(name), key=key) for name, key in KEYS.items()]


KEYS = {"one": SUBMITTER, "other": STRANGER}


def public(key: Ed25519PrivateKey, path: Path) -> Path:
    path.write_bytes(key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    return path


def invoked(command: str, *arguments: object) -> Result:
    return CliRunner().invoke(main, [command, *map(str, arguments), "--jobs", "1", "--seat-replies-max", "3"])


@pytest.mark.parametrize("command", ["score", "matrix", "calibrate"])
def test_each_key_is_named_and_several_are_warned_of(command: str, two: list[Path]) -> None:
    done = invoked(command, *two)
    assert done.exit_code == 0, done.output
    for key in KEYS.values():
        assert f"signed by key {key_id(key.public_key())[:16]}" in done.stdout
    assert "2 DIFFERENT keys" in done.stdout
    assert "warning: these bundles were signed by 2 different keys" in done.stderr


def test_one_key_is_no_warning(two: list[Path]) -> None:
    done = invoked("score", two[0])
    assert ("signed by one key" in done.stdout, done.stderr) == (True, "")


def test_only_the_keys_that_are_named_are_taken(two: list[Path], tmp_path: Path) -> None:
    ours, theirs = (public(key, tmp_path / f"{name}.pub") for name, key in KEYS.items())
    refused = invoked("score", *two, "--key", ours)
    assert refused.exit_code == 1
    assert f"expected a bundle signed by key {key_id(SUBMITTER.public_key())[:16]}, found key" in refused.stderr
    both = invoked("score", *two, "--key", ours, "--key", theirs)
    assert (both.exit_code, both.stderr) == (0, "")
    (tmp_path / "none").write_text("no key")
    assert invoked("score", *two, "--key", tmp_path / "none").exit_code == 2


def test_json_names_the_submitter_and_is_ascii(two: list[Path], tmp_path: Path) -> None:
    made = make({**plan("one"), "title": LOOK_ALIKE}, tmp_path)
    for command, *rest in (("score", two[0]), ("verify", made), ("show", made)):
        done = CliRunner().invoke(main, [command, *map(str, rest), "--json"])
        assert done.stdout.isascii(), command
        assert json.loads(done.stdout)
    sources = json.loads(invoked("score", two[0], "--json").stdout)["bundles"]
    assert sources[0]["submitter"] == key_id(SUBMITTER.public_key())


def test_what_is_no_bundle_is_refused_before_anything_is_verified(tmp_path: Path) -> None:
    done = invoked("score", tmp_path)
    assert (done.exit_code, "this folder is not a bundle" in done.stderr) == (2, True)
