"""The first screen of `verify` and `show`: an answer first, at most 100 columns, one interval for one figure."""

import re
import shlex
import shutil
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from agzamov_verify import bundle
from agzamov_verify.checks.check_log import Finding, Number, Status
from agzamov_verify.checks.limits import VerificationLimits
from agzamov_verify.checks.seat_replies import Recomputed, recomputed_of
from agzamov_verify.checks.steps import Options, Verdict, verify
from agzamov_verify.cli import main
from agzamov_verify.commands.bundle_argument import no_bundle
from agzamov_verify.core.columns import WIDTH, table
from agzamov_verify.core.execution_log import ExecutionOutcome, Start, Stop
from agzamov_verify.experiment.matches import Arm, Augmentation, Condition
from agzamov_verify.plan.manifest import Plan, Price, Seed
from agzamov_verify.protocols.norms import load_protocol
from agzamov_verify.scoring.analysis import Analysis
from agzamov_verify.scoring.departures import departures
from agzamov_verify.scoring.results import Results
from agzamov_verify.seats import EndpointSeat, GgufSeat, RandomSeat, Seat, StockfishSeat
from agzamov_verify.show import glossary
from agzamov_verify.show.seat_words import NO_PRICE, SeatTotals, cost_words, record_words, sealed_words, totals_of
from agzamov_verify.show.text import verdict_report
from agzamov_verify.show.text.figure_warnings import hosted_warnings, warnings_of
from agzamov_verify.show.text.first_screen import (
    KEY_NOT_GIVEN,
    NextStep,
    departs_lines,
    departs_words,
    grouped_departures,
    next_lines,
)
from agzamov_verify.show.text.gate_words import gate_lines
from agzamov_verify.show.text.headline import Headline, headlines, no_interval_lines
from agzamov_verify.show.text.seed_words import seed_words
from agzamov_verify.systems import MemorySystem
from bundles.bundle_factory import SMALL, Draft, check, make
from bundles.tampered_bundles.executions import heads, put_log

PARAGRAPHS = ["Result", "Measured", "How", "Checked", "Claimed", "Departs", "Next"]
MODEL = EndpointSeat(base_url="https://api.example/v1", model="m-1", tokens_max=64)


def screen(*arguments: object) -> str:
    return CliRunner().invoke(main, list(map(str, arguments))).stdout


def words(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.slow
@pytest.mark.parametrize("command", ["check", "show"])
def test_an_answer_comes_first_and_fits_on_the_screen(command: str, small: Path) -> None:
    told = screen(command, small)
    heads = [line.split()[0] for line in told.splitlines() if line[:1].isalpha()]
    assert [head for head in heads if head in PARAGRAPHS] == PARAGRAPHS
    assert heads[2] == "Result"
    assert max(map(len, told.splitlines())) <= WIDTH
    assert "agent (scripted reference player) against dice (random player): 6 games of Chess960" in words(told)
    assert "The submitter chose the seed: this may be the best of many runs" in words(told)


@pytest.mark.slow
def test_a_figure_has_one_interval_the_analysis_own(small: Path) -> None:
    told = words(screen("check", small, "--details"))
    verdict = check(small)
    assert verdict.results
    assert verdict.analysis
    heads = headlines(verdict.results.matches, verdict.analysis)
    for match, analysed in zip(verdict.results.matches, verdict.analysis.matches, strict=True):
        interval, head = analysed.main.everything.ci, heads[match.id]
        assert (head.low, head.high) == ((float(interval.low), float(interval.high)) if interval else (None, None))
        assert (interval is None) == ("an interval needs" in head.why_none), "there are 2 or 3 units of each"
        assert told.count(heads[match.id].short) == (not match.is_self_play), "in the table, but for self-play"
        assert f"result of A {heads[match.id].words}" in told, "the same in the details"


def test_without_an_engine_everything_else_holds_and_what_is_missing_is_named() -> None:
    verdict = Verdict([], [], manifest=msgspec.UNSET)  # type: ignore[arg-type]
    verdict.steps = [step(9, Status.NOT_CHECKED, "no Stockfish 15.1 here"), step(1, Status.PASS)]
    verdict.manifest = object()  # type: ignore[assignment]
    assert verdict_report.believe_words(verdict)[0] == (
        "Everything that could be checked here holds. Not checked: engine (step 9: no Stockfish 15.1 here). Until then"
        " level V0, not V1."
    )
    verdict.steps = [step(16, Status.NOT_CHECKED, f"{'all as recorded; ' * 9}more than --engine-nodes-max 3,000")]
    assert "more than --engine-nodes-max 3,000" in verdict_report.believe_words(verdict)[0], "an advice is not cut"
    verdict.steps = [step(9, Status.FAIL)]
    verdict.findings = [Finding(9, "x", "y", "z")]
    assert verdict_report.believe_words(verdict)[0].startswith("Not to be believed (level V0): 1 thing is wrong")


def step(number: int, status: Status, remark: str = "") -> verdict_report.Step:
    return verdict_report.Step(number, Number(number).name.lower(), status, remark)


def test_a_broken_bundle_shows_its_findings_and_no_figure(small: Path, tmp_path: Path) -> None:
    draft = Draft.of(small)
    draft.files[bundle.RESULTS_FILE] += b" "
    told = screen("check", draft.write(tmp_path))
    assert "Not to be believed" in told
    assert f"step 2 {bundle.RESULTS_FILE}: expected sha256" in words(told)
    assert not re.search(r"\d \[", told)
    assert max(map(len, told.splitlines())) <= WIDTH


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [("check", "--details"), ("show", "--details"), ("show",), ("score",)])
def test_no_line_is_wider_than_100_columns(small: Path, arguments: tuple[str, ...]) -> None:
    command, *options = arguments
    assert [line for line in screen(command, small, *options).splitlines() if len(line) > WIDTH] == []


@pytest.mark.parametrize("word", ["p", "Holm", "Holm's method", "corrected"])
def test_the_words_about_a_p_are_explained(word: str) -> None:
    """`How sure` has them."""
    term = glossary.find(word)
    assert term
    assert "Holm's method" in term.text if term.name == "corrected" else "two-sided" in term.text


@pytest.mark.slow
def test_every_label_of_the_details_is_explained(small: Path) -> None:
    told = screen("check", small, "--details")
    labels = {found[1].strip() for found in re.finditer(r"^  ([^\s-].{25}) \S", told, re.MULTILINE)}
    labels |= set(re.split(r"  +", re.search(r"^match  .*", told, re.MULTILINE)[0]))  # type: ignore[index]
    labels |= set(re.findall(r"\b(?:PASS|FAIL|NOT CHECKED|MDE|bb/100|mbb|V\d|SD)\b", told))
    assert len(labels) > 20
    assert {name for name in labels if glossary.find(name) is None} == set()


def test_a_seat_says_what_it_is_whatever_its_name(tmp_path: Path) -> None:
    seats = {"gpt_5": {"kind": "random"}, "other": {"kind": "random"}}
    match = {"phase": 0, "game": "chess960", "a": "gpt_5", "b": "other", "games": 2}
    rules = {"adjudication": {"policy": "none"}, "plies_max": 4}
    made = make({"title": "A name", "seats": seats, "chess960": rules, "matches": [match]}, tmp_path)
    told = words(screen("check", made, "--details"))
    assert "gpt_5 (random player) against other (random player)" in told
    assert "gpt_5: random player: uniformly random legal actions, no model" in told


def test_a_models_seat_names_host_sampling_limit_and_an_unknown_price() -> None:
    told = sealed_words("m", MODEL, None)  # type: ignore[arg-type]
    assert 'model "m-1" at api.example' in told
    assert "temperature 0, sampling seed sent, at most 64 tokens a reply" in told
    unlimited = msgspec.structs.replace(MODEL, accepts=("temperature",), model="\N{CYRILLIC SMALL LETTER A}")
    told = sealed_words("m", unlimited, None)  # type: ignore[arg-type]
    assert ('"\\u0430"' in told, "no sampling seed sent, NO token limit sent" in told) == (True, True)


def test_what_no_price_was_sealed_for_has_no_known_cost() -> None:
    plan = Plan("p", {"m": MODEL}, ())
    total = SeatTotals(10, 7, 2, 1, 10, 3, 500, 0.0, flagged=False)
    manifest = type("M", (), {"plan": plan})()
    assert cost_words("m", manifest, 0.0) == NO_PRICE
    assert NO_PRICE not in record_words("m", MODEL, manifest, total), "in the details only"
    assert "10.0 % errors, 2 replies normalised, 1 replies cut" in record_words("m", MODEL, manifest, total)
    assert "3 retries" in record_words("m", MODEL, manifest, total)
    priced = type("M", (), {"plan": msgspec.structs.replace(plan, prices={"m": Price()})})()
    assert "cost 0.000000 USD" in record_words("m", MODEL, priced, total)


def test_who_chose_the_seed_is_said_for_every_origin() -> None:
    plan = Plan("p", {}, (), seed=Seed("season", "2026-a"))
    assert '"2026-a" (origin season)' in seed_words(type("M", (), {"plan": plan})())
    assert "best of many" in seed_words(type("M", (), {"plan": plan})())


def test_phase_0_alone_is_compliant_as_far_as_it_goes_and_the_claim_says_so(small: Path) -> None:
    results = check(small).results
    assert results
    only = msgspec.structs.replace(results, departures=(), not_played=(), matches=results.matches[:2])
    assert "compliant as far as it goes: Phase 0 only, no score follows" in departs_words(only)
    assert bundle.claims_of(only)["compliant"] == "phase 0 only"
    whole = msgspec.structs.replace(only, matches=results.matches)
    assert (departs_words(whole), bundle.claims_of(whole)["compliant"]) == ("nowhere: compliant with agz-0.1", "yes")
    for some in (only, whole):
        stopped = msgspec.structs.replace(some, not_played=("p1", "p2"))
        assert departs_words(stopped) == "nowhere from agz-0.1, but Phase 0 stopped 2 of its matches: not compliant"
        assert bundle.claims_of(stopped)["compliant"] == "no", "the screen called it compliant"
    draft = "play-0.1 (a draft: a later verifier may refuse its bundles)"
    assert departs_words(msgspec.structs.replace(whole, protocol="play-0.1")) == f"nowhere: compliant with {draft}"
    departing = msgspec.structs.replace(whole, protocol="play-0.1", departures=("a shorter game",))
    assert departs_words(departing).startswith(f"from protocol {draft} in 1 way, ")


def test_a_model_without_any_token_limit_is_a_departure() -> None:
    limited, unlimited = MODEL, msgspec.structs.replace(MODEL, accepts=("temperature", "seed"))
    found = [departures(plan_with(seat)) for seat in (limited, unlimited)]
    assert set(found[1]) - set(found[0]) == {"seat m has no token limit that is sent"}


def plan_with(seat: EndpointSeat) -> Plan:
    plan = msgspec.convert({**SMALL, "seats": {"agent": {"kind": "random"}, "other": {"kind": "random"}}}, Plan)
    matches = tuple(msgspec.structs.replace(match, a="m", b="m") for match in plan.matches[-1:])
    return msgspec.structs.replace(plan, seats={"m": seat}, matches=matches)


def test_a_table_gives_way_in_its_first_column_only() -> None:
    name = "p1-holdem-naked-" + "a" * 32 + "-" + "b" * 32
    lines = list(table(["match", "result"], [[name, "1.000 [0.510, 1.000]"], ["short", "x" * 70]]))
    assert max(map(len, lines)) == WIDTH
    assert lines[1].startswith("p1-holdem-")
    assert lines[1].endswith("1.000 [0.510, 1.000]")


def test_a_first_cell_of_several_words_goes_on_beneath_itself() -> None:
    name = "Phase 2 without memory, hold'em, reference v opponent"
    lines = list(table(["match", "result"], [[name, "x" * 60]]))
    assert max(map(len, lines)) <= WIDTH
    assert " ".join(" ".join(lines[1:]).replace("x" * 60, "").split()) == name


def test_too_few_units_have_no_interval_and_an_early_end_a_sequential_one() -> None:
    head = Headline(0.6, 0.55, 0.7, 0.5, 40, sequential=False, game="chess960")
    assert (head.short, head.better, head.worse, head.few) == ("0.60 [0.55, 0.70]", True, False, False)
    assert head._replace(sequential=True).short == "0.60 [0.55, 0.70]*"
    none = head._replace(low=None, high=None, game="holdem", value=-3.0, why_none="n = 3, an interval needs 5")
    assert (none.short, none.better, none.worse, none.few) == ("-3.0 [no interval] bb/100", False, False, True)
    assert none.words == "-3.0 big blinds per 100 hands, no interval: n = 3, an interval needs 5"


def test_games_without_a_winner_are_not_called_few() -> None:
    """Of 40 games that were all drawn the screen said that they were too few."""
    drawn = Headline(0.5, None, None, 0.5, 40, sequential=False, game="chess960")
    drawn = drawn._replace(why_none="0 of n = 40 decided, an interval needs 6")
    few = drawn._replace(why_none="n = 3, an interval needs 15")
    count = "no interval: too few games for a trustworthy one"
    winner = "no interval: too few games had a winner for a trustworthy one"
    assert list(no_interval_lines([drawn, drawn])) == [winner]
    assert list(no_interval_lines([few, drawn])) == [count, winner]


# --- conclusions ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_few_units_conclude_nothing_and_phase_0_says_its_own_test(small: Path) -> None:
    told = words(screen("check", small))
    assert "cannot" not in told, "who lost with legal actions is told apart by its wins"
    assert ("did better" in told, "did worse" in told, "too few, an interval needs" in told) == (False, False, True)
    gate = r"Phase 0 \(the entry test: usable answers that beat a random player\): passed in Chess960"
    gate += r" \(\d of 6 games won, p"
    assert re.search(gate, told)


def test_what_can_never_pass_phase_0_is_told_apart_from_what_did_not(small: Path) -> None:
    verdict = check(small)
    rows = ((3, 3, "0.125"), (5, 9, "0.5"))
    told = {wins: gate_words_of(*with_sessions(verdict, wins, n, p)) for wins, n, p in rows}
    assert "3 of 3 sessions won, p = 0.125 against 50 %, under 0.05 needed: with 3 sessions it could" in told[3]
    assert "5 of 9 sessions won, over 70 % needed, p = 0.500 against 50 %, under 0.05 needed" in told[5]
    assert "could not pass" not in told[5]


def gate_words_of(results: Results, analysis: Analysis) -> str:
    tests = {row.id: row.p_won for row in analysis.matches if row.p_won}
    return "".join(gate_lines(results.matches, tests, load_protocol(results.protocol).phase0))


def with_sessions(verdict: Verdict, won: int, units: int, p: str) -> tuple[Results, Analysis]:
    """The hold'em match of Phase 0 alone, with other sessions and their p."""
    results, analysis = verdict.results, verdict.analysis
    assert results
    assert analysis
    (match,) = (match for match in results.matches if match.phase == 0 and match.game == "holdem")
    (analysed,) = (one for one in analysis.matches if one.id == match.id)
    result = msgspec.structs.replace(match.result, sessions_won=won, sessions=units, mirrored_pairs=0)
    return (
        msgspec.structs.replace(results, matches=(msgspec.structs.replace(match, result=result),)),
        msgspec.structs.replace(analysis, matches=(msgspec.structs.replace(analysed, p_units_won=p),)),
    )


def test_a_match_of_which_several_seats_are_looked_at_counts_once_in_the_totals(small: Path) -> None:
    """Of an arena each seat's record counted a match once for each of its seats."""
    results = check(small).results
    assert results
    by_seat = [msgspec.structs.replace(row, id=f"{row.id}@{side}") for row in results.matches for side in "ab"]
    twice = msgspec.structs.replace(results, matches=tuple(by_seat))
    assert [row.id[-2:] for row in twice.of_matches] == ["@a"] * len(results.matches)
    assert totals_of(twice) == totals_of(results)


def test_up_to_four_departures_have_a_line_each(small: Path) -> None:
    results = check(small).results
    assert results
    several = [tuple(f"{number} of something" for number in range(n)) for n in (1, 4, 5)]
    of = [len(list(departs_lines(msgspec.structs.replace(results, departures=lines)))) for lines in several]
    assert of == [2, 5, 6]


def test_a_departure_that_matches_share_is_told_once() -> None:
    first, second = "p0-chess960-naked-agent", "p1-chess960-naked-agent"
    lines = (f"{first}: too short", "the engine: at 5 nodes", f"{second}: too short", f"{second}: no placebo", "m: x")
    grouped = grouped_departures(lines)
    assert grouped == ["too short (2 matches)", "the engine: at 5 nodes", f"{second}: no placebo", "m: x"]


def test_a_departure_names_the_game_that_its_match_is_in() -> None:
    missing = "no Phase 0 match of agent in this game"
    lines = (f"p1-chess960-naked-agent: {missing}", f"p2-holdem-memory_naked-agent-foe: {missing}", f"m: {missing}")
    assert grouped_departures((*lines, f"p1-holdem-naked-agent: {missing}")) == [
        "p1-chess960-naked-agent: no Phase 0 match of agent in Chess960",
        "no Phase 0 match of agent in hold'em (2 matches)",
        f"m: {missing}",
    ]


def test_a_bundle_that_another_key_signed_has_no_line_of_unknown_names(small: Path) -> None:
    text = verdict_report.text(check(small, expected_key_id="0" * 64))
    assert "unknown" not in text
    assert text.startswith("Checked ")


# --- what is no bundle ------------------------------------------------------------------------------


def test_a_run_in_progress_is_called_one(tmp_path: Path) -> None:
    run = tmp_path / "run"
    (run / "journal").mkdir(parents=True)
    for name in ("manifest.json", "secret"):
        (run / name).touch()
    result = CliRunner().invoke(main, ["check", str(run)])
    assert result.exit_code == 2
    assert "this is the folder of a run, not a bundle" in result.stderr
    assert f"agzamov resume {run}" in words(result.stderr.replace("\\", ""))


def test_another_folder_or_file_is_one_line(small: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "not a bundle: it has no bagit.txt, no bag-info.txt, no manifest-sha256.txt" in no_bundle(empty)
    shutil.copytree(small, empty / "inside")
    assert no_bundle(empty).endswith(f"did you mean {empty / 'inside'}?")
    assert no_bundle(small) == ""
    for data, found in ((b"", "an empty file"), (b"\x1f\x8b\x08", "a gzip file: unpack it first"), (b"hi", "another")):
        (tmp_path / "file").write_bytes(data)
        assert found in no_bundle(tmp_path / "file")


# --- what is believed, and what speaks against it ----------------------------------------------------


def test_replies_that_were_all_computed_again_are_called_no_fiction(tiny: Path) -> None:
    verdict = check(tiny, limits=VerificationLimits())
    assert verdict.recomputed is Recomputed.ALL
    assert "all replies were computed again" in " ".join(verdict_report.believe_words(verdict))
    claimed = verdict_report.claimed_words(verdict)
    assert "really gave these replies" not in claimed
    assert "The machine and its times are the submitter's word" in claimed


def test_a_sample_of_the_replies_is_called_a_sample(tiny: Path) -> None:
    verdict = check(tiny, limits=VerificationLimits(seat_replies_max=2))
    believe, claimed = " ".join(verdict_report.believe_words(verdict)), verdict_report.claimed_words(verdict)
    assert (verdict.level, verdict.recomputed, "really gave" in claimed) == ("V1", Recomputed.A_SAMPLE, False)
    assert re.search(
        r" 2 of \d+ replies of reference players, drawn at random: of the \d+ not drawn at most \d+ can be wrong",
        believe,
    )


@pytest.mark.parametrize(
    ("seats", "recomputed"),
    [
        ({"a": RandomSeat(), "b": StockfishSeat(skill=20)}, Recomputed.ALL),
        ({"a": RandomSeat(), "b": StockfishSeat(skill=3)}, Recomputed.NOT_ALL),
        ({"a": RandomSeat(), "b": MODEL}, Recomputed.NOT_ALL),
    ],
)
def test_one_seat_whose_moves_are_attested_leaves_the_replies_attested(
    seats: dict[str, Seat], recomputed: Recomputed
) -> None:
    plan = msgspec.structs.replace(plan_with(MODEL), seats=seats)
    match = msgspec.structs.replace(plan.matches[0], a="a", b="b")
    assert recomputed_of(msgspec.structs.replace(plan, matches=(match,)), is_whole=True) is recomputed


def test_an_execution_that_was_killed_is_a_warning_and_a_remark_of_its_step(tiny: Path, tmp_path: Path) -> None:
    assert check(tiny).warnings == ()
    draft = Draft.of(tiny)
    put_log(draft, Start(0, "", {}), Start(1, "", {}), Stop(1, ExecutionOutcome.DONE, "", heads(draft)))
    verdict = check(draft.write(tmp_path))
    assert verdict.level == "V1"
    told = words(verdict_report.text(verdict))
    assert "! 1 of 2 executions were cut off (killed, or a power cut): answers given since" in told
    assert "could have been dropped" in told
    assert "2 executions, 1 cut off" in words(verdict_report.details(verdict))


@pytest.mark.parametrize(
    ("mirrored", "a", "b", "expected"),
    [
        (False, "m", "dice", []),
        (False, "dice", "dice", []),
        (True, "dice", "dice", []),
        (False, "m", "m", ["plays both hands"]),
        (False, "m", "same_server", ["plays both hands"]),
        (False, "m", "elsewhere", []),
        (True, "m", "dice", ["sees every deck twice"]),
        (True, "m", "m", ["plays both hands", "sees every deck twice"]),
    ],
)
def test_what_the_server_of_a_hosted_model_could_see_is_a_warning(
    mirrored: bool, a: str, b: str, expected: list[str]
) -> None:
    plan = plan_with(MODEL)
    (match,) = plan.matches
    seats = {
        "m": MODEL,
        "dice": RandomSeat(),
        "same_server": msgspec.structs.replace(MODEL, model="m-2"),
        "elsewhere": msgspec.structs.replace(MODEL, base_url="https://other.example/v1"),
    }
    rules = msgspec.structs.replace(plan.holdem, mirrored=mirrored)
    matches = (msgspec.structs.replace(match, a=a, b=b),)
    told = list(hosted_warnings(msgspec.structs.replace(plan, seats=seats, holdem=rules, matches=matches)))
    assert len(told) == len(expected)
    assert all(part in whole for part, whole in zip(expected, told, strict=True))


def test_a_match_that_was_not_played_has_no_warning(tiny: Path) -> None:
    """It warned of hands that a failed gate had left out."""
    verdict = check(tiny)
    assert verdict.manifest
    assert verdict.results
    plan = verdict.manifest.plan
    hosted = msgspec.structs.replace(plan, seats={**plan.seats, "agent": MODEL})
    manifest = msgspec.structs.replace(verdict.manifest, plan=hosted)
    left_out = msgspec.structs.replace(verdict.results, matches=())
    assert any("plays both hands" in line for line in warnings_of(manifest, verdict.results, None, None))
    assert not any("plays both hands" in line for line in warnings_of(manifest, left_out, None, None))


@pytest.mark.parametrize(("adapter", "seat", "expected"), [("{}", MODEL, 1), ("", MODEL, 0), ("{}", RandomSeat(), 0)])
def test_a_memory_from_outside_beside_a_hosted_model_is_a_warning(adapter: str, seat: Seat, expected: int) -> None:
    """Who serves both can tell its own entries by their order, and play well only where they stand."""
    plan = plan_with(MODEL)
    (match,) = plan.matches
    condition = Condition(augmentation=Augmentation.MEMORY, arm=Arm.REAL, system="notes")
    match = msgspec.structs.replace(match, a="m", b="dice", phase=2, careers=1, condition=condition)
    systems = {"notes": MemorySystem(server="recent", adapter=adapter)}
    changed = msgspec.structs.replace(plan, seats={"m": seat, "dice": RandomSeat()}, matches=(match,), systems=systems)
    told = [line for line in hosted_warnings(changed) if "can mark entries by their choice and order" in line]
    assert len(told) == expected


def test_a_key_that_was_asked_for_is_said_to_be_the_one(tiny: Path) -> None:
    """It said "add --key" to whoever had named it."""
    submitter = check(tiny).submitter
    for key, words in ((submitter, "(the key that you chose)"), ("", f"({KEY_NOT_GIVEN})")):
        assert words in verdict_report.text(verify(tiny, Options(expected_key_id=key)))
    other = verify(tiny, Options(expected_key_id="ab" * 32))
    assert (other.level, other.is_key_given) == ("V0", False)


def test_a_model_of_a_file_is_asked_again_with_its_file() -> None:
    assert GgufSeat(weights="w.gguf").asked_again == ("--weights", "FILE.gguf")
    assert MODEL.asked_again == ("--at", "ADDRESS")


@pytest.mark.slow
def test_each_next_command_says_what_it_gives_and_can_be_pasted(small: Path) -> None:
    for command in ("check", "show"):
        told = screen(command, small).partition("\nNext ")[2].partition("\n\n")[0]
        lines = told.replace("\\\n", " ").splitlines()
        assert sum("  # " in line or line.strip().startswith("# ") for line in lines) == sum(
            bool(shlex.split(line, comments=True)) for line in lines
        )
    long, purpose = next_lines([NextStep(f"agzamov {'x' * 70}", "a purpose that has no room beside it")])
    assert long.startswith("Next       agzamov xxx")
    assert purpose == "           # a purpose that has no room beside it"


@pytest.mark.slow
def test_a_career_and_a_session_are_explained_where_they_are_counted(small: Path) -> None:
    told = words(screen("check", small))
    assert "A session is 2 hands of hold'em that count as one." in told
    assert "A career is" not in told
