"""A leaderboard of good, bad and hostile submissions: what holds is ranked by intervals, all else is listed."""

import json
import re
import shutil
import tarfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result

from agzamov_harness.cli import main
from agzamov_harness.leaderboard.board_runs import (
    HOSTED,
    SCRIPT,
    SEALED,
    Board,
    BoardRun,
    Compared,
    opponent_of,
    runs_of,
    system_digest,
    weights_of,
)
from agzamov_harness.leaderboard.leaderboard_pages import leaderboard_page
from agzamov_harness.leaderboard.ranking import Ranked, boards_of, rows_of
from agzamov_harness.leaderboard.ranks_file import RANKS, ranks_text
from agzamov_harness.leaderboard.site import MARKER, in_order
from agzamov_harness.leaderboard.submission_record import (
    RECORD,
    SubmissionEntry,
    SubmissionOutcome,
    joined,
    taken_away,
    worse,
)
from agzamov_harness.leaderboard.submissions import OTHERWISE, Policy, load_policy
from agzamov_harness.run.plan_file import plan_from
from agzamov_verify.bundle import (
    CALLS_FILE,
    CALLS_FOLDER,
    ENVIRONMENT_FILE,
    EXECUTIONS_FILE,
    MANIFEST_FILE,
    NOTES_FOLDER,
    QUALITY_FOLDER,
)
from agzamov_verify.checks import opened_bundle
from agzamov_verify.checks.steps import Options, verify
from agzamov_verify.core import canon
from agzamov_verify.core.envelope import key_id
from agzamov_verify.core.questions import Reply
from agzamov_verify.experiment.matches import Arm, Augmentation, Phase
from agzamov_verify.plan.manifest import Manifest, ManifestError, Plan
from agzamov_verify.scoring.units.cells import CellKey
from agzamov_verify.seats import GgufSeat, ReferenceSeat
from agzamov_verify.seats.endpoint_seat import EndpointSeat
from agzamov_verify.show.text.answers import Played, answers_of
from agzamov_verify.show.text.cost_words import Cost
from agzamov_verify.show.text.verdict_report import warnings_told
from bundles.bundle_factory import (
    STRANGER,
    SUBMITTER,
    TINY,
    TINY_MODEL,
    Draft,
    make,
    replace_key,
    reseal,
    until_time_is_up,
)
from harness.board_worlds import BOARD, Outcome, board_run, many_runs, measured
from stack_world import HANDS, SYSTEMS, bundle_of, plan_of

RULES = f"title: Board\nkeys:\n  ada: {key_id(SUBMITTER.public_key())}\ndepartures: true\nlevel: V1\n"


def boards(*runs: BoardRun) -> dict[Board, list[Ranked]]:
    return boards_of(runs, 10, draws=2_000)


def card_texts(html: str) -> list[tuple[str, ...]]:
    """Number, verdict, interval and the figure beside it, of each card; empty where a card has none."""
    found = []
    for card in html.split('<li class="entry')[1:]:
        told = dict.fromkeys(("number", "verdict", "interval", "less"), "")
        for name, pattern in {
            "number": r'class="number"[^>]*>([^<]*)',
            "verdict": r'class="verdict[^>]*>([^<]*)',
            "interval": r"<p>(\[[^<]*)",
            "less": r'<p class="less">([^<]*)',
        }.items():
            if shown := re.search(pattern, card.partition("</li>")[0]):
                told[name] = shown[1]
        found.append(tuple(told.values()))
    return found


def ranks_of(*runs: BoardRun) -> dict[str, tuple[int, int] | None]:
    """Ranks by the first submission of each row, in the order of the rows; of one board."""
    (places,) = boards(*runs).values()
    return {place.row.runs[0].submission: place.ranks for place in places}


def test_a_rank_is_what_the_figures_leave_open() -> None:
    runs = board_run("d", 0.1), board_run("a", 0.5), board_run("c", 0.35), board_run("b", 0.9, None)
    assert ranks_of(*runs) == {"a": (1, 2), "c": (1, 2), "d": (3, 3), "b": None}


def test_a_run_without_an_interval_is_in_no_figure_and_the_row_knows() -> None:
    sure, short = board_run("a", 0.5, key="one"), board_run("b", -0.9, None, key="one")
    (places,) = boards(sure, short).values()
    (place,) = places
    assert place.row.effect == sure.figure.estimate
    assert [run.submission for run in place.row.in_figure] == ["a"]
    assert len(place.row.runs) == 2


def test_rows_stand_by_the_lower_end_and_by_the_figure_where_that_is_below_zero() -> None:
    sure, wide = board_run("sure", 0.2, 0.02), board_run("wide", 0.3, 0.1)
    none, less = board_run("none", 0.0, 0.001), board_run("less", -0.1, 0.01)
    hopeful = board_run("hopeful", 0.05, 0.04)
    assert [*ranks_of(less, none, hopeful, wide, sure)] == ["sure", "wide", "hopeful", "none", "less"]


def test_all_runs_of_a_contender_are_one_row_with_their_mean() -> None:
    """One submitter's honest run and its cheat stood at rank 1 both."""
    lucky, poor = board_run("lucky", 0.3, key="ada"), board_run("poor", 0.1, key="ada")
    (row,) = rows_of([lucky, poor])
    assert ([run.submission for run in row.runs], row.careers) == (["lucky", "poor"], 10)
    assert row.effect.value
    assert (row.effect.value.decimal, row.effect.n) == ("0.200000", (10,))


def test_other_weights_another_system_and_another_key_are_other_contenders() -> None:
    same = {"key": "ada", "digest": "w", "system_digest": "s"}
    others = [{**same, name: "other"} for name in same]
    runs = [board_run(f"r{number}", 0.1, **which) for number, which in enumerate([same, same, *others])]
    assert sorted(len(row.runs) for row in rows_of(runs)) == [1, 1, 1, 2]


def test_names_of_a_hosted_model_and_of_a_system_make_no_contenders() -> None:
    """With 30 names of one server an honest contender of rank 1 had rank 31."""
    many = [board_run(f"n{number}", 0.9, key="bob", model=f"m{number}", system=f"s{number}") for number in range(30)]
    ranks = ranks_of(*many, board_run("ada", 0.1))
    assert ranks == {"n0": (1, 1), "ada": (2, 2)}


def test_a_submitter_has_so_many_ranked_contenders_and_the_rest_stand_last() -> None:
    """Systems and weights can be made at will: each is a contender, and each pushes others down."""
    many = [board_run(f"s{number}", 0.9, key="bob", system_digest=f"s{number}") for number in range(30)]
    (places,) = boards_of([*many, board_run("ada", 0.1)], 3, draws=500).values()
    assert [place.row.runs[0].submission for place in places[:4]] == ["s0", "s1", "s2", "ada"]
    assert places[3].ranks == (4, 4)
    assert {place.why_none for place in places[4:]} == {"beyond 3 contenders of one submitter"}


def test_a_script_has_no_rank_and_pushes_nobody_down() -> None:
    ranks = ranks_of(board_run("gpt", 0.9, weights=SCRIPT), board_run("a", 0.5))
    assert [*ranks.items()] == [("a", (1, 1)), ("gpt", None)]


def test_runs_with_and_without_a_placebo_are_ranked_apart() -> None:
    naked = board_run("naked", 0.9, board=BOARD._replace(compared=Compared.NAKED))
    controlled = board_run("controlled", 0.1, less_naked=measured(0.3, 0.05))
    found = boards(naked, controlled)
    assert [board.compared for board in found] == [Compared.PLACEBO, Compared.NAKED]
    assert [places[0].ranks for places in found.values()] == [(1, 1), (1, 1)]
    page = leaderboard_page(Policy("Board", {}), found, [])
    first, second = (page.partition(f'id="board-{number}"')[2].partition("</section>")[0] for number in (1, 2))
    assert "In points a game, against a placebo, and none." in first
    assert card_texts(first) == [
        ("+0.10", "better", "[+0.00, +0.20] against a placebo", "+0.30 [+0.20, +0.40] against none")
    ]
    assert "In points a game, against none; no placebo was played." in second
    assert card_texts(second) == [("+0.90", "better", "[+0.80, +1.00] against none", "")]


def test_a_memory_has_a_column_against_filler_that_says_where_it_was_not_played() -> None:
    found = boards(board_run("with", 0.9, less_filler=measured(0.7, 0.05)), board_run("without", 0.1))
    page = leaderboard_page(Policy("Board", {}), found, [])
    assert "against filler (no memory, as many bytes)</th>" in page
    assert page.count("<td>+0.70 [+0.60, +0.80] (5 careers)</td>") == 2
    assert page.count("<td>not played</td>") == 6, "filler of one, and none of both, in two tables"
    (board,) = json.loads(ranks_text(found, {}))["boards"]
    assert [bool(row["less_filler"]) for row in board["rows"]] == [True, False]


@pytest.fixture(scope="module")
def many() -> dict[int, Outcome]:
    """Ten honest contenders of effect 0.05, and one of none that submits 1, 20 or 100 runs; every run has SE 0.04."""
    return {runs: many_runs(runs, worlds=200, draws=400) for runs in (1, 20, 100)}


def test_more_runs_of_no_effect_head_the_table_no_more_often(many: dict[int, Outcome]) -> None:
    """With a row for each run they headed it in 0.75, 10.25 and 40.5 % of worlds. Of 200 worlds it may head four."""
    assert max(outcome.heads for outcome in many.values()) <= 0.02
    assert many[100].heads <= many[1].heads + 0.01


def test_more_runs_of_no_effect_have_no_better_rank(many: dict[int, Outcome]) -> None:
    """Their best rank was 1.37 with one run and 1.00 with twenty. Here 1.1 with one, 1.25 with many: more is known."""
    assert many[1].best_rank <= many[20].best_rank + 0.05
    assert many[20].best_rank <= many[100].best_rank + 0.1


MODEL = {"kind": "openai", "base_url": "http://127.0.0.1:1/v1", "model": "m"}
KEY = CellKey("openai:m", "holdem", Phase.ASYMMETRIC, Augmentation.FULL, Arm.REAL, "full")


@pytest.mark.parametrize(
    ("b", "words"),
    [
        ({}, "itself"),
        ({"patterns": ["limps_button", "castles_early"]}, "itself, which keeps limps_button"),
        ({"briefing": "- It bluffs."}, "itself, briefed by a text of SHA-256 "),
    ],
)
def test_an_opponent_is_named_by_what_it_is_told_in_this_game(b: dict[str, Any], words: str) -> None:
    plan = plan_from(plan_of(HANDS, seats={"novice": MODEL, "habit": {**MODEL, **b}}))
    found = opponent_of(Manifest("agz-manifest-1", plan, "0" * 64, {}, None, "0" * 64, "0" * 64, "0" * 32), KEY)
    assert found.startswith(words) if "SHA" in words else found == words


def test_rows_can_be_chosen_by_what_they_differ_in_and_by_nothing_else() -> None:
    """Filters stood there that hid nothing, and none was of the tier of a memory's lineage."""
    found = boards(board_run("a", 0.5), board_run("b", 0.4, lineage="B traced"))
    page = leaderboard_page(Policy("Board", {}), found, [])
    assert re.findall(r'<select name="(.*?)"', page) == ["lineage"]
    assert re.findall(r'<option value="([^"]+)"', page) == ["A verbatim", "B traced"]
    assert page.count('data-lineage="B traced"') == 2, "its card, and its row of the table"
    assert "Filters hide rows; ranks do not change." in page


def test_a_row_without_a_result_has_its_reason_and_no_number_and_no_rank() -> None:
    """A model that never acted had "0.0000" like an honest zero."""
    silent = board_run("silent", 0.0, None, no_result="smol gave no usable answer in 24 decisions", system_digest="t")
    few = board_run("few", 0.4, None, system_digest="u")
    good = board_run("good", 0.5)
    found = boards(silent, few, good)
    page = leaderboard_page(Policy("Board", {}), found, [])
    cards = card_texts(page)
    assert [card[:2] for card in cards] == [("+0.50", "better"), ("", "no result"), ("", "no result")]
    assert "smol gave no usable answer in 24 decisions." in page
    assert not re.search(r"[+-]?0\.0+(?!\d)", page.partition("<body>")[2]), "no zero stands for a missing number"
    (places,) = found.values()
    assert [place.why_none for place in places] == ["", "no result", "no result"]
    (board,) = json.loads(ranks_text(found, {}))["boards"]
    assert [row["shown"] for row in board["rows"]] == ["better", "no result", "no result"]
    assert board["rows"][2]["why"] == "smol gave no usable answer in 24 decisions"


def test_a_contender_is_called_better_only_if_it_beat_none_and_its_placebo() -> None:
    def shown(less_placebo: float, less_none: float) -> str:
        (places,) = boards(board_run("a", less_placebo, less_naked=measured(less_none, 0.05))).values()
        return places[0].row.answer.shown.value

    assert shown(0.5, 0.4) == "better"
    assert shown(-0.5, -0.4) == "worse"
    assert shown(0.5, 0.0) == shown(0.0, 0.5) == shown(0.5, -0.5) == "no difference shown"


def test_the_cost_of_a_contender_is_that_of_all_its_runs_together() -> None:
    runs = [
        board_run(name, 0.5, key="one", cost=Cost(tokens, 10, 50, 10, 0.0)) for name, tokens in (("a", 80), ("b", 120))
    ]
    page = leaderboard_page(Policy("Board", {}), boards(*runs), [])
    assert "2.0 times the tokens: 10 a decision, 5.0 without" in page
    alone = leaderboard_page(Policy("Board", {}), boards(board_run("a", 0.5)), [])
    assert "times the tokens" not in alone


def test_a_number_leads_to_the_report_and_to_its_games_and_of_several_runs_to_the_table_of_them() -> None:
    page = leaderboard_page(Policy("Board", {}), boards(board_run("a", 0.5, match="p2-m")), [])
    assert '<a class="number" href="run-a/index.html">' in page
    assert 'href="run-a/index.html#m=p2-m"' in page
    runs = [board_run(name, 0.5, key="one", match="p2-m") for name in "ab"]
    page = leaderboard_page(Policy("Board", {}), boards(*runs), [])
    assert '<a class="number" href="#board-1-numbers">' in page
    assert 'id="board-1-numbers"' in page
    assert all(f'href="run-{name}/index.html#m=p2-m"' in page for name in "ab")


def test_what_a_reader_is_told_is_in_plain_words() -> None:
    page = leaderboard_page(Policy("Board", {}), boards(board_run("a", 0.5)), [])
    assert "All numbers were recomputed from the bundles when this page was built." in page
    assert "How much memory helps in Chess960" in page
    assert "win rate" not in page


LOOK_ALIKES = {
    "gpt-4o": "gpt-4o",
    "gpt-4\N{CYRILLIC SMALL LETTER O}": "gpt-4\\u043e",
    "gpt\N{NON-BREAKING HYPHEN}4o": "gpt\\u20114o",
    "gpt-4o\N{BRAILLE PATTERN BLANK}": "gpt-4o\\u2800",
    "gpt-4\\u043e": "gpt-4\\\\u043e",  # a name of ASCII alone that looks like a spelled-out one
    "gpt-4o ": "gpt-4o\\x20",
    "gpt-4  o": "gpt-4 \\x20o",
    "gpt-4 o": "gpt-4 o",
}
"""Names that a page may show alike, as they stand there."""


@pytest.mark.parametrize("name", LOOK_ALIKES)
@pytest.mark.parametrize("field", ["model", "submitter"])
def test_names_that_look_alike_are_spelled_out_on_a_leaderboard(name: str, field: str) -> None:
    run = board_run("r", 0.5, warnings=(f"another model answered: {name}",), **{field: name})
    page = leaderboard_page(Policy("Board", {name: "0" * 64}), boards(run), [])
    cells = re.findall(r"<t[dh][^>]*>(?:<[a-z]+>)?([^<]*)<", page)
    assert [cell.rstrip(" ") if field == "submitter" else cell for cell in cells].count(LOOK_ALIKES[name]) == 2
    card = page.partition('class="who"')[2].partition("</div>")[0]
    assert LOOK_ALIKES[name].replace("<", "&lt;") in card
    assert page.partition("<body>")[2].replace("\N{NO-BREAK SPACE}", "").isascii()


def test_no_two_names_are_spelled_out_alike() -> None:
    assert len(set(LOOK_ALIKES.values())) == len(LOOK_ALIKES)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("title: x\n", "keys"),
        ("title: x\nkeys: {ada: no-key}\n", "keys"),
        (RULES + "level: V9\n", "twice"),
        (RULES.replace("V1", "V9"), "level"),
        (RULES + "colour: red\n", "colour"),
        (RULES + "contenders_max: 0\n", "contenders_max"),
        ("- a\n", "policy"),
        (RULES.replace("departures", f"  bob: {key_id(SUBMITTER.public_key())}\ndepartures"), "ada and bob"),
    ],
)
def test_a_policy_with_one_defect_is_refused_by_name(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text(text)
    with pytest.raises(ManifestError, match=message) as error:
        load_policy(file)
    assert str(file) in str(error.value)


@pytest.fixture(scope="module")
def augmented(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle that holds an augmentation with its control."""
    return bundle_of(plan_of({**HANDS, "hands": 16, "careers": 2}), tmp_path_factory.mktemp("augmented"))


def test_a_bundle_brings_the_figures_of_its_analysis_and_less_its_placebo(augmented: Path) -> None:
    verdict = verify(augmented, Options())
    assert verdict.analysis
    (run,) = runs_of(verdict, "good", "ada")
    (delta,) = verdict.analysis.deltas
    assert run.less_naked
    assert run.less_naked.estimate == delta.score.everything
    assert (run.board.compared, run.careers, run.weights) == (Compared.PLACEBO, 2, SCRIPT)
    assert run.figure.estimate.value != run.less_naked.estimate.value
    assert run.warnings == tuple(warnings_told(verdict))
    for figure in (run.figure, run.less_naked):
        assert figure.estimate.value
        assert figure.contrast is None or str(figure.contrast.value) == figure.estimate.value.exact


def test_a_system_is_known_by_what_it_is_and_not_by_its_name() -> None:
    def digest(name: str, **settings: Any) -> str:
        systems = {**SYSTEMS, "recent": {**SYSTEMS["recent"], **settings}}
        if name != "full":
            systems = {name: systems["recent"]}
        wished = {**plan_of(HANDS), "systems": systems, "matches": []}
        plan = msgspec.convert(wished, Plan)
        return system_digest(Manifest("agz-manifest-1", plan, "0" * 64, {}, None, "0" * 64, "0" * 64, "0" * 32), name)

    assert digest("recent") == digest("newest") == digest("newest", traits=["full_text"])
    assert digest("recent") != digest("recent", hits_max=4)
    assert digest("full") == digest("full", traits=["full_text"])
    assert digest("full") != digest("full", hits_max=4)


def test_runs_that_were_accepted_and_taken_away_are_counted_by_key() -> None:
    """Otherwise the runs that went badly could be taken out of the mean again."""

    def entry(run: str, outcome: SubmissionOutcome, *, present: bool, key: str = "a") -> SubmissionEntry:
        return SubmissionEntry(run, outcome, "", run, "1" * 64, present, key)

    accepted, refused = SubmissionOutcome.ACCEPTED, SubmissionOutcome.REFUSED
    record = [
        entry("here", accepted, present=True),
        entry("gone", accepted, present=False),
        entry("packed again", accepted, present=False),
        entry("packed again", accepted, present=True),
        entry("never", refused, present=False),
        entry("other", accepted, present=False, key="b"),
    ]
    assert taken_away(record) == {"a": 1, "b": 1}
    assert taken_away(record, ["gone"]) == {"b": 1}, "the maintainers agreed"
    page = leaderboard_page(Policy("Board", {}), boards(board_run("r", 0.5, key="a")), record)
    assert "<td>1, and 1 of this submitter taken away</td>" in page


def test_a_renamed_bundle_is_not_gone() -> None:
    accepted, refused = SubmissionOutcome.ACCEPTED, SubmissionOutcome.REFUSED
    old = SubmissionEntry("old", accepted, "", "r1", "1" * 64)
    broken = SubmissionEntry("broken", refused, "no bundle", "", "")
    new, changed = msgspec.structs.replace(old, name="new"), msgspec.structs.replace(old, name="new", sha256="2" * 64)
    copy = msgspec.structs.replace(new, outcome=refused, reason="submitted already")
    gone = msgspec.structs.replace(old, present=False)
    assert joined([old], [new]) == [new]
    assert worse([old], joined([old], [new])) == []
    assert joined([gone], [new]) == [new], "it came back"
    assert joined([old], [changed]) == [gone, changed], "another bundle of its run"
    assert joined([old], [old, copy]) == [old, copy]
    assert joined([old, copy], [new]) == [gone, new], "the copy is the one that stayed"
    other = msgspec.structs.replace(old, name="other")
    assert joined([gone, other], [new]) == [gone, new], "the one that was there was renamed"
    now_refused = msgspec.structs.replace(new, outcome=refused, reason="V1, V2 required")
    record = joined([old], [now_refused])
    assert record == [gone, now_refused], "renamed and without its registration, it was accepted once"
    assert taken_away(joined(record, [])) == {"": 1}
    again = joined([old], [msgspec.structs.replace(old, outcome=refused, reason="V1, V2 required")])
    assert [(one.outcome, one.present) for one in again] == [(accepted, False), (refused, True)]
    assert [one.outcome for one in worse([old], again)] == [refused], "it is not gone"
    assert joined(again, [old])[0] == old, "accepted again"
    assert joined([broken], [msgspec.structs.replace(broken, name="other")])[0].present is False, (
        "what could not be read has no content"
    )


def test_a_submitter_who_took_an_accepted_run_away_has_no_rank() -> None:
    """Of 20 runs of no effect, the better 10 headed the table in 13.6 % of worlds."""
    runs = [board_run("a", 0.9, key="a"), board_run("b", 0.1), board_run("a2", 0.8, key="a", system_digest="t")]
    (places,) = boards_of(runs, 10, {"a": 2}, draws=500).values()
    assert [(place.row.contender.key, place.ranks) for place in places] == [("b", (1, 1)), ("a", None), ("a", None)]
    assert {place.why_none for place in places[1:]} == {"2 accepted runs of this submitter taken away"}
    (places,) = boards_of(runs, 10, {"c": 2}, draws=500).values()
    assert all(place.ranks for place in places)


@pytest.mark.parametrize(
    ("measured", "opponent", "elsewhere", "told"),
    [
        ("reference", "reference", "openai", SCRIPT),
        ("gguf", "gguf", "openai", SEALED),
        ("gguf", "openai", "gguf", HOSTED),
        ("openai", "reference", "gguf", HOSTED),
    ],
)
def test_weights_are_those_at_the_table_whatever_plays_elsewhere(
    measured: str, opponent: str, elsewhere: str, told: str
) -> None:
    """A model in another match of the plan gave a scripted player a rank."""
    seats = {
        "reference": ReferenceSeat(),
        "gguf": GgufSeat(weights="m.gguf"),
        "openai": EndpointSeat(base_url="https://a.example/v1", model="m"),
    }
    wished: Any = SimpleNamespace(seats={"a": seats[measured], "b": seats[opponent], "c": seats[elsewhere]})
    match: Any = SimpleNamespace(measured="a", seats=("a", "b"))
    assert weights_of(wished, match) == told


def built(folder: Path, out: Path, rules: str = RULES, *more: str) -> Result:
    policy = folder.parent / "policy.yaml"
    policy.write_text(rules)
    arguments = ["leaderboard", "build", str(folder), "--policy", str(policy), "--out", str(out), "--jobs", "1", *more]
    return CliRunner().invoke(main, arguments)


def record_of(folder: Path) -> list[SubmissionEntry]:
    return [msgspec.json.decode(line, type=SubmissionEntry) for line in (folder / RECORD).read_bytes().splitlines()]


def changed(bundle: Path, into: Path, change: Callable[[Draft], None]) -> None:
    draft = Draft.of(bundle)
    change(draft)
    shutil.move(draft.write(into.parent / f".{into.name}"), into)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(TINY, tmp_path_factory.mktemp("tiny"))


def test_a_bundle_in_the_place_of_its_folder_is_refused_and_left_as_it_was(tiny: Path, tmp_path: Path) -> None:
    bundle = shutil.copytree(tiny, tmp_path / "one")
    before = sorted(path.relative_to(bundle) for path in bundle.rglob("*"))
    ended = built(bundle, tmp_path / "out")
    assert (ended.exit_code, ended.stderr) == (
        2,
        f"error: {bundle}: this is one bundle; give the folder in which it lies\n",
    )
    assert sorted(path.relative_to(bundle) for path in bundle.rglob("*")) == before
    for command in ("table", "report"):
        ended = CliRunner().invoke(main, ["arena", command, str(bundle)])
        assert (ended.exit_code, ended.stderr.count("this is one bundle")) == (2, 1)


def test_an_accepted_bundle_that_was_changed_is_no_copy_of_itself(tiny: Path, tmp_path: Path) -> None:
    folder = tmp_path / "bundles"
    bundle = shutil.copytree(tiny, folder / "one")
    assert built(folder, tmp_path / "out").exit_code == 0
    results = bundle / "data" / "results" / "results.json"
    results.write_bytes(results.read_bytes().replace(b'"games":', b'"games":1', 1))
    built(folder, tmp_path / "out")
    refused = record_of(folder)[-1]
    assert (refused.name, refused.outcome) == ("one", SubmissionOutcome.REFUSED)
    assert "a copy of" not in refused.reason


def test_a_run_that_was_accepted_cannot_be_played_again_until_it_goes_well(tmp_path: Path) -> None:
    """One sealed manifest with other replies makes another bundle, which took the bad one's place and its rank."""
    folder, mine = tmp_path / "bundles", tmp_path / "bundles" / "mine"
    reply = {name: Reply(text=f"ACTION: {name}") for name in ("resign", "e4")}
    bad, good = (make(TINY_MODEL, tmp_path / name, lambda _, it=it: it) for name, it in reply.items())
    assert bad.name == good.name, "one sealed run"
    shutil.copytree(bad, mine)
    assert built(folder, tmp_path / "out").exit_code == 0
    (accepted,) = record_of(folder)
    assert accepted.measured
    shutil.rmtree(mine)
    shutil.copytree(good, mine)
    words = f"the run {bad.name} was accepted before, as mine, with {OTHERWISE}; put that bundle back"
    for code in (1, 0):  # a second build forgets nothing, and has nothing new
        ended = built(folder, tmp_path / "out")
        assert (ended.exit_code, f"refused: mine: {words}\n" in ended.output) == (code, code == 1), ended.output
        assert [(one.outcome.value, one.present) for one in record_of(folder)] == [
            ("accepted", False),
            ("refused", True),
        ]
        assert taken_away(record_of(folder)) == {accepted.submitter: 1}
    shutil.rmtree(mine)
    shutil.copytree(bad, folder / "back")
    ended = built(folder, tmp_path / "out")
    assert (ended.exit_code, ended.output.count("gone: mine")) == (1, 1), "the refused one"
    assert not taken_away(record_of(folder))


def test_a_run_that_is_packed_again_holds_the_same_replies() -> None:
    old = SubmissionEntry("old", SubmissionOutcome.ACCEPTED, "", "r1", "1" * 64, measured="a" * 64)
    packed_again = msgspec.structs.replace(old, sha256="2" * 64)
    assert not old.is_measured_otherwise(packed_again)
    assert old.is_measured_otherwise(msgspec.structs.replace(packed_again, measured="b" * 64))
    of_0_3_0 = msgspec.structs.replace(old, measured="")
    assert not old.is_measured_otherwise(of_0_3_0), "the same bundle, in a record that knows no journals"
    assert packed_again.is_measured_otherwise(of_0_3_0)
    gone = msgspec.structs.replace(of_0_3_0, present=False)
    assert taken_away([gone, packed_again]) == {"": 1}, "nobody knows what it held"
    assert not taken_away([msgspec.structs.replace(old, present=False), packed_again])


def test_a_run_that_is_packed_again_keeps_its_place(tiny: Path, tmp_path: Path) -> None:
    folder = tmp_path / "bundles"
    bundle = shutil.copytree(tiny, folder / "mine")
    assert built(folder, tmp_path / "out").exit_code == 0
    shutil.rmtree(bundle)

    def elsewhere(draft: Draft) -> None:
        environment = json.loads(draft.files[ENVIRONMENT_FILE])
        draft.files[ENVIRONMENT_FILE] = canon.dumps({**environment, "cpu": "another"})
        reseal(draft)

    changed(tiny, folder / "mine", elsewhere)
    ended = built(folder, tmp_path / "out")
    old, new = record_of(folder)
    assert (old.present, new.present, new.outcome.value) == (False, True, "accepted"), ended.output
    assert (old.measured, old.sha256 != new.sha256) == (new.measured, True)
    assert not taken_away(record_of(folder))


CALLS = f"{CALLS_FOLDER}p0-chess960-naked-agent.jsonl.gz"


@pytest.mark.parametrize(
    "file", [EXECUTIONS_FILE, CALLS_FILE, CALLS, f"{NOTES_FOLDER}addresses.json", f"{QUALITY_FOLDER}index.json"]
)
def test_an_accepted_run_keeps_its_log_and_its_calls(tiny: Path, tmp_path: Path, file: str) -> None:
    """With a log of one whole execution in its place, a row lost the warning of those that were cut off."""
    folder = tmp_path / "bundles"
    shutil.copytree(tiny, folder / "mine")
    assert built(folder, tmp_path / "out").exit_code == 0
    shutil.rmtree(folder / "mine")

    def otherwise(draft: Draft) -> None:
        draft.files[file] = draft.files.get(file, b"{}") + b"\n"
        reseal(draft)

    changed(tiny, folder / "mine", otherwise)
    ended = built(folder, tmp_path / "out")
    assert (
        f"the run {tiny.name} was accepted before, as mine, with other journals, calls, logs or judged moves"
        in ended.output
    )


def test_an_accepted_run_keeps_what_its_environment_says_of_it(tiny: Path, tmp_path: Path) -> None:
    """The row lost the warning that the program had changes which are in no commit."""
    folder = tmp_path / "bundles"
    shutil.copytree(tiny, folder / "mine")
    assert built(folder, tmp_path / "out").exit_code == 0
    shutil.rmtree(folder / "mine")

    def cleaned(draft: Draft) -> None:
        environment = json.loads(draft.files[ENVIRONMENT_FILE])
        environment["sealed_by"]["modified"] = not environment["sealed_by"]["modified"]
        draft.files[ENVIRONMENT_FILE] = canon.dumps(environment)
        reseal(draft)

    changed(tiny, folder / "mine", cleaned)
    ended = built(folder, tmp_path / "out")
    assert f"the run {tiny.name} was accepted before, as mine, with {OTHERWISE}" in ended.output


def test_a_refused_copy_moves_no_run_in_the_order_of_the_record() -> None:
    """Whoever could add a file chose which contenders of others were within `contenders_max`."""
    accepted, refused = SubmissionOutcome.ACCEPTED, SubmissionOutcome.REFUSED
    second, first = runs = [board_run(name, 0.5) for name in ("second", "first")]
    record = [SubmissionEntry(run.submission, accepted, "", run.run, "1" * 64) for run in (first, second)]
    record.append(SubmissionEntry("copy", refused, "submitted already", first.run, "1" * 64))
    assert in_order(runs, record) == [first, second]
    gone, again = msgspec.structs.replace(record[0], present=False), msgspec.structs.replace(record[0], sha256="2" * 64)
    assert in_order(runs, [gone, record[1], again]) == [first, second], "packed again"


def test_a_withdrawn_run_does_not_come_back(tiny: Path, tmp_path: Path) -> None:
    folder = tmp_path / "bundles"
    shutil.copytree(tiny, folder / "mine")
    ended = built(folder, tmp_path / "out", RULES + f"withdrawn: ['{tiny.name}']\n")
    assert f"refused: mine: the run {tiny.name} was withdrawn: the policy names it\n" in ended.output


def test_two_records_of_one_run_are_told_to_be_two(tmp_path: Path) -> None:
    folder = tmp_path / "bundles"
    for name in ("resign", "e4"):
        made = make(TINY_MODEL, tmp_path / name, lambda _, name=name: Reply(text=f"ACTION: {name}"))
        shutil.copytree(made, folder / name)
    ended = built(folder, tmp_path / "out")
    reason = f"the run {made.name} is submitted already, as e4 with {OTHERWISE}, so it was played"
    assert f"{reason} twice or changed" in ended.output


def test_of_a_bundle_by_an_unknown_key_the_manifest_is_not_read(tiny: Path, tmp_path: Path) -> None:
    """Anybody could hold up a build with a manifest that takes long to look at."""
    folder = tmp_path / "bundles"

    def by_a_stranger(draft: Draft) -> None:
        draft.files[MANIFEST_FILE] = b"{}"
        replace_key(draft, STRANGER)
        reseal(draft, STRANGER)

    changed(tiny, folder / "strange", by_a_stranger)
    built(folder, tmp_path / "out")
    (entry,) = record_of(folder)
    assert entry.reason == f"signed by key {key_id(STRANGER.public_key())[:16]}, which the policy does not name"


def test_a_manifest_that_is_looked_at_for_ever_is_a_refusal(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opened_bundle, "problems", until_time_is_up)
    folder = tmp_path / "bundles"
    shutil.copytree(tiny, folder / "slow")
    assert built(folder, tmp_path / "out", RULES, "--time-max", "3600").exit_code == 1
    (entry,) = record_of(folder)
    assert entry.reason == "not checked: manifest (time is up, --time-max 3600 seconds)"


def test_answers_beside_a_bundle_are_no_submission_and_a_bundle_of_that_name_is_one(tiny: Path, tmp_path: Path) -> None:
    folder = tmp_path / "bundles"
    shutil.copytree(tiny, folder / "one")
    (folder / "one.quality").mkdir()
    assert built(folder, tmp_path / "out").exit_code == 0
    assert [entry.name for entry in record_of(folder)] == ["one"]
    (folder / "two.quality").mkdir()  # answers about nothing that is here
    (folder / "one.quality").rmdir()
    shutil.copytree(tiny, folder / "one.quality")
    ended = built(folder, tmp_path / "out")
    assert {entry.name for entry in record_of(folder)} == {"one", "one.quality", "two.quality"}, ended.output


def test_what_holds_is_shown_and_what_does_not_is_listed_with_why(augmented: Path, tiny: Path, tmp_path: Path) -> None:
    folder, secret = tmp_path / "submissions", tmp_path / "secret"
    shutil.copytree(augmented, folder / "good")
    shutil.copytree(augmented, folder / "good-again")
    shutil.copytree(tiny, folder / "plain")
    shutil.copytree(make(TINY, tmp_path / "other", key=STRANGER), folder / "stranger")
    changed(tiny, folder / "tampered", lambda draft: draft.files.update({"data/results/results.json": b"{}"}))
    (folder / "<img src=x onerror=alert(1)>").mkdir()
    shutil.copytree(tiny, folder / "b; touch owned #")
    (folder / "broken.tar").write_bytes(b"\0" * 10)
    (folder / "zipped.zip").write_bytes(b"PK")
    (folder / "linked").mkdir()
    (folder / "linked" / "bagit.txt").symlink_to("/etc/passwd")
    (folder / "outside").symlink_to(augmented)
    deep = folder / "deep"
    deep.mkdir()
    (deep / "bagit.txt").write_text("")
    deep.joinpath(*["d"] * 300).mkdir(parents=True)
    secret.write_text("mine")
    (folder / ".record.jsonl.partial").symlink_to(secret)
    result = built(folder, tmp_path / "site")
    assert result.exit_code == 1, result.output
    assert result.output.endswith(f"leaderboard: {tmp_path / 'site' / 'index.html'}, 2 accepted\n")
    assert secret.read_text() == "mine"
    entries = {entry.name: entry for entry in record_of(folder)}
    assert {name for name, entry in entries.items() if entry.outcome is SubmissionOutcome.ACCEPTED} == {"good", "plain"}
    reasons = {name: entry.reason for name, entry in entries.items() if entry.reason}
    expected = {
        "good-again": "is submitted already, as good",
        "stranger": "which the policy does not name",
        "tampered": "step 2 data/results/results.json: expected sha256",
        "<img src=x onerror=alert(1)>": "expected a name of letters",
        "b; touch owned #": "expected a name of letters",
        "broken.tar": "expected a bundle",
        "zipped.zip": "a zip file: unpack it first",
        "linked": "a symbolic link",
        "outside": "found a symbolic link",
        "deep": "",
    }
    assert reasons.keys() == expected.keys()
    assert all(words in reasons[name] for name, words in expected.items()), reasons
    page = (tmp_path / "site" / "index.html").read_text("utf-8")
    boards_shown, _, rest = page.partition('id="accepted"')
    accepted, _, refused = rest.partition('id="refused"')
    assert boards_shown.count(f"{augmented.name}/index.html") == boards_shown.count("/index.html") > 1
    assert accepted.count("/index.html") == 2
    assert (tmp_path / "site" / augmented.name / "index.html").is_file()
    assert "scripted player" in boards_shown
    badge, numbers = "Record consistent (level V1; V4 is the highest)", "All numbers</summary>"
    assert boards_shown.index(badge) < boards_shown.index(numbers)
    (board,) = json.loads((tmp_path / "site" / RANKS).read_text("ascii"))["boards"]
    (shown,) = board["rows"]
    assert (board["compared"], shown["ranks"], shown["why_none"]) == ("placebo", None, "no model plays")
    assert [run["run"] for run in shown["runs"]] == [augmented.name]
    assert "A verbatim" in boards_shown
    assert "<select" not in boards_shown  # one row, so there is nothing to choose
    assert "<img" not in page
    assert str(tmp_path) not in page
    assert all(name.replace("<", "&lt;").replace(">", "&gt;") in refused for name in reasons)


@pytest.mark.slow
def test_two_bundles_of_a_contender_are_one_row_in_the_order_in_which_they_came(
    augmented: Path, tmp_path: Path
) -> None:
    folder, site = tmp_path / "submissions", tmp_path / "site"
    shutil.copytree(augmented, folder / "z-first")
    assert built(folder, site).exit_code == 0
    second = bundle_of({**plan_of({**HANDS, "hands": 16, "careers": 2}), "title": "Second"}, tmp_path / "second")
    shutil.copytree(second, folder / "a-second")
    assert built(folder, site).exit_code == 0
    (board,) = json.loads((site / RANKS).read_text("ascii"))["boards"]
    (row,) = board["rows"]
    assert [run["submission"] for run in row["runs"]] == ["z-first", "a-second"]
    page = (site / "index.html").read_text("utf-8")
    assert all(
        f'href="{run}/index.html"' in page.partition('id="accepted"')[0] for run in (augmented.name, second.name)
    )
    shutil.rmtree(folder / "z-first")
    assert built(folder, site).exit_code == 1
    assert "<td>1, and 1 of this submitter taken away</td>" in (site / "index.html").read_text("utf-8")


@pytest.mark.slow
def test_the_record_keeps_every_bundle_that_was_ever_there(augmented: Path, tiny: Path, tmp_path: Path) -> None:
    folder = tmp_path / "submissions"
    shutil.copytree(augmented, folder / "mine")
    assert built(folder, tmp_path / "first").exit_code == 0
    assert built(folder, tmp_path / "again").exit_code == 0
    shutil.copytree(augmented, folder / "a-copy")
    copied = built(folder, tmp_path / "copied")
    assert f"refused: a-copy: the run {augmented.name} is submitted already, as mine" in copied.output
    shutil.rmtree(folder / "mine")
    shutil.rmtree(folder / "a-copy")
    shutil.copytree(tiny, folder / "mine")
    replaced = built(folder, tmp_path / "replaced")
    assert replaced.exit_code == 1
    assert f"gone: mine: {augmented.name}" in replaced.output
    found = [(entry.name, entry.run, entry.outcome.value, entry.present) for entry in record_of(folder)]
    assert found == [
        ("mine", augmented.name, "accepted", False),
        ("a-copy", augmented.name, "refused", False),
        ("mine", tiny.name, "accepted", True),
    ]
    gone = (tmp_path / "replaced" / "index.html").read_text("utf-8").partition('id="gone"')[2]
    assert gone.count(augmented.name) >= 2


@pytest.mark.slow
def test_pages_are_built_again_in_their_place_and_nothing_else_is_replaced(
    augmented: Path, tiny: Path, tmp_path: Path
) -> None:
    """The second build of a leaderboard into its folder ended in an error, though one comes after each submission."""
    folder, site = tmp_path / "submissions", tmp_path / "site"
    shutil.copytree(augmented, folder / "mine")
    assert built(folder, site).exit_code == 0
    shutil.rmtree(folder / "mine")
    shutil.copytree(tiny, folder / "other")
    again = built(folder, site)
    assert (again.exit_code, f"gone: mine: {augmented.name}" in again.output) == (1, True), again.output
    assert {path.name for path in site.iterdir()} == {tiny.name, "index.html", MARKER, RANKS}
    assert augmented.name in (site / "index.html").read_text("utf-8").partition('id="gone"')[2]
    assert [entry.present for entry in record_of(folder)] == [False, True]
    before = record_of(folder)
    for strange in (site / tiny.name / "notes.txt", site / "empty"):
        strange.mkdir() if strange.name == "empty" else strange.write_text("mine")
        refused = built(folder, site)
        assert (refused.exit_code, f"it holds {strange.relative_to(site)}, which" in refused.output) == (2, True)
        strange.rmdir() if strange.is_dir() else strange.unlink()
    (site / "link").symlink_to(tiny)
    assert "it holds link, which" in built(folder, site).output
    assert (tiny / "bagit.txt").is_file()
    (site / "link").unlink()
    assert built(folder, site).exit_code == 0
    assert record_of(folder) == before
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith(".site")]


def test_a_policy_may_refuse_departures_and_large_bundles(augmented: Path, tmp_path: Path) -> None:
    folder = tmp_path / "submissions"
    shutil.copytree(augmented, folder / "good")
    strict = built(folder, tmp_path / "site", RULES.replace("departures: true", "departures: false"))
    assert "refused: good: its plan departs from agz-0.1 in " in strict.output
    (folder / "good" / "data" / "padding").write_bytes(b"\0" * (2**20 + 1))
    large = built(folder, tmp_path / "second", RULES + "bundle_mib_max: 1\n")
    assert "refused: good: expected at most 1 MiB" in large.output


def test_a_check_that_its_limits_end_is_a_refusal(tiny: Path, tmp_path: Path) -> None:
    folder = tmp_path / "submissions"
    shutil.copytree(tiny, folder / "plain")
    ended = built(folder, tmp_path / "site", RULES.replace("V1", "V0"), "--memory-max", "64")
    assert ended.exit_code in (0, 1), ended.output
    assert ended.exception is None or isinstance(ended.exception, SystemExit)


def test_nothing_is_written_over_and_nothing_is_written_where_submissions_lie(tiny: Path, tmp_path: Path) -> None:
    folder, there = tmp_path / "submissions", tmp_path / "there"
    shutil.copytree(tiny, folder / "plain")
    there.mkdir()
    (there / "mine.txt").write_text("")
    assert "it exists already; name another folder" in built(folder, there).output
    for text in ("{}", '{"files":[],"format":"agz-leaderboard-2"}', "["):
        (there / MARKER).write_text(text)
        assert "it exists already; name another folder" in built(folder, there).output
    (tmp_path / "link").symlink_to(there)
    assert "it exists already; name another folder" in built(folder, tmp_path / "link").output
    assert "outside of that of the submissions" in built(folder, folder / "site").output
    (folder / RECORD).write_text("{}\n")
    broken = built(folder, tmp_path / "site")
    assert (broken.exit_code, "record.jsonl line 1" in broken.output) == (2, True)
    (folder / RECORD).unlink()
    (folder / RECORD).symlink_to(tmp_path / "policy.yaml")
    assert "expected a regular file" in built(folder, tmp_path / "site").output
    assert not (tmp_path / "site").exists()


def test_a_row_says_what_the_report_of_its_run_says(augmented: Path) -> None:
    """The board had a rate of games won, the report points a game: two numbers for one effect."""
    verdict = verify(augmented, Options())
    assert verdict.manifest
    assert verdict.results
    played = Played(verdict.manifest, verdict.results, verdict.analysis, verdict.blocks)
    (answer,) = (one for one in answers_of(played) if one.setting)
    ((place,),) = boards(*runs_of(verdict, "good", "ada")).values()
    assert place.row.answer.shown is answer.shown
    assert {one.against: one for one in place.row.answer.figures} == {one.against: one for one in answer.figures}
    assert place.row.runs[0].match == answer.match


def test_build_without_a_policy_says_how_to_begin_one(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["leaderboard", "build", str(tmp_path)])
    assert done.exit_code == 2
    (line,) = done.output.splitlines()
    assert "docs/leaderboard/policy.yaml" in line
    assert "'title: NAME' and 'keys: {SUBMITTER: KEY ID}'" in line
    begun = tmp_path / "policy.yaml"
    begun.write_text(f"title: NAME\nkeys: {{SUBMITTER: {'a' * 64}}}\n")
    assert load_policy(begun).title == "NAME", "the two lines are a policy"


def test_a_packed_bundle_is_no_folder_of_answers(tiny: Path, tmp_path: Path) -> None:
    """Whoever added a folder of that name without its ending made an accepted bundle count as taken away."""
    folder = tmp_path / "bundles"
    (folder / "one").mkdir(parents=True)
    with tarfile.open(folder / "one.quality", "w", format=tarfile.USTAR_FORMAT) as archive:
        archive.add(tiny, arcname=tiny.name)
    built(folder, tmp_path / "out")
    outcomes = {entry.name: entry.outcome for entry in record_of(folder)}
    assert outcomes["one.quality"] is SubmissionOutcome.ACCEPTED


def test_a_record_of_odd_text_is_refused_or_spelled_out(tmp_path: Path) -> None:
    """A traceback; and what the record says of a bundle that is gone went to the terminal as it was."""
    folder = tmp_path / "bundles"
    folder.mkdir()
    record = folder / "record.jsonl"
    line = {"name": "a\x1b[2Jb", "outcome": "accepted", "present": True, "reason": "", "run": "", "sha256": ""}
    record.write_bytes(canon.dumps(line) + b"\n")
    ended = built(folder, tmp_path / "out")
    assert "gone: a" in ended.output
    assert "\x1b" not in ended.output
    record.write_bytes(canon.dumps(line).replace(b"accepted", b"\xff"))
    ended = built(folder, tmp_path / "out")
    assert (ended.exit_code, "record.jsonl line 1: " in ended.output) == (2, True), ended.output


@pytest.mark.parametrize(
    "text", [b"\xff", b'{"sealed_by":' + b"[" * 100_000, b'{"sealed_by":%d}' % 10**400, b'{"sealed_by":1e999}', b"[]"]
)
def test_an_environment_of_odd_text_is_a_reason(tiny: Path, tmp_path: Path, text: bytes) -> None:
    def odd(draft: Draft) -> None:
        draft.files[ENVIRONMENT_FILE] = text
        reseal(draft)

    folder = tmp_path / "bundles"
    folder.mkdir()
    changed(tiny, folder / "odd", odd)
    ended = built(folder, tmp_path / "out")
    assert (ended.exit_code, ended.output.count("refused: odd: ")) == (1, 1), ended.output
