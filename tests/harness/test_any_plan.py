"""A plan, its mappings in any order, comes to one outcome at V1: played whole, cut off and resumed, or in shares."""

import threading
from collections import defaultdict
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import msgspec
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import stack_world
from agzamov_harness.cluster.shares import Share, ShareRunner
from agzamov_harness.pipeline.pack import named, written
from agzamov_harness.ports import PortFault
from agzamov_harness.run import run_folder
from agzamov_harness.run.dispatch import Answering
from agzamov_harness.run.execution_log import gather_shares
from agzamov_harness.run.plan_file import plan_from
from agzamov_harness.run.progress import State
from agzamov_harness.run.run_folder import RunDirectory
from agzamov_harness.run.runner import Blocks, Runner, finished
from agzamov_harness.run.seal import seal
from agzamov_harness.run.stop import Stop
from agzamov_verify.checks.steps import Options, verify
from agzamov_verify.core import canon
from agzamov_verify.core.envelope import key_id
from agzamov_verify.core.questions import Answer, Chat, Question
from agzamov_verify.core.script import Answerer
from agzamov_verify.plan.manifest import Plan
from bundles.bundle_factory import SECRET, SUBMITTER, world_of
from conditions import arms_of

NAMES: Final = ("amy", "kim", "zoe", "bob")
PATTERNS: Final = ("folds_button_to_3bet", "min_raises_pairs", "castles_early", "avoids_queen_trades")
SYSTEM_OF: Final = {"memory": "recent", "tools": "tool", "rag": "basics", "full": "full"}
SHARES: Final = 2
WAIT_S: Final = 120
TOLD = {
    "patterns": st.lists(st.sampled_from(PATTERNS), unique=True, max_size=2),
    "briefing": st.sampled_from(["", "It castles early.", "It folds to raises.\nIt likes knights."]),
}
SIZES: Final = {"chess960": {"games": 2}, "holdem": {"hands": 4}}


@st.composite
def plans(draw: st.DrawFn) -> dict[str, Any]:
    """A small plan of scripted seats: any kinds, briefings, patterns, systems, arms, phases and rules."""
    one, other, dice, third = draw(st.permutations(NAMES))
    kind = draw(st.sampled_from(["reference", "novice"]))
    told = st.fixed_dictionaries({}, optional=TOLD)
    seats = {one: {"kind": kind, **draw(told)}, other: {"kind": kind, **draw(told)}, dice: {"kind": "random"}}
    seats |= {third: {"kind": "benchmark"}} if draw(st.booleans()) else {}
    matches = [match for game in SIZES for match in draw(matches_of(game, one, other, dice))]
    if third in seats:
        matches.append({"phase": 1, "game": "holdem", "a": one, "b": third, "hands": 4})
    return {
        "title": "Any plan",
        "seats": seats,
        "systems": stack_world.SYSTEMS,
        "matches": matches or [{"phase": 1, "game": "holdem", "a": one, "b": one, "hands": 4}],
        "chess960": {
            "adjudication": {"policy": draw(st.sampled_from(["none", "material"]))},
            "illegal": draw(st.sampled_from(["substitute", "retry_then_forfeit"])),
            "plies_max": 4,
        },
        "holdem": {"session_hands": 2, "stack_chips": draw(st.sampled_from([2_000, 10_000]))},
        "prices": {name: {"input_usd": "3"} for name in draw(st.lists(st.sampled_from([one, other]), unique=True))},
    }


@st.composite
def matches_of(draw: st.DrawFn, game: str, one: str, other: str, dice: str) -> list[dict[str, Any]]:
    """Some matches of one game: a gate, self-play, all arms of an augmentation, two seats with a system each."""
    phases = draw(st.sets(st.sampled_from([0, 1, 2, 3])))
    sized = {"game": game, **SIZES[game]}
    found: list[dict[str, Any]] = []
    if 0 in phases:
        found.append({**sized, "phase": 0, "a": one, "b": dice})
    if 1 in phases:
        found.append({**sized, "phase": 1, "a": one, "b": one})
    pair = {"a": one, "b": other, "careers": 1}
    kinds = ["memory", "rag"] if game == "chess960" else [*SYSTEM_OF]
    if 2 in phases:
        name = draw(st.sampled_from(kinds))
        for condition in arms_of(name).values():
            named_system = {"system": SYSTEM_OF[name]} if "system" in condition else {}
            found.append(
                {**sized, "phase": 2, "a": one, "b": other, "careers": 1, "condition": condition | named_system}
            )
    if 3 in phases:
        real = {"augmentation": "memory", "arm": "real", "system": "recent"}
        documents = {"augmentation": "rag", "arm": "real", "system": "basics"}
        theirs = draw(st.sampled_from([real, documents]))
        found.append({**sized, **pair, "phase": 3, "condition": real, "b_condition": theirs})
    return found


def shuffled(value: Any, draw: st.DrawFn) -> Any:
    """The same value, every mapping in it in another order."""
    if isinstance(value, dict):
        return {key: shuffled(value[key], draw) for key in draw(st.permutations(list(value)))}
    return [shuffled(item, draw) for item in value] if isinstance(value, list) else value


@st.composite
def typed_plans(draw: st.DrawFn) -> tuple[dict[str, Any], int]:
    """A plan in the order in which somebody typed it, and the number of answers after which a run of it is cut off."""
    return shuffled(draw(plans()), draw), draw(st.integers(0, 60))


class Memo:
    """The answers of a whole run by their questions: another run of its plan asks nothing else."""

    def __init__(self, world: Answerer) -> None:
        self._world, self._answers = world, dict[bytes, Answer]()

    def live(self, question: Question) -> Answer:
        return self._answers.setdefault(canon.dumps(question), self._world(question))

    def again(self, question: Question) -> Answer:
        return self._answers[canon.dumps(question)]


def world(plan: Plan) -> Answerer:
    """Scripted seats, and for all else a world of the full stack for each name that is asked: two seats, two stores."""
    stacks, seats = defaultdict[str, stack_world.StackWorld](stack_world.StackWorld), world_of(plan, None)
    return lambda question: seats(question) if isinstance(question, Chat) else stacks[question.to](question)


def cut_off(answer: Answerer, after: int) -> Answerer:
    """The same world until its end."""
    left = iter(range(after))

    def one(question: Question) -> Answer:
        if next(left, None) is None:
            raise PortFault("the power went")
        return answer(question)

    return one


def sealed(wished: dict[str, Any], folder: Path) -> RunDirectory:
    plan = plan_from(wished)
    manifest, secret = seal(plan, key_id(SUBMITTER.public_key()), None, SECRET)
    memories = {"recent": stack_world.PIN} if "recent" in plan.systems_played else {}
    return run_folder.create(
        folder, msgspec.structs.replace(manifest, nonce="0" * 32, memories=memories), secret, SUBMITTER
    )


def play(directory: RunDirectory, answer: Answerer) -> Blocks:
    ticks, state = count(step=1000), State(directory.manifest.plan, None)
    return Runner(directory, Answering(answer), lambda: next(ticks), state, Stop(), 1).play()


def resume(directory: RunDirectory, memo: Memo, after: int) -> None:
    """Play a run that is cut off after so many answers, then what is left of it."""
    try:
        play(directory, cut_off(memo.again, after))
    except PortFault:
        play(run_folder.load(directory.path), memo.again)


def play_shares(directory: RunDirectory, memo: Memo) -> None:
    """Play all shares at once, to their ends."""
    faults: list[BaseException] = []

    def one(index: int) -> None:
        state, share = State(directory.manifest.plan, None), Share(index, SHARES)
        try:
            ShareRunner(directory, Answering(memo.again), lambda: 0, state, Stop(), 1, share=share).play()
        except BaseException as error:  # noqa: BLE001 - a thread's fault is the test's
            faults.append(error)

    threads = [threading.Thread(target=one, args=(index,), daemon=True) for index in range(SHARES)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT_S)
    assert faults == []
    assert not any(thread.is_alive() for thread in threads)


def journals(directory: RunDirectory) -> Mapping[str, bytes]:
    """Every stream's lines, whatever segments they are in."""
    found: dict[str, bytes] = {}
    for path in sorted(directory.journal.glob("*/*.jsonl")):
        if path.name != "calls.jsonl":
            found[path.parent.name] = found.get(path.parent.name, b"") + path.read_bytes()
    return found


def require_v1(directory: RunDirectory) -> None:
    bundles = directory.path.parent / "bundles"
    bundles.mkdir()
    made = named(written(directory, finished(directory), SUBMITTER, bundles), bundles / "made")
    verdict = verify(made, Options())
    assert (verdict.level, verdict.findings) == ("V1", []), verdict.steps


def require_one_outcome(wished: dict[str, Any], after: int) -> None:
    """A plan that is played in three ways has one set of journals, and three bundles that verify."""
    with TemporaryDirectory() as name:
        whole, resumed, shared = (sealed(wished, Path(name) / way) for way in ("whole", "resumed", "shared"))
        memo = Memo(world(whole.manifest.plan))
        play(whole, memo.live)
        resume(resumed, memo, after)
        play_shares(shared, memo)
        gather_shares(shared.journal)
        assert journals(whole) == journals(resumed) == journals(shared)
        for directory in (whole, resumed, shared):
            require_v1(directory)


@pytest.mark.slow
@settings(max_examples=8, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(typed_plans())
def test_a_few_plans_come_to_one_outcome(typed: tuple[dict[str, Any], int]) -> None:
    require_one_outcome(*typed)


@pytest.mark.exhaustive
@settings(
    max_examples=40,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],  # a failing plan is small enough to read as it is
    suppress_health_check=list(HealthCheck),
)
@given(typed_plans())
def test_many_plans_come_to_one_outcome(typed: tuple[dict[str, Any], int]) -> None:
    require_one_outcome(*typed)
