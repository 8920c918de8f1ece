"""Defects of what is said about the story: results, calls, claims."""

from agzamov_verify import bundle
from bundles.bundle_factory import (
    CHESS0,
    CHESS1,
    GAMES0,
    POKER0,
    Draft,
    calls,
    put_calls,
    reseal,
    sign,
)
from bundles.tampered_bundles.cases import TamperedCases

tampered = TamperedCases()

# --- 10 results -------------------------------------------------------------------------------------


def change_results(draft: Draft, at: int, **changes: object) -> None:
    """Figures of one match changed, and the claims with them."""
    value = draft.json(bundle.RESULTS_FILE)
    value["matches"][at]["result"].update(changes)
    draft.put_json(bundle.RESULTS_FILE, value)
    reseal(draft)


@tampered(10, f"{bundle.RESULTS_FILE} $.matches[0].result.adjudicated.losses")
def a_winner_is_flipped(draft: Draft) -> None:
    score = draft.json(bundle.RESULTS_FILE)["matches"][0]["result"]["adjudicated"]
    change_results(draft, 0, adjudicated={**score, "wins": score["wins"] - 1, "losses": score["losses"] + 1})


@tampered(10, f"{bundle.RESULTS_FILE} $.matches[1].result.net_chips")
def chips_are_added_to_a_balance(draft: Draft) -> None:
    change_results(draft, 1, net_chips=10_000)


@tampered(10, f"{bundle.ANALYSIS_FILE} $.matches[0].score.everything.ci")
def an_interval_is_made_up(draft: Draft) -> None:
    value = draft.json(bundle.ANALYSIS_FILE)
    made_up = {"low": "0.900000", "high": "1.000000", "method": "wilson"}
    value["matches"][0]["score"]["everything"]["ci"] = made_up
    draft.put_json(bundle.ANALYSIS_FILE, value)
    reseal(draft)


@tampered(10, f"{bundle.RESULTS_FILE} $.matches[1].gate.passed")
def a_failed_phase_0_is_called_passed(draft: Draft) -> None:
    value = draft.json(bundle.RESULTS_FILE)
    value["matches"][1]["gate"]["passed"] = True
    draft.put_json(bundle.RESULTS_FILE, value)
    reseal(draft)


@tampered(10, f"{bundle.RESULTS_FILE} $.matches[0].seat_stats[0].cost_usd.decimal")
def a_cost_is_made_up(draft: Draft) -> None:
    value = draft.json(bundle.RESULTS_FILE)
    value["matches"][0]["seat_stats"][0]["cost_usd"]["decimal"] = "6.110000"
    draft.put_json(bundle.RESULTS_FILE, value)
    reseal(draft)


@tampered(10, f"{bundle.RESULTS_FILE} $.departures")
def departures_from_the_protocol_are_hidden(draft: Draft) -> None:
    draft.put_json(bundle.RESULTS_FILE, {**draft.json(bundle.RESULTS_FILE), "departures": []})
    reseal(draft)


@tampered(10, f"{bundle.RESULTS_FILE} $.rating")
def the_results_have_one_field_more(draft: Draft) -> None:
    draft.put_json(bundle.RESULTS_FILE, {**draft.json(bundle.RESULTS_FILE), "rating": 2850})
    reseal(draft)


@tampered(10, f"{bundle.RESULTS_FILE} $")
def the_results_are_no_json(draft: Draft) -> None:
    draft.files[bundle.RESULTS_FILE] = b"won everything\n"
    reseal(draft)


@tampered(10, f"{bundle.RESULTS_FILE} $")
def the_results_are_not_canonical(draft: Draft) -> None:
    draft.files[bundle.RESULTS_FILE] += b"\n"
    reseal(draft)


@tampered(10, bundle.RESULTS_FILE)
def there_are_no_results(draft: Draft) -> None:
    del draft.files[bundle.RESULTS_FILE]
    reseal(draft)


@tampered(10, f"{bundle.CALLS_FILE} $.matches.{CHESS0}.agent.mean_ms.decimal")
def the_table_of_calls_is_flattered(draft: Draft) -> None:
    value = draft.json(bundle.CALLS_FILE)
    value["matches"][CHESS0]["agent"]["mean_ms"]["decimal"] = "0.100000"
    draft.put_json(bundle.CALLS_FILE, value)
    reseal(draft)


@tampered(10, bundle.calls_name(GAMES0))
def a_file_of_calls_is_missing(draft: Draft) -> None:
    del draft.files[bundle.calls_name(GAMES0)]
    reseal(draft)


@tampered(10, bundle.calls_name(GAMES0))
def a_file_of_calls_has_a_line_too_few(draft: Draft) -> None:
    put_calls(draft, GAMES0, calls(draft, GAMES0)[:-1])
    reseal(draft)


@tampered(10, bundle.calls_name(GAMES0))
def a_file_of_calls_has_a_line_too_many(draft: Draft) -> None:
    put_calls(draft, GAMES0, [*calls(draft, GAMES0), b'{"to":"agent","us":1}'])
    reseal(draft)


@tampered(10, bundle.calls_name(GAMES0))
def a_call_takes_negative_time(draft: Draft) -> None:
    put_calls(draft, GAMES0, [b'{"to":"agent","us":-1}', *calls(draft, GAMES0)[1:]])
    reseal(draft)


@tampered(10, bundle.calls_name(GAMES0))
def a_call_is_no_call(draft: Draft) -> None:
    put_calls(draft, GAMES0, [b"a while", *calls(draft, GAMES0)[1:]])
    reseal(draft)


@tampered(10, bundle.calls_name(GAMES0))
def every_call_is_said_to_be_somebody_elses(draft: Draft) -> None:
    put_calls(draft, GAMES0, [b'{"to":"ghost","us":1500}' for _ in calls(draft, GAMES0)])
    reseal(draft)


# --- 11 claims --------------------------------------------------------------------------------------


@tampered(11, f"claim {CHESS1}/score")
def a_claim_is_higher_than_the_results(draft: Draft) -> None:
    draft.predicate["claims"][f"{CHESS1}/score"] = "0.990000"
    sign(draft)


@tampered(11, f"claim {POKER0}/bb_per_100")
def a_claim_is_left_out(draft: Draft) -> None:
    del draft.predicate["claims"][f"{POKER0}/bb_per_100"]
    sign(draft)


@tampered(11, "claim elo")
def a_claim_is_invented(draft: Draft) -> None:
    draft.predicate["claims"]["elo"] = "2850"
    sign(draft)


@tampered(11, "claim compliant")
def a_departing_run_is_called_compliant(draft: Draft) -> None:
    draft.predicate["claims"]["compliant"] = "yes"
    sign(draft)


@tampered(11, "statement recomputability")
def replies_are_said_to_be_recomputed(draft: Draft) -> None:
    draft.predicate["recomputability"]["replies"] = "recomputed"
    sign(draft)
