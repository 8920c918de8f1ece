"""Defects of what is said about the story: results, timing, claims."""

from agzamov_verify import bundle
from bundles.museum.pieces import Museum
from bundles.workshop import (
    CHESS0,
    CHESS1,
    GAMES0,
    POKER0,
    Draft,
    laps,
    put_laps,
    reseal,
    sign,
)

museum = Museum()

# --- 10 results -------------------------------------------------------------------------------------


def change_results(draft: Draft, at: int, **changes: object) -> None:
    """Figures of one match changed, and the claims with them."""
    value = draft.json(bundle.RESULTS_FILE)
    value["matches"][at]["result"].update(changes)
    draft.put_json(bundle.RESULTS_FILE, value)
    reseal(draft)


@museum(10, f"{bundle.RESULTS_FILE} $.matches[0].result.adjudicated.losses")
def a_winner_is_flipped(draft: Draft) -> None:
    score = draft.json(bundle.RESULTS_FILE)["matches"][0]["result"]["adjudicated"]
    change_results(draft, 0, adjudicated={**score, "wins": score["wins"] - 1, "losses": score["losses"] + 1})


@museum(10, f"{bundle.RESULTS_FILE} $.matches[1].result.net_chips")
def chips_are_added_to_a_balance(draft: Draft) -> None:
    change_results(draft, 1, net_chips=10_000)


@museum(10, f"{bundle.RESULTS_FILE} $.matches[0].result.adjudicated.score_ci.low")
def an_interval_is_narrowed(draft: Draft) -> None:
    score = draft.json(bundle.RESULTS_FILE)["matches"][0]["result"]["adjudicated"]
    change_results(draft, 0, adjudicated={**score, "score_ci": {**score["score_ci"], "low": "1.234567"}})


@museum(10, f"{bundle.RESULTS_FILE} $.matches[1].gate.passed")
def a_failed_phase_0_is_called_passed(draft: Draft) -> None:
    value = draft.json(bundle.RESULTS_FILE)
    value["matches"][1]["gate"]["passed"] = True
    draft.put_json(bundle.RESULTS_FILE, value)
    reseal(draft)


@museum(10, f"{bundle.RESULTS_FILE} $.matches[0].conduct[0].cost_usd.decimal")
def a_cost_is_made_up(draft: Draft) -> None:
    value = draft.json(bundle.RESULTS_FILE)
    value["matches"][0]["conduct"][0]["cost_usd"]["decimal"] = "6.110000"
    draft.put_json(bundle.RESULTS_FILE, value)
    reseal(draft)


@museum(10, f"{bundle.RESULTS_FILE} $.departures")
def departures_from_the_protocol_are_hidden(draft: Draft) -> None:
    draft.put_json(bundle.RESULTS_FILE, {**draft.json(bundle.RESULTS_FILE), "departures": []})
    reseal(draft)


@museum(10, f"{bundle.RESULTS_FILE} $")
def the_results_have_one_field_more(draft: Draft) -> None:
    draft.put_json(bundle.RESULTS_FILE, {**draft.json(bundle.RESULTS_FILE), "rating": 2850})
    reseal(draft)


@museum(10, f"{bundle.RESULTS_FILE} $")
def the_results_are_no_json(draft: Draft) -> None:
    draft.files[bundle.RESULTS_FILE] = b"won everything\n"
    reseal(draft)


@museum(10, f"{bundle.RESULTS_FILE} $")
def the_results_are_not_canonical(draft: Draft) -> None:
    draft.files[bundle.RESULTS_FILE] += b"\n"
    reseal(draft)


@museum(10, bundle.RESULTS_FILE)
def there_are_no_results(draft: Draft) -> None:
    del draft.files[bundle.RESULTS_FILE]
    reseal(draft)


@museum(10, f"{bundle.TIMING_FILE} $.matches.{CHESS0}.agent.mean_ms.decimal")
def the_timing_table_is_flattered(draft: Draft) -> None:
    value = draft.json(bundle.TIMING_FILE)
    value["matches"][CHESS0]["agent"]["mean_ms"]["decimal"] = "0.100000"
    draft.put_json(bundle.TIMING_FILE, value)
    reseal(draft)


@museum(10, bundle.timing_name(GAMES0))
def a_timing_file_is_missing(draft: Draft) -> None:
    del draft.files[bundle.timing_name(GAMES0)]
    reseal(draft)


@museum(10, bundle.timing_name(GAMES0))
def a_timing_file_has_a_lap_too_few(draft: Draft) -> None:
    put_laps(draft, GAMES0, laps(draft, GAMES0)[:-1])
    reseal(draft)


@museum(10, bundle.timing_name(GAMES0))
def a_timing_file_has_a_lap_too_many(draft: Draft) -> None:
    put_laps(draft, GAMES0, [*laps(draft, GAMES0), b'{"to":"agent","us":1}'])
    reseal(draft)


@museum(10, bundle.timing_name(GAMES0))
def a_lap_takes_negative_time(draft: Draft) -> None:
    put_laps(draft, GAMES0, [b'{"to":"agent","us":-1}', *laps(draft, GAMES0)[1:]])
    reseal(draft)


@museum(10, bundle.timing_name(GAMES0))
def a_lap_is_no_lap(draft: Draft) -> None:
    put_laps(draft, GAMES0, [b"a while", *laps(draft, GAMES0)[1:]])
    reseal(draft)


@museum(10, f"{bundle.TIMING_FILE} $.matches.{CHESS0}")
def a_lap_names_somebody_else(draft: Draft) -> None:
    put_laps(draft, GAMES0, [b'{"to":"ghost","us":1500}', *laps(draft, GAMES0)[1:]])
    reseal(draft)


# --- 11 claims --------------------------------------------------------------------------------------


@museum(11, f"claim {CHESS1}/score")
def a_claim_is_higher_than_the_results(draft: Draft) -> None:
    draft.predicate["claims"][f"{CHESS1}/score"] = "0.990000"
    sign(draft)


@museum(11, f"claim {POKER0}/bb_per_100")
def a_claim_is_left_out(draft: Draft) -> None:
    del draft.predicate["claims"][f"{POKER0}/bb_per_100"]
    sign(draft)


@museum(11, "claim elo")
def a_claim_is_invented(draft: Draft) -> None:
    draft.predicate["claims"]["elo"] = "2850"
    sign(draft)


@museum(11, "claim compliant")
def a_departing_run_is_called_compliant(draft: Draft) -> None:
    draft.predicate["claims"]["compliant"] = "yes"
    sign(draft)


@museum(11, "statement recomputability")
def replies_are_said_to_be_recomputed(draft: Draft) -> None:
    draft.predicate["recomputability"]["replies"] = "recomputed"
    sign(draft)
