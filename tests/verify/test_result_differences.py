"""Places where two documents of results differ: each is named, with what stands there and what should."""

import json
from types import SimpleNamespace
from typing import Any, cast

import pytest

from agzamov_verify import bundle
from agzamov_verify.checks.results_check import differences
from agzamov_verify.scoring.results import Results
from agzamov_verify.table.registry import IncompleteGame

LONG = {f"figure_{number}": "0" * 20 for number in range(20)}


@pytest.mark.parametrize(
    ("found", "told"),
    [
        ({**LONG, "figure_3": "1"}, ("$.matches[0].figure_3", "0" * 20, "1")),
        ({**LONG, "invented": "1"}, ("$.matches[0].invented", "nothing", "1")),
        ({name: LONG[name] for name in LONG if name != "figure_9"}, ("$.matches[0].figure_9", "0" * 20, "nothing")),
    ],
)
def test_a_figure_that_differs_is_named_wherever_it_stands(found: dict[str, str], told: tuple[str, str, str]) -> None:
    expected, other = (json.dumps({"matches": [one]}).encode() for one in (LONG, found))
    assert differences(expected, other) == [told]


def test_a_list_that_is_too_short_is_told_by_its_length() -> None:
    expected, found = (json.dumps({"matches": [LONG] * count}).encode() for count in (3, 2))
    assert differences(expected, found) == [("$.matches", "3 items", "2 items")]


def test_so_many_differences_are_told_and_no_key_or_value_is_longer_than_a_line() -> None:
    expected = json.dumps(LONG).encode()
    found = {str(number) + "k" * 1_000: "v" for number in range(4)} | {"figure_0": "v" * 300}
    told = differences(expected, json.dumps(found).encode())
    assert len(told) == 10
    assert all(len(part) <= 202 for place in told for part in place)


def test_a_claim_that_the_counts_do_not_give_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    result = SimpleNamespace(headline=lambda: {"games": "4", "score": "0.5"})
    match = SimpleNamespace(id="p1", phase=1, game="noughts", no_finding="", gate=None, result=result)
    results: Any = SimpleNamespace(protocol="agz-next", matches=(match,), departures=(), not_played=())
    for claims, refused in ((("games", "score"), ""), (("games", "decided_by_play"), "decided_by_play")):
        monkeypatch.setattr(bundle, "PROTOCOLS", {"agz-next": SimpleNamespace(claims={"noughts": claims})})
        if refused:
            with pytest.raises(IncompleteGame, match=rf"claims of noughts .* \(games, score\), found {refused}"):
                bundle.claims_of(cast("Results", results))
        else:
            assert bundle.claims_of(results)["p1/score"] == "0.5"
