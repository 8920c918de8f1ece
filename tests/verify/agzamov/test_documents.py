"""Several bundles as one body of evidence, from verified cells to the printed score."""

import json
import re
from fractions import Fraction
from typing import Any

import msgspec
import pytest

from agzamov_harness.commands.matrix_command import matrix_lines
from agzamov_harness.matrix.matrix_table import MatrixDocument, matrix_document, matrix_of
from agzamov_verify.core import canon
from agzamov_verify.experiment.analysis_plan import AnalysisPlan
from agzamov_verify.experiment.analysis_plan import HypothesisId as Id
from agzamov_verify.experiment.matches import Arm, Augmentation
from agzamov_verify.games.chess.game import ChessBlock
from agzamov_verify.games.chess.game_script import ChessRecord, Ending
from agzamov_verify.games.chess.rules import End
from agzamov_verify.plan.manifest import Engine, Manifest, MemoryPin, Plan
from agzamov_verify.protocols.norms import load_protocol, protocol_sha256
from agzamov_verify.scores.collected_bundles import (
    BundleSource,
    CannotCombine,
    Collected,
    VerifiedBundle,
    combine,
    declared_by_all,
    seeds_of,
    warnings_between,
)
from agzamov_verify.scores.score_report import (
    calibration_document,
    calibration_lines,
    score_document,
    score_lines,
    source_lines,
)
from agzamov_verify.scoring.game_scoring import Played
from agzamov_verify.scoring.hypotheses.verdicts import Status
from agzamov_verify.scoring.match_cells import cell_of, model_of
from agzamov_verify.scoring.units.cells import Cell, CellKey
from agzamov_verify.systems.memory_system import MemorySystem
from agzamov_verify.systems.rag_system import RagSystem
from agzamov_verify.table.decision import Tally
from verify.agzamov.generator import CHESS, POKER, World, arms, cell

FULL, MEMORY = Augmentation.FULL, Augmentation.MEMORY
MODELS = {"a": World(win=0.5, mean=30), "b": World(win=0.6, mean=80), "c": World(win=0.75, draw=0.2, mean=180)}
DIGEST = "0" * 64


def manifest(**changes: object) -> Manifest:
    plan = msgspec.convert({"title": "t", "seats": {}, "matches": []}, Plan)
    pinned = protocol_sha256("agz-0.1")
    whole = Manifest("agz-manifest-1", plan, pinned, {}, None, DIGEST, DIGEST, "0" * 32)
    return msgspec.structs.replace(whole, **changes)


def taken(run: str, cells: list[Cell], not_checked: tuple[str, ...] = (), **changes: object) -> VerifiedBundle:
    return VerifiedBundle(manifest(**changes), BundleSource(run, "ab" * 32, "V1", not_checked), cells)


def of_model(model: str, augmentation: Augmentation = FULL) -> list[Cell]:
    """Phase 0, Phase 1 and one sub-phase of a model."""
    random = World(win=0.7, draw=0.2, mean=100)
    alone = [
        cell(CellKey(model, game, phase), world)
        for game in (CHESS, POKER)
        for phase, world in ((0, random), (1, World()))
    ]
    return alone + arms(MODELS[model], model=model, augmentation=augmentation)


@pytest.fixture(scope="module")
def collected() -> Collected:
    return combine([taken(f"run-{model}", of_model(model), ("engine",)) for model in MODELS])


@pytest.mark.slow
def test_every_model_has_a_score_with_an_interval(collected: Collected) -> None:
    document = score_document(collected, FULL)
    assert [one.model for one in document.scores] == ["a", "b", "c"]
    values = [Fraction(one.score.exact) for one in document.scores if one.score]
    assert values == sorted(values)
    for one in document.scores:
        assert one.score is not None
        assert one.ci is not None
        assert float(one.ci.low) <= float(one.score.decimal) <= float(one.ci.high)


@pytest.mark.slow
def test_hypotheses_are_tested_on_all_bundles_together(collected: Collected) -> None:
    found = {one.id: one for one in score_document(collected, FULL).hypotheses}
    assert found[Id.H1].status is Status.SUPPORTED
    assert found[Id.H2].status is Status.NOT_TESTED


@pytest.mark.slow
def test_the_order_in_which_bundles_are_named_changes_nothing(collected: Collected) -> None:
    again = combine([taken(f"run-{model}", of_model(model), ("engine",)) for model in reversed(MODELS)])
    assert canon.dumps(score_document(again, FULL)) == canon.dumps(score_document(collected, FULL))


@pytest.mark.slow
def test_another_column_is_labelled_and_the_headline_then_has_nothing_to_go_by() -> None:
    memory = combine([taken("run", of_model("a", MEMORY))])
    (column,) = score_document(memory, MEMORY).scores
    (headline,) = score_document(memory, FULL).scores
    assert (column.label, column.score is None) == ("A(memory)", False)
    assert (headline.label, headline.score) == ("A", None)
    assert any("phase 2 full/real" in line for line in headline.missing)


@pytest.mark.slow
def test_the_score_comes_first_and_then_what_it_rests_on(collected: Collected) -> None:
    lines = list(score_lines(score_document(collected, FULL)))
    assert lines[0].startswith('A of "a" with "s": ')
    assert "run run-a, signed by key abababababababab: V1, NOT CHECKED: engine" in lines
    assert any(line.startswith("  convergence") for line in lines)


@pytest.mark.slow
def test_the_matrix_and_the_calibration_can_be_printed_and_written(collected: Collected) -> None:
    matrix, calibration = matrix_document(collected), calibration_document(collected, FULL)
    for document in (matrix, calibration):
        assert json.loads(canon.dumps(document))["protocol"] == "agz-0.1"
    assert any("tokens a game" in line for line in matrix_lines(matrix))
    lines = list(calibration_lines(calibration))
    assert any(line.startswith("delta_max_win_rate") and "no value" not in line for line in lines)
    assert lines[-1].startswith("order of left-out scores")
    assert calibration.weights is not None
    assert sum(Fraction(one.weight) for one in calibration.weights.components) == 1


def test_a_delta_whose_arms_are_of_two_runs_is_warned_of_in_one_line_and_of_one_run_is_not() -> None:
    cells = of_model("a", MEMORY)
    real = [one for one in cells if one.key.arm is Arm.REAL]
    rest = [one for one in cells if one.key.arm is not Arm.REAL]
    assert combine([taken("one", cells)]).warnings == ()
    (line,) = combine([taken("one", rest), taken("two", real)]).warnings
    assert "a chess960 phase 2 memory/real (s) is of run two, its naked arm of run one" in line
    document = matrix_document(combine([taken("one", rest), taken("two", real)]))
    printed = " ".join(" ".join(matrix_lines(document)).split())
    assert printed.count(line) == 1


def test_systems_that_may_tell_unequal_amounts_are_warned_of_in_one_line() -> None:
    few, many = MemorySystem(hits_max=3), MemorySystem(hits_max=10)
    keys = {CellKey("a", CHESS, 2, MEMORY, Arm.REAL, name): "run" for name in ("few", "many")}
    assert list(warnings_between(keys, {"few": many, "many": many})) == []
    (line,) = warnings_between(keys, {"few": few, "many": many})
    assert line == (
        "systems compared under memory may tell unequal amounts: few at most 3 entries and 4,000 bytes; many at most 10"
        " entries and 4,000 bytes"
    )


CHESS_RULES = {"chess960": {"adjudication": {"policy": "none"}, "plies_max": 16}, "holdem": {"session_hands": 4}}
PLIES, HANDS = "chess960.plies_max 16 against 40", "holdem.session_hands 4 against 2"


def by_rules(run: str, cells: list[Cell], **rules: dict[str, object]) -> VerifiedBundle:
    both = {game: {**of, **rules.get(game, {})} for game, of in CHESS_RULES.items()}
    return taken(run, cells, plan=msgspec.convert({"title": "t", "seats": {}, "matches": [], **both}, Plan))


@pytest.mark.parametrize(
    ("rules", "game", "told", "shown"),
    [
        ({}, "", "", ""),
        ({CHESS: {"plies_max": 40}}, CHESS, PLIES, 'chess960.plies_max 16 ("a"), 40 ("b")'),
        ({POKER: {"session_hands": 2}}, POKER, HANDS, 'holdem.session_hands 4 ("a"), 2 ("b")'),
        ({"engine": {"nodes": 7}}, CHESS, "engine.nodes", "engine.nodes"),
    ],
)
def test_models_that_played_by_other_rules_have_no_difference_and_one_line_names_the_rule(
    rules: dict[str, Any], game: str, told: str, shown: str
) -> None:
    """A fast and a slow model got plans of unlike lengths, and their difference had an interval and a p."""
    engine = {key: value for key, value in rules.items() if key == "engine"}
    of_a, of_b = ([one for one in of_model(model, MEMORY) if one.key.phase == 1] for model in "ab")
    second = by_rules("two", of_b, **rules)
    plan = msgspec.structs.replace(second.manifest.plan, **msgspec.convert(engine, dict[str, Engine]))
    second = second._replace(manifest=msgspec.structs.replace(second.manifest, plan=plan))
    whole = combine([by_rules("one", of_a), second])
    assert len(whole.warnings) == bool(game)
    matrix = matrix_of(whole.evidence, load_protocol("agz-0.1").verdict, whole.rules)
    assert {pair.game for pair in matrix.pairs} == {CHESS, POKER}
    for pair in matrix.pairs:
        apart = pair.game == game
        assert (pair.p is None, pair.difference.value is None, pair.difference.ci is None) == (apart,) * 3
        assert pair.note.startswith(f"other rules: {told}" if apart else "")
    text = " ".join(
        " ".join(matrix_lines(MatrixDocument("agz-matrix-1", "agz-0.1", (), matrix, whole.warnings))).split()
    )
    assert text.count(f"models that played {game} by other rules are not comparable: {shown}") == bool(game)
    assert all(entry.on_frontier for entry in matrix.entries if entry.game == game), "none is set beside the other"


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ({}, ""),
        ({CHESS: {"plies_max": 40}}, f'"a", chess960: expected one set of rules, found {PLIES} (runs one and two)'),
        ({POKER: {"session_hands": 2}}, f'"a", holdem: expected one set of rules, found {HANDS} (runs one and two)'),
    ],
)
def test_a_model_that_played_by_other_rules_in_another_run_is_refused_by_the_key_and_both_values(
    rules: dict[str, Any], words: str
) -> None:
    tools = [one for one in of_model("a", Augmentation.TOOLS) if one.key.phase == 2]
    parts = [by_rules("one", of_model("a", MEMORY)), by_rules("two", tools, **rules)]
    if not words:
        assert combine(parts).warnings == ()
        return
    with pytest.raises(CannotCombine, match=re.escape(words)):
        combine(parts)


def test_bundles_of_two_protocol_versions_are_refused() -> None:
    parts = [taken("one", of_model("a")), taken("two", of_model("b"), protocol_sha256="f" * 64)]
    with pytest.raises(CannotCombine, match=r"expected bundles of one protocol version, found agz-0\.1 "):
        combine(parts)


@pytest.mark.parametrize(
    ("uses", "found"),
    [
        (("harness", "model"), "harness in run one and model in run two"),
        (("native", "model"), "native in run one and model in run two"),
        (("harness", "native"), "harness in run one and native in run two"),
    ],
)
def test_memories_that_are_used_in_two_ways_are_refused_though_the_models_differ(
    uses: tuple[str, str], found: str
) -> None:
    models = zip(("one", "two"), ("a", "b"), uses, strict=True)
    parts = [used(taken(run, of_model(model, MEMORY)), use) for run, model, use in models]
    with pytest.raises(CannotCombine, match=f"^expected one way of use of systems of kind memory, found {found}; "):
        combine(parts)


def test_a_bundle_without_a_memory_goes_with_any_way_of_use() -> None:
    alone, harness = taken("one", of_model("a")), used(taken("two", of_model("b", MEMORY)), "harness")
    again = used(taken("three", of_model("c", MEMORY)), "harness")
    sources = combine([alone, harness, again]).sources
    assert [source.ways_of_use.get("memory") for source in sources] == [None, "harness", "harness"]
    tools = used(taken("three", of_model("c", Augmentation.TOOLS)), "model", "tools")
    sources = combine([alone, harness, tools]).sources
    assert {source.run: source.ways_of_use for source in sources} == {
        "one": {},
        "two": {"memory": "harness"},
        "three": {"tools": "model"},
    }


def used(bundle: VerifiedBundle, use: str, kind: str = "memory") -> VerifiedBundle:
    """The bundle as if its systems of a kind were used in that way."""
    return bundle._replace(source=msgspec.structs.replace(bundle.source, ways_of_use={kind: use}))


PIN = MemoryPin(DIGEST, DIGEST, "notes", "1")


@pytest.mark.parametrize(
    ("text", "words"), [("one", ""), ("two", "system mine: expected that of run one, found another")]
)
def test_documents_of_one_name_are_one_text_in_all_bundles_wherever_their_folder_stood(text: str, words: str) -> None:
    def of(run: str, model: str, **changes: Any) -> VerifiedBundle:
        plan = msgspec.structs.replace(manifest().plan, systems={"mine": RagSystem(**changes)})
        return taken(run, of_model(model), plan=plan)

    first = of("one", "a", documents="books/", texts={"chess960": "one"})
    parts = [first, of("two", "b", documents="texts/mine/", texts={"chess960": text})]
    if not words:
        combine(parts)
        return
    with pytest.raises(CannotCombine, match=words):
        combine(parts)


@pytest.mark.parametrize(("version", "words"), [("1", ""), ("2", "system mine: expected the server sealed in run one")])
def test_a_memory_of_one_name_has_one_server_in_all_bundles(version: str, words: str) -> None:
    """Else the placebo could have another server than the real arm."""
    parts = [
        taken(run, of_model(model), memories={"mine": msgspec.structs.replace(PIN, version=number)})
        for run, model, number in (("one", "a", "1"), ("two", "b", version))
    ]
    if not words:
        combine(parts)
        return
    with pytest.raises(CannotCombine, match=words):
        combine(parts)


def test_what_is_attested_and_warned_of_stands_at_the_head_with_where_the_seeds_are_from() -> None:
    first = BundleSource(
        "one", "ab" * 32, "V1", (), attested=("Of system mine it is x.",), warnings=("system mine: y",)
    )
    head = list(source_lines([first], "agz-0.1"))
    assert head[1:3] == ["  ! system mine: y", "  attested: Of system mine it is x."]
    assert "this may be the best of many runs" in " ".join(head)
    both = " ".join(" ".join(source_lines([first, BundleSource("two", "ab" * 32, "V1", ())], "agz-0.1")).split())
    assert "where a control is of another run than its real arm, it may be the worst of many" in both


@pytest.mark.parametrize(("protocol", "is_draft"), [("people-0.1", True), ("agz-0.1", False)])
def test_a_score_over_bundles_of_a_draft_says_that_it_is_one(protocol: str, is_draft: bool) -> None:
    told = " ".join(" ".join(source_lines([BundleSource("one", "ab" * 32, "V1", ())], protocol)).split())
    assert f"protocol {protocol}" in told
    assert ("a draft: a later verifier may refuse its bundles" in told) is is_draft


def test_a_cell_from_two_bundles_is_refused_but_each_may_have_its_phase_0() -> None:
    with pytest.raises(CannotCombine, match="a chess960 phase 1 naked/naked: expected once, found in runs one and two"):
        combine([taken("one", of_model("a")), taken("two", of_model("a"))])
    sanity = [one for one in of_model("a") if one.key.phase == 0]
    whole = combine([taken("one", of_model("a")), taken("two", sanity)])
    assert len(whole.evidence.cells) == len(of_model("a"))


def test_only_what_every_plan_declares_is_tested_at_the_strictest_alpha() -> None:
    plans = [AnalysisPlan((Id.H1, Id.H2), "0.05"), AnalysisPlan((Id.H2, Id.E1), "0.01")]
    assert declared_by_all(plans) == AnalysisPlan((Id.H2,), "0.01")


def test_draws_differ_by_name_and_by_run() -> None:
    assert len({seeds_of(runs)(name) for runs in (["a"], ["b"], ["a", "b"]) for name in "xy"}) == 6


MODEL = {"kind": "openai", "base_url": "https://one.example/v1", "model": "m"}
CONTROL = {"phase": 2, "game": "chess960", "a": "x", "b": "y", "condition": {"augmentation": "memory"}}
REAL = {**CONTROL, "condition": {"augmentation": "memory", "arm": "real", "system": "s"}}
SHIFTED = {**REAL, "shifts": [{"after": 100}]}


def arm_of(run: str, match: dict[str, Any], a: dict[str, Any], b: dict[str, Any]) -> VerifiedBundle:
    plan = msgspec.convert(
        {"title": "t", "seats": {"x": a, "y": b}, "systems": {"s": {"kind": "oracle"}}, "matches": [match]}, Plan
    )
    return taken(run, [], plan=plan)


@pytest.mark.parametrize(
    ("match", "a", "b", "words"),
    [
        (REAL, {}, {}, ""),
        (REAL, {"base_url": "https://two.example/v1", "timeout_s": 9, "api_key_env": "KEY"}, {}, ""),
        (REAL, {}, {"briefing": "Lose."}, "expected an opponent, its system and its shifts as in run one"),
        (REAL, {}, {"patterns": ["castles_early"]}, "expected an opponent, its system and its shifts as in run one"),
        (SHIFTED, {}, {}, "expected an opponent, its system and its shifts as in run one"),
        (REAL, {"tokens_max": 9000}, {}, "expected settings of x as in run one"),
        (REAL, {"briefing": "Win."}, {}, "expected settings of x as in run one"),
    ],
)
def test_arms_of_two_bundles_meet_one_opponent_with_one_seat(
    match: dict[str, Any], a: dict[str, Any], b: dict[str, Any], words: str
) -> None:
    both = [arm_of("one", CONTROL, MODEL, MODEL), arm_of("two", match, {**MODEL, **a}, {**MODEL, **b})]
    if not words:
        combine(both)
        return
    with pytest.raises(CannotCombine, match=words):
        combine(both)


@pytest.mark.parametrize("changes", [{}, {"patterns": ["castles_early"]}, {"briefing": "Lose."}])
def test_the_robustness_check_of_another_bundle_meets_an_opponent_that_is_told_the_same(
    changes: dict[str, object],
) -> None:
    warm = {**MODEL, "temperature": "0.3"}
    sanity = {"phase": 0, "game": "chess960", "a": "cold", "b": "dice", "games": 30}
    plan = {
        "title": "t",
        "seats": {"cold": MODEL, "dice": {"kind": "random"}, "x": warm, "y": {**warm, **changes}},
        "systems": {"s": {"kind": "oracle"}},
        "matches": [sanity, {**REAL, "a": "cold", "b": "cold"}, REAL],
    }
    both = [arm_of("one", REAL, MODEL, MODEL), taken("two", [], plan=msgspec.convert(plan, Plan))]
    if not changes:
        combine(both)
        return
    with pytest.raises(CannotCombine, match="expected what the opponent is told, at every temperature of seat A, as"):
        combine(both)


@pytest.mark.parametrize(
    ("matches", "model"),
    [([REAL], "openai:m"), ([REAL, {"phase": 1, "game": "chess960", "a": "y", "b": "y"}], "openai:x@m")],
)
def test_an_opponent_of_the_same_model_gives_the_measured_one_no_other_name(
    matches: list[dict[str, Any]], model: str
) -> None:
    """Else the baseline of one bundle and the arms of another would be of two models."""
    plan = msgspec.convert({"title": "t", "seats": {"x": MODEL, "y": MODEL}, "matches": matches}, Plan)
    assert model_of(manifest(plan=plan), "x") == model


@pytest.mark.parametrize(("games", "shifts"), [(102, (100,)), (100, ()), (4, ())])
def test_a_shift_that_an_early_end_did_not_reach_is_none(games: int, shifts: tuple[int, ...]) -> None:
    plan = msgspec.convert({"title": "t", "seats": {"x": MODEL, "y": MODEL}, "matches": [SHIFTED]}, Plan)
    drawn = Ending(End.PLY_LIMIT, 1)
    records = tuple(ChessRecord(f"g{at}", "", (), drawn, drawn, (Tally(), Tally())) for at in range(games))
    assert (
        cell_of(manifest(plan=plan), Played("run", plan, plan.matches[0], 0, [ChessBlock(0, records)])).shifts == shifts
    )


@pytest.mark.parametrize(("arm", "games", "careers"), [("real", 100, 5), ("real", 98, 1), ("naked", 100, 0)])
def test_only_whole_careers_of_an_arm_with_a_system_are_the_unit_of_inference(
    arm: str, games: int, careers: int
) -> None:
    condition = {**SHIFTED["condition"], "arm": arm, "system": "s" if arm == "real" else ""}
    match = {**SHIFTED, "games": 100, "careers": 5, "shifts": [], "condition": condition}
    plan = msgspec.convert({"title": "t", "seats": {"x": MODEL, "y": MODEL}, "matches": [match]}, Plan)
    drawn = Ending(End.PLY_LIMIT, 1)
    records = tuple(ChessRecord(f"g{at}", "", (), drawn, drawn, (Tally(), Tally())) for at in range(games))
    assert (
        cell_of(manifest(plan=plan), Played("run", plan, plan.matches[0], 0, [ChessBlock(0, records)])).careers
        == careers
    )
