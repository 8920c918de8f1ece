"""Plans that are well formed but cannot be run: each fault has the key's path and says what was expected."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agzamov_verify.experiment.plan_fields import Problem
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.plan.plan_problems import STREAMS_MAX, image_parts, needs_engine, problems, starts_engine

MODEL = {"kind": "openai", "base_url": "http://127.0.0.1/v1", "model": "m"}
PLAN: dict[str, Any] = {
    "title": "Feasible",
    "seats": {"model": MODEL, "dice": {"kind": "random"}, "fish": {"kind": "stockfish"}},
    "matches": [
        {"phase": 0, "game": "chess960", "a": "model", "b": "dice", "games": 30},
        {"phase": 1, "game": "holdem", "a": "model", "b": "model", "hands": 1000},
    ],
}


def plan(**changes: object) -> Plan:
    return msgspec.convert({**PLAN, **changes}, Plan)


def chess_match(**changes: object) -> dict[str, Any]:
    return {"matches": [{**PLAN["matches"][0], **changes}]}


def poker_match(**changes: object) -> dict[str, Any]:
    return {"matches": [{**PLAN["matches"][1], **changes}]}


def model(**changes: object) -> dict[str, Any]:
    return {"seats": {**PLAN["seats"], "model": {**MODEL, **changes}}}


def gguf(**changes: object) -> dict[str, Any]:
    seat = {"kind": "gguf", "weights": "tiny.gguf", **changes}
    return {"seats": {**PLAN["seats"], "model": seat}, "isolation": "container"}


def ollama(**changes: object) -> dict[str, Any]:
    seat = {"kind": "ollama", "model": "m", "model_digest": "0" * 64, "store": "models", **changes}
    return {"seats": {**PLAN["seats"], "model": seat}}


def chess_rules(**changes: object) -> dict[str, Any]:
    return {"chess960": changes}


def adjudication(**changes: object) -> dict[str, Any]:
    return chess_rules(adjudication=changes)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        gguf(),
        {**gguf(), "isolation": "process"},
        gguf(gpus="all", determinism="measured", memory_mib=8000),
        ollama(),
        ollama(store=""),
        {**ollama(), "isolation": "container"},
        {**ollama(gpus=2, determinism="measured"), "isolation": "container"},
        {**model(base_url="http://host.docker.internal:8000/v1"), "isolation": "container"},
        {
            **model(base_url="http://host.docker.internal:8000/v1", api_key_env="KEY"),
            "isolation": "container",
        },
        {**model(base_url="http://10.0.0.5:8000/v1"), "isolation": "container"},
        {**model(base_url="https://[2001:db8::1]:8443/v1"), "isolation": "container"},
    ],
)
def test_a_plan_that_can_be_run_has_no_problem(changes: dict[str, Any]) -> None:
    assert problems(plan(**changes)) == []


@pytest.mark.parametrize(
    ("changes", "parts"),
    [
        ({}, ()),
        (gguf(), ("engine", "harness", "model")),
        ({**ollama(), "isolation": "container"}, ("engine", "harness", "ollama")),
        ({**model(base_url="https://api.example/v1"), "isolation": "container"}, ("engine", "harness", "proxy")),
        ({**gguf(), "matches": PLAN["matches"][1:]}, ("harness", "model")),
    ],
)
def test_a_plan_names_the_parts_that_containers_play(changes: dict[str, Any], parts: tuple[str, ...]) -> None:
    assert image_parts(plan(**changes)) == parts


COLOURS = "a start is played with both colours"
SESSIONS = "expected hands and block_hands in whole sessions of 100 hands, found"
MULTIPLES = "choose multiples of 100, or set holdem.session_hands"
SEATS = "expected one of the seats model, dice, fish; found"
SEASON = "expected a value with origin season or beacon, and none with origin self"
POSITIVE = "expected positive thresholds and plies"
BUTTON = "expected an even number, so that both seats have the button equally"


@pytest.mark.parametrize(
    ("changes", "path", "message"),
    [
        ({"matches": []}, "matches", "expected at least one match"),
        (
            chess_match(games=31),
            "matches[0]",
            f"expected even games and block_games, found 31 and 2: {COLOURS}",
        ),
        (
            chess_match(block_games=3),
            "matches[0]",
            f"expected even games and block_games, found 30 and 3: {COLOURS}",
        ),
        (poker_match(hands=1050), "matches[0]", f"{SESSIONS} 1050 and 100; {MULTIPLES}"),
        (poker_match(block_hands=50), "matches[0]", f"{SESSIONS} 1000 and 50; {MULTIPLES}"),
        (chess_match(a="nobody"), "matches[0].a", f"{SEATS} nobody"),
        (chess_match(a="modle"), "matches[0].a", f"{SEATS} modle; did you mean model?"),
        (chess_match(b="nobody"), "matches[0].b", f"{SEATS} nobody"),
        (chess_match(b="model"), "matches[0].b", "expected a random seat in Phase 0"),
        (poker_match(b="dice"), "matches[0].b", "expected model or a benchmark seat: Phase 1 is self-play"),
        (
            {"matches": [{"phase": 0, "game": "holdem", "a": "fish", "b": "dice", "hands": 100, "block_hands": 100}]},
            "matches[0].a",
            "expected a seat that plays hold'em, found Stockfish",
        ),
        (
            {"matches": [PLAN["matches"][0], {**PLAN["matches"][0], "games": 2}]},
            "matches[1]",
            "expected one match of its phase, game, condition and seats, found p0-chess960-naked-model again",
        ),
        (
            poker_match(hands=5_000_000, block_hands=100),
            "matches",
            f"expected at most {STREAMS_MAX} streams, found 50000; make the blocks larger",
        ),
        (chess_rules(plies_max=0), "chess960.plies_max", "expected 1 to 1000, found 0"),
        (chess_rules(plies_max=1001), "chess960.plies_max", "expected 1 to 1000, found 1001"),
        (adjudication(plies=0), "chess960.adjudication", POSITIVE),
        (adjudication(threshold_centipawns=0), "chess960.adjudication", POSITIVE),
        (adjudication(threshold_points=-1), "chess960.adjudication", POSITIVE),
        (
            adjudication(play_on_percent=101),
            "chess960.adjudication.play_on_percent",
            "expected 0 to 100, found 101",
        ),
        (
            adjudication(play_on_percent=-1),
            "chess960.adjudication.play_on_percent",
            "expected 0 to 100, found -1",
        ),
        ({"holdem": {"stack_chips": 199}}, "holdem.stack_chips", "expected 200 to 1000000 (100 a BB)"),
        ({"holdem": {"stack_chips": 1_000_001}}, "holdem.stack_chips", "expected 200 to 1000000 (100 a BB)"),
        ({"seed": {"origin": "season"}}, "seed.value", SEASON),
        ({"seed": {"origin": "self", "value": "2026-05"}}, "seed.value", SEASON),
        ({"prices": {"modle": {}}}, "prices.modle", "expected the name of a seat, found modle; did you mean model?"),
        (
            {"seats": {**PLAN["seats"], "engine": {"kind": "random"}}},
            "seats.engine",
            "expected another name: in a journal this is the engine that adjudicates",
        ),
        (
            model(base_url=""),
            "seats.model.base_url",
            "expected the endpoint's address, for example http://127.0.0.1:11434/v1",
        ),
        (model(model=""), "seats.model.model", "expected the model's name as the endpoint lists it"),
        (model(temperature="2.000000001"), "seats.model.temperature", "expected 0 to 2, found 2.000000001"),
        (model(top_p="0.0"), "seats.model.top_p", "expected more than 0 and at most 1, found 0.0"),
        (model(top_p="1.1"), "seats.model.top_p", "expected more than 0 and at most 1, found 1.1"),
        (gguf(weights=""), "seats.model.weights", "expected the path of a GGUF file, from the plan's folder"),
        (
            gguf(tokens_max=4096),
            "seats.model.tokens_max",
            "expected fewer than the 4096 tokens of the context",
        ),
        (gguf(temperature="3"), "seats.model.temperature", "expected 0 to 2, found 3"),
        (ollama(model=""), "seats.model.model", "expected the model's name as agzamov models list shows it"),
        (
            ollama(model_digest=""),
            "seats.model.model_digest",
            "expected the model's 64 digits as agzamov models list shows them",
        ),
        (
            {**ollama(store=""), "isolation": "container"},
            "seats.model.store",
            "expected Ollama's model folder, which the container mounts read-only",
        ),
        *(
            (
                {**model(base_url=f"http://{host}:8000/v1"), "isolation": "container"},
                "seats.model.base_url",
                "expected http://host.docker.internal:PORT for a server of this machine; localhost is the container",
            )
            for host in ("localhost", "LOCALHOST", "127.0.0.1", "127.1.2.3", "0.0.0.0", "[::1]", "[::]")  # noqa: S104 - as an address in a plan
        ),
        (
            model(base_url="http://host.docker.internal:8000/v1"),
            "seats.model.base_url",
            "expected localhost: host.docker.internal is a name in containers alone",
        ),
        *(
            (
                model(base_url=f"http://{place}/v1"),
                "seats.model.base_url",
                f"expected a host and a port from 1 to 65535, found http://{place}/v1",
            )
            for place in ("api.example:0", "api.example:65536", "api.example:x", ":8000", "[api.example")
        ),
        (
            gguf(gpus=1),
            "seats.model.determinism",
            "expected measured: with gpus, equal answers were never measured",
        ),
        (
            gguf(gpus="all"),
            "seats.model.determinism",
            "expected measured: with gpus, equal answers were never measured",
        ),
        (
            ollama(gpus=1, determinism="measured"),
            "seats.model.gpus",
            "expected 0: in processes the server has the GPUs that its owner gave it",
        ),
        (
            model(accepts=["max_tokens", "max_completion_tokens"]),
            "seats.model.accepts",
            "expected max_tokens or max_completion_tokens, found both",
        ),
    ],
)
def test_an_impossible_plan_has_one_problem_at_the_keys_path(changes: dict[str, Any], path: str, message: str) -> None:
    assert problems(plan(**changes)) == [Problem(path, message)]
    assert str(Problem(path, message)) == f"{path}: {message}"


@pytest.mark.parametrize(("hands", "mirrored"), [(1_000, True), (1_100, False), (1_100, True)])
def test_a_mirrored_match_has_pairs_of_sessions(hands: int, mirrored: bool) -> None:
    found = problems(plan(holdem={"mirrored": mirrored}, **poker_match(hands=hands)))
    odd = [
        Problem("matches[0]", "expected hands in pairs of sessions of 100: each is played again with seats exchanged")
    ]
    assert found == (odd if mirrored and hands == 1_100 else [])


@pytest.mark.parametrize("seat", ["a", "b"])
def test_a_person_is_dealt_no_deck_twice(seat: str) -> None:
    """In the second half of a mirrored match they hold the cards that they knew to be the opponent's."""
    seats = {"seats": {**PLAN["seats"], "ada": {"kind": "human"}}}
    match = {**PLAN["matches"][1], "phase": 0, "a": "dice", "b": "dice", seat: "ada"}
    chess = {**PLAN["matches"][0], "a": "ada", "games": 30}
    assert problems(plan(**seats, matches=[chess], holdem={"mirrored": True})) == []
    before = problems(plan(**seats, matches=[match]))
    assert not any("mirrored" in problem.message for problem in before), "Phase 0 may ask for another opponent"
    (problem,) = set(problems(plan(**seats, matches=[match], holdem={"mirrored": True}))) - set(before)
    assert problem.path == f"matches[0].{seat}"
    assert problem.message.startswith("expected no person where decks are mirrored: ada would be dealt")
    assert problem.message.endswith("write holdem: {mirrored: false}")


@pytest.mark.parametrize("session_hands", [-2, 0, 1, 3, 99])
def test_a_session_is_an_even_number_of_hands(session_hands: int) -> None:
    found = problems(plan(holdem={"session_hands": session_hands}, matches=PLAN["matches"][:1]))
    assert found == [Problem("holdem.session_hands", BUTTON)]


@pytest.mark.parametrize(
    "changes",
    [
        chess_rules(plies_max=1),
        chess_rules(plies_max=1000),
        adjudication(play_on_percent=100),
        {"holdem": {"stack_chips": 200}},
        {"holdem": {"stack_chips": 1_000_000}},
        {"seed": {"origin": "season", "value": "2026-05"}},
        model(temperature="2", top_p="1"),
        chess_match(games=1_920, block_games=2),
        poker_match(hands=100 * STREAMS_MAX, block_hands=100),
        poker_match(hands=10_000_000, block_hands=10_000_000),
    ],
)
def test_the_last_value_within_a_bound_is_allowed(changes: dict[str, Any]) -> None:
    assert problems(plan(**changes)) == []


def test_everything_that_is_wrong_is_told_at_once() -> None:
    found = problems(
        plan(
            **chess_match(games=3, a="nobody"),
            **chess_rules(plies_max=0),
            seed={"origin": "season"},
            prices={"x": {}},
        )
    )
    assert [problem.path for problem in found] == [
        "chess960.plies_max",
        "seed.value",
        "prices.x",
        "matches[0]",
        "matches[0].a",
    ]


integers = st.integers(-(2**60), 2**60)


@given(integers, integers, integers, integers, st.integers(1, 10**7), st.integers(1, 10**7))
def test_no_numbers_make_the_check_itself_fail(
    plies: int, threshold: int, stack: int, session: int, games: int, block: int
) -> None:
    of = plan(
        chess960={"plies_max": plies, "adjudication": {"threshold_points": threshold, "plies": plies}},
        holdem={"stack_chips": stack, "session_hands": session},
        matches=[
            {"phase": 0, "game": "chess960", "a": "model", "b": "dice", "games": games, "block_games": block},
            {"phase": 1, "game": "holdem", "a": "model", "b": "model", "hands": games, "block_hands": block},
        ],
    )
    assert all(problem.path and problem.message for problem in problems(of))


# --- who needs an engine -------------------------------------------------------------------------


NO_POLICY = adjudication(policy="none")


@pytest.mark.parametrize(
    ("changes", "adjudicated", "started"),
    [
        ({}, True, True),
        (NO_POLICY, False, False),
        (adjudication(policy="material"), False, False),
        (poker_match(), False, False),
        ({**NO_POLICY, **chess_match(a="fish")}, False, True),
        (chess_match(a="fish"), True, True),
        ({**NO_POLICY, "quality": {"nodes": 300}}, False, True),
    ],
    ids=[
        "as in the protocol",
        "no adjudication",
        "by material",
        "hold'em alone",
        "a seat of Stockfish",
        "both",
        "moves are judged",
    ],
)
def test_an_engine_is_needed_to_adjudicate_and_started_to_play_or_to_judge_moves(
    changes: dict[str, Any], adjudicated: bool, started: bool
) -> None:
    assert (needs_engine(plan(**changes)), starts_engine(plan(**changes))) == (adjudicated, started)


def test_seats_of_one_ollama_server_name_the_same_gpus_and_memory() -> None:
    seat = {**ollama()["seats"]["model"], "determinism": "measured"}
    seats = {"one": {**seat, "gpus": 1}, "two": {**seat, "gpus": 2}}
    matches = [{**PLAN["matches"][0], "a": name} for name in seats]
    found = problems(plan(seats={**PLAN["seats"], **seats}, matches=matches, isolation="container"))
    assert found == [Problem("seats.two", "expected the same gpus and memory_mib for all seats of Ollama")]


def test_no_seat_is_taken_for_another_by_its_models_name() -> None:
    """Of two seats of one model each is known by `name@model`, which another seat's model may be called."""
    briefed = {**MODEL, "briefing": "second"}
    one, other = {"s": MODEL, "t": briefed}, {"s": MODEL, "t": briefed, "u": {**MODEL, "model": "s@m"}}
    self_play = {"phase": 1, "game": "holdem", "hands": 1000}

    def of(seats: dict[str, Any]) -> list[Problem]:
        return problems(plan(seats=seats, matches=[{**self_play, "a": name, "b": name} for name in seats]))

    assert of(one) == []
    told = 'expected a player that results tell from that of seat s: both are "openai:s@m"; rename one of the seats'
    assert of(other) == [Problem("seats.u", told)]


def test_many_seats_are_looked_at_without_a_long_search() -> None:
    """Which seats repeat another one was asked anew for each seat: 2,000 of them held up every command for minutes."""
    names = [f"model{number}" for number in range(1_000)]
    matches = [{**PLAN["matches"][0], "a": name, "games": 2} for name in names]
    seats = {**PLAN["seats"], **{name: {"kind": "reference"} for name in names}}
    assert problems(plan(seats=seats, matches=matches)) == []
