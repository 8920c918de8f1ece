"""The committed cases of fuzzing, and a little random fuzzing of each reader in every test run."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fuzz.targets import TARGETS

CASES = sorted(path for path in (Path(__file__).parent / "cases").rglob("*") if path.is_file())


@pytest.mark.parametrize("case", CASES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_case_that_once_broke_a_reader_is_refused_cleanly(case: Path) -> None:
    TARGETS[case.parent.name](case.read_bytes())


@pytest.mark.parametrize("name", sorted(TARGETS))
@settings(max_examples=60, deadline=None)
@given(data=st.binary(max_size=2000))
def test_random_bytes_are_refused_cleanly(name: str, data: bytes) -> None:
    TARGETS[name](data)


def test_every_folder_of_cases_belongs_to_a_target() -> None:
    assert {case.parent.name for case in CASES} <= TARGETS.keys()
