"""Rounds of drand's quicknet, as recorded from its public servers."""

import subprocess
import sys

import msgspec
import pytest

from agzamov_verify.registration.beacon import QUICKNET, BeaconRound, NoPairing, is_of_chain
from registration.registered_run import RANDOMNESS_1000, ROUNDS


def test_the_randomness_of_a_round_is_the_one_that_drand_publishes() -> None:
    assert BeaconRound("quicknet", 1000, ROUNDS[1000]).randomness.hex() == RANDOMNESS_1000


def test_rounds_come_out_every_three_seconds_from_the_first() -> None:
    assert QUICKNET.time_s(1) == 1_692_803_367
    assert QUICKNET.time_s(1000) == 1_692_803_367 + 999 * 3
    assert [QUICKNET.round_after(QUICKNET.time_s(1000) + late) for late in (-1, 0, 1, 3)] == [1000, 1000, 1001, 1001]
    assert QUICKNET.round_after(0) == 1


@pytest.mark.parametrize("number", sorted(ROUNDS))
def test_recorded_rounds_are_of_the_chain_and_of_their_number_alone(number: int) -> None:
    pytest.importorskip("agzamov_verify.registration.pairing")
    assert is_of_chain(BeaconRound("quicknet", number, ROUNDS[number]), QUICKNET)
    assert not is_of_chain(BeaconRound("quicknet", number + 1, ROUNDS[number]), QUICKNET)


@pytest.mark.parametrize("signature", ["c0" + "00" * 47, "00" * 48, "ff" * 48, ROUNDS[1000][:-1] + "8"])
def test_points_that_are_none_or_prove_nothing_are_refused(signature: str) -> None:
    pytest.importorskip("agzamov_verify.registration.pairing")
    assert not is_of_chain(BeaconRound("quicknet", 1000, signature), QUICKNET)


def test_another_chains_key_did_not_sign() -> None:
    pytest.importorskip("agzamov_verify.registration.pairing")
    other = msgspec.structs.replace(QUICKNET, public_key="c0" + "00" * 95)
    assert not is_of_chain(BeaconRound("quicknet", 1000, ROUNDS[1000]), other)


def test_without_the_library_a_round_is_not_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "agzamov_verify.registration.pairing", None)
    with pytest.raises(NoPairing, match="pip install"):
        is_of_chain(BeaconRound("quicknet", 1000, ROUNDS[1000]), QUICKNET)


def test_the_library_leaves_the_limit_of_recursion_as_it_was() -> None:
    """Else a hostile document of many brackets would end the process in the place of an error."""
    pytest.importorskip("agzamov_verify.registration.pairing")
    program = (
        "import sys; before = sys.getrecursionlimit(); import agzamov_verify.registration.pairing;"
        "assert sys.getrecursionlimit() == before"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_check_does_not_import_the_library_before_there_is_a_round() -> None:
    """The import takes longer than the check of a small bundle."""
    program = "import sys, agzamov_verify.checks.steps; assert not [name for name in sys.modules if 'py_ecc' in name]"
    subprocess.run([sys.executable, "-c", program], check=True)
