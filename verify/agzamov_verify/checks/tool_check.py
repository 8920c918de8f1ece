"""Step 16: the recorded answers of tools are the only ones that they can give.

What a tool finds depends on its question alone, which the replay makes again. So the calculator's answers are computed
again, and the engine is asked again, with a fresh table for each move. Of a long run that is a random sample of each.
"""

from contextlib import closing

import msgspec

from ..core.questions import Calculate, Calculated, Examine, Examined
from ..engines.uci_engine import EngineFault, UciEngine
from ..protocols.norms import load_protocol
from .asking_engines import WRONG_MAX, ask_all
from .check_log import CheckLog, CouldNotCheck, Finding, Number, Status
from .engine_scores import EngineAtHand, engines_for
from .opened_bundle import Opened
from .random_sample import wrong_at_most_words
from .replay_all import on_all_cores
from .replay_stream import StreamReplay
from .tool_sample import ToolAnswer, ToolSample


def check_tools(opened: Opened, sample: ToolSample, log: CheckLog, at_hand: EngineAtHand) -> bool:
    """Take step 16, or say why not; whether every answer was computed again. Raises StepFailed."""
    if not sample.calculated.total + sample.examined.total:
        log.skip(Number.TOOLS, Status.NOT_APPLICABLE, "no tool was asked")
        return True
    remarks: list[str] = []
    with log.taking(Number.TOOLS):
        try:
            _calculate_again(opened, sample, remarks, log, at_hand)
            _ask_engine(opened, sample, remarks, log, at_hand)
        except CouldNotCheck as error:  # the steps after this one do not need it
            words = "; ".join((*remarks, str(error)))
            log.skip(Number.TOOLS, Status.NOT_CHECKED, words, error.for_engine)
            return False
        log.skip(Number.TOOLS, Status.PASS, "; ".join(remarks))
    return all(len(kept.heap) == kept.total for kept in (sample.calculated, sample.examined))


def _calculate_again(
    opened: Opened, sample: ToolSample, remarks: list[str], log: CheckLog, at_hand: EngineAtHand
) -> None:
    """Raises CouldNotCheck where time is up."""
    drawn = sample.calculated.items
    if not drawn:
        return
    at_hand.say(f"{len(drawn):,} answers of a calculator to compute again")
    wrong = 0
    replay = StreamReplay(opened, 0, at_hand.budget.deadline_s, {})
    questions = [recorded.question for recorded in drawn if isinstance(recorded.question, Calculate)]
    with closing(on_all_cores(replay, StreamReplay.computed, questions, opened.workers(at_hand.jobs))) as answers:
        for recorded, answer in zip(drawn, answers, strict=True):
            if answer != recorded.answer:
                log.take([_finding(recorded, answer)])
                wrong += 1
            if wrong >= WRONG_MAX:
                return
    remarks.append(_extent("calculator", len(drawn), sample.calculated.total))


def _ask_engine(opened: Opened, sample: ToolSample, remarks: list[str], log: CheckLog, at_hand: EngineAtHand) -> None:
    """Raises CouldNotCheck where the engine cannot be asked, or about all of them."""
    drawn = sample.examined.items
    if not drawn:
        return
    total = sample.examined.total
    for_engine = "1 answer of the engine tool" if total == 1 else f"{total:,} answers of the engine tool"
    if at_hand.path is None:
        raise CouldNotCheck(at_hand.missing, for_engine)
    plan = opened.manifest.plan
    norm, hash_mib = load_protocol(plan.protocol).engine, plan.engine.hash_mib
    nodes_each = max(_nodes(recorded.question) for recorded in drawn)
    try:
        with engines_for(at_hand, norm, hash_mib, lambda path: UciEngine(path, hash_mib)) as engines:
            asked = ask_all(drawn, engines, nodes_each, _again, at_hand.budget, at_hand.say)
    except EngineFault as error:
        raise CouldNotCheck(str(error), for_engine) from error
    log.take(asked.wrong)
    if asked.stopped and not asked.wrong:
        raise CouldNotCheck(f"engine: {asked.remark} answers asked again, all as recorded: {asked.stopped}")
    remarks.append(_extent("engine", asked.done, total))


def _again(engine: UciEngine, recorded: ToolAnswer) -> Finding | None:
    assert isinstance(recorded.question, Examine)
    answer = engine.examine(recorded.question)
    return None if answer == recorded.answer else _finding(recorded, answer)


def _nodes(question: Examine | Calculate) -> int:
    if isinstance(question, Calculate):
        return 0
    return question.nodes * (len(question.candidates) or question.lines_max or 1)


def _extent(tool: str, done: int, total: int) -> str:
    """Number of a tool's answers that were made again, in words."""
    if done == total:
        return f"all {total:,} answers of the {tool} made again"
    return f"{done:,} of {total:,} answers of the {tool} made again, {wrong_at_most_words(total, done)}"


def _finding(recorded: ToolAnswer, answer: Examined | Calculated) -> Finding:
    """The first part of an answer that is another than the tool gives."""
    expected, found = answer, recorded.answer
    if isinstance(expected, Examined) and isinstance(found, Examined) and len(expected.moves) == len(found.moves):
        pairs = zip(expected.moves, found.moves, strict=True)
        expected, found = next((a, b) for a, b in pairs if a != b)  # type: ignore[assignment]
    return Finding(Number.TOOLS, recorded.place, _shown(expected), _shown(found))


def _shown(value: msgspec.Struct) -> str:
    return ", ".join(f"{name} {part}" for name, part in msgspec.structs.asdict(value).items() if part is not None)
