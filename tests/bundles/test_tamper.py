"""Any one byte changed anywhere in a bundle is refused, and the refusal names a place."""

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

from agzamov_verify import bundle
from agzamov_verify.checks.check_log import Number
from agzamov_verify.core.dice import Stream
from agzamov_verify.show.text import verdict_report
from bundles.bundle_factory import Draft, check, failed_steps, reseal, told, zipped

CHANGES_PER_FILE = 80
SEALED_CHANGES_PER_FILE, FEW_PER_FILE = 30, 8
SEALS = (bundle.PAYLOAD_FILE, bundle.TAGS_FILE, bundle.ENVELOPE_FILE)
# What no check can contradict: what the machine was, and white space around the key.
FREE_TO_OWNER = {bundle.ENVIRONMENT_FILE, bundle.KEY_FILE}
CONTAINER_STEPS = {Number.NAMES, Number.PAYLOAD, Number.SIGNATURE}


def changes(size: int, name: str, count: int = CHANGES_PER_FILE) -> Iterator[tuple[int, int]]:
    """Where to change a file and by what; its first and last bytes are among them."""
    dice = Stream(b"tamper", name)
    places = [0, size - 1, *(dice.below(size) for _ in range(count - 2))]
    return ((at, 1 + dice.below(255)) for at in places)


@pytest.mark.slow
def test_one_changed_byte_in_any_file_is_refused_at_a_named_place(tiny: Path, tmp_path: Path) -> None:
    files = Draft.of(tiny).files
    root = Draft.of(tiny).write(tmp_path)
    tried = 0
    for name, data in files.items():
        for at, change in changes(len(data), name):
            (root / name).write_bytes(data[:at] + bytes([data[at] ^ change]) + data[at + 1 :])
            verdict = check(root)
            case = f"byte {at} of {name} changed by {change}\n{told(verdict)}"
            assert verdict.level == "V0", case
            assert set(failed_steps(verdict)) <= CONTAINER_STEPS, case
            assert verdict.findings, case
            assert verdict.findings[0].place, case
            tried += 1
        (root / name).write_bytes(data)
    assert tried >= 500
    assert check(root).level == "V1"


@pytest.mark.parametrize("cut", [0, 1, 2])
def test_a_file_without_its_last_bytes_is_refused(cut: int, tiny: Path, tmp_path: Path) -> None:
    files = Draft.of(tiny).files
    root = Draft.of(tiny).write(tmp_path)
    for name, data in files.items():
        (root / name).write_bytes(data[: cut - 1] if cut else b"")
        verdict = check(root)
        assert verdict.level == "V0", name
        (root / name).write_bytes(data)
        if not cut:
            (root / name).write_bytes(data + b"\n")
            assert check(root).level == "V0", name
            (root / name).write_bytes(data)


@pytest.mark.slow
def test_every_character_of_the_envelope_counts(tiny: Path, tmp_path: Path) -> None:
    """base64 has spare bits at its end, and JSON has white space: neither is free here."""
    draft = Draft.of(tiny)
    root = draft.write(tmp_path)
    data = draft.files[bundle.ENVELOPE_FILE]
    for at in (*range(0, len(data), 3), *range(len(data) - 20, len(data))):
        (root / bundle.ENVELOPE_FILE).write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        verdict = check(root)
        assert failed_steps(verdict) == [Number.SIGNATURE], at
        assert verdict.findings[0].place in {bundle.ENVELOPE_FILE, bundle.PAYLOAD_FILE}


@pytest.mark.parametrize(
    "count",
    [
        pytest.param(FEW_PER_FILE, marks=pytest.mark.slow),
        pytest.param(SEALED_CHANGES_PER_FILE, marks=pytest.mark.exhaustive),
    ],
)
def test_one_changed_byte_under_a_new_seal_never_breaks_the_verifier(count: int, tiny: Path, tmp_path: Path) -> None:
    """The owner changes a byte of what a file says, compressed or not, and seals everything again."""
    good = Draft.of(tiny)
    root = good.write(tmp_path)
    payload = [name for name in good.files if name.startswith("data/")]
    for name in payload:
        packed = name.endswith(".gz")
        data = gzip.decompress(good.files[name]) if packed else good.files[name]
        for at, change in changes(len(data), name, count):
            draft = good.copy()
            spoiled = data[:at] + bytes([data[at] ^ change]) + data[at + 1 :]
            draft.files[name] = zipped(spoiled) if packed else spoiled
            reseal(draft)
            for changed in (name, *SEALS):
                (root / changed).write_bytes(draft.files[changed])
            verdict = check(root)
            case = f"byte {at} of {name} changed by {change}"
            assert verdict.level == "V0" or name in FREE_TO_OWNER, case
            assert verdict.level == "V1" or verdict.findings[0].place, case
            assert verdict_report.json(verdict), case
            assert "\x1b" not in verdict_report.text(verdict), case
        (root / name).write_bytes(good.files[name])
