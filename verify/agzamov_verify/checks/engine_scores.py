"""Step 9: the pinned engine asked again for the evaluations that decided games, and for a sample of the others."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TypeVar

import msgspec

from ..core.dice import Stream
from ..core.questions import Evaluation
from ..engines.answer_store import answers_of, drawing_seed
from ..engines.engine_group import EngineGroup
from ..engines.uci_engine import EngineFault, UciEngine
from ..protocols.norms import EngineNorm, load_protocol
from .asking_engines import AskingOutcome, Say, ask_all
from .check_log import CheckLog, Finding, Number, Status
from .limits import Budget
from .opened_bundle import Opened
from .random_sample import wrong_at_most_words, wrong_below
from .replay_all import Replayed
from .replay_stream import AskedAgain

E = TypeVar("E", bound=UciEngine)


class EngineAtHand(msgspec.Struct, frozen=True):
    """The engine (or why there is none), how many run side by side, the budget and the progress listener.

    `programs`: all engines that whoever checks has named, or that were found. `games_max`: games whose
    scores are asked again, drawn from all; None for all games.
    """

    path: Path | None
    missing: str
    jobs: int
    budget: Budget
    say: Say
    programs: tuple[Path | None, ...] = ()
    games_max: int | None = None


def programs_by_digest(paths: Sequence[Path | None]) -> dict[str, Path]:
    """The programs that can be read, by the SHA-256 of their files. An engine behind a socket has none."""
    found: dict[str, Path] = {}
    for path in paths:
        with suppress(OSError):
            if path and path.is_file():
                with path.open("rb") as file:
                    found.setdefault(hashlib.file_digest(file, "sha256").hexdigest(), path)
    return found


def check_engine(opened: Opened, replayed: Replayed, log: CheckLog, at_hand: EngineAtHand) -> None:
    """Take step 9, or say why not. Raises StepFailed."""
    total = sum(report.evaluations for report in replayed.reports.values())
    if not total:
        log.skip(Number.ENGINE, Status.NOT_APPLICABLE, "no game was adjudicated by an engine")
        return
    if at_hand.path is None:
        log.skip(Number.ENGINE, Status.NOT_CHECKED, at_hand.missing, _scores(total))
        return
    plan = opened.manifest.plan
    draws = Stream(drawing_seed(opened.journal_root), "spare evaluation and quick games")
    questions = to_ask(replayed, draws)
    drawn, games = _games(questions, at_hand.games_max, draws)
    norm, hash_mib, nodes = load_protocol(plan.protocol).engine, plan.engine.hash_mib, plan.engine.nodes
    try:
        with engines_for(at_hand, norm, hash_mib, lambda path: UciEngine(path, hash_mib)) as engines:
            asked = ask_all(drawn, engines, nodes, _asking(nodes), at_hand.budget, at_hand.say)
    except EngineFault as error:
        log.skip(Number.ENGINE, Status.NOT_CHECKED, str(error), _scores(total))
        return
    remark = f"{asked.done} of {total} evaluations asked again"
    if len(drawn) < len(questions):
        _quick_look(log, asked, f"quick look: {remark}, {_of_games(games, at_hand.games_max or 0)}", _scores(total))
        return
    conclude(log, Number.ENGINE, asked, remark if asked.stopped else f"{remark}{_confidence(replayed, total)}")


def _games(questions: Sequence[AskedAgain], most: int | None, draws: Stream) -> tuple[Sequence[AskedAgain], int]:
    """The questions about at most so many games, drawn from all that have one, and the number of these."""
    games = list(dict.fromkeys(asked.question.game for asked in questions))
    if most is None or len(games) <= most:
        return questions, len(games)
    drawn = set(draws.deal(games, most))
    return [asked for asked in questions if asked.question.game in drawn], len(games)


def _of_games(games: int, drawn: int) -> str:
    """What a faultless quick look says about the games that were left out: a bound, by `random_sample`."""
    wrong = wrong_below(games, drawn) - 1
    return (
        f"all scores that decide {drawn:,} of {games:,} games, drawn at random: of the {games - drawn:,} others at most"
        f" {wrong:,} can have a wrong score that decides (95 % sure)"
    )


def _quick_look(log: CheckLog, asked: AskingOutcome, remark: str, left: str) -> None:
    """Record a quick look: it can find fault, and passes nothing. Raises StepFailed."""
    with log.taking(Number.ENGINE):
        log.take(sorted(asked.wrong, key=lambda finding: finding.place))
    if asked.stopped:
        remark = f"quick look: {asked.remark} evaluations asked again: {asked.stopped}"
    log.skip(Number.ENGINE, Status.NOT_CHECKED, remark, left)


def _scores(total: int) -> str:
    return "the engine's 1 score" if total == 1 else f"the engine's {total:,} scores"


def _confidence(replayed: Replayed, total: int) -> str:
    """What the evaluations that decided nothing are known by, where all that were chosen were asked: a random sample.

    Exact, by the hypergeometric distribution (`random_sample`): each was drawn with the same chance, so given their
    number all subsets of that size were as likely.
    """
    decisive = {asked for report in replayed.reports.values() for asked in report.decisive}
    sampled = {asked for report in replayed.reports.values() for asked in report.sample} - decisive
    others = total - len(decisive)
    if len(sampled) >= others:
        return ""
    shown = f", {len(decisive):,} of them because they show where games end" if decisive else ""
    if not sampled and not decisive:  # the spare one of `to_ask`
        rest = f", drawn from all because none decided anything; none of the other {others - 1:,} was asked"
        return rest if others > 1 else ""
    if not sampled:
        return f"{shown}; of the other {others:,}, which decided nothing, none was drawn"
    return f"{shown}, and {len(sampled):,} of the other {others:,}, {wrong_at_most_words(others, len(sampled))}"


def conclude(log: CheckLog, number: Number, asked: AskingOutcome, remark: str) -> None:
    """Record the outcome of asking as that of a step. Raises StepFailed."""
    if asked.wrong:
        with log.step(number):
            log.take(sorted(asked.wrong, key=lambda finding: finding.place))
    if asked.stopped:
        log.skip(number, Status.NOT_CHECKED, f"{remark}, {asked.of} were to be: {asked.stopped}")
        return
    log.remark(number, f"{remark}{asked.stored_remark}")
    with log.step(number):
        pass


@contextmanager
def engines_for(
    at_hand: EngineAtHand, norm: EngineNorm, hash_mib: int, start: Callable[[Path], UciEngine]
) -> Iterator[EngineGroup[UciEngine]]:
    """Engines side by side, as many as the budget allows, the first of which is asked who it is.

    They are asked only what this user's store of answers does not hold. Raises EngineFault and CouldNotCheck.
    """
    assert at_hand.path is not None
    path = at_hand.path
    with side_by_side_engines(at_hand, hash_mib, lambda: start(path)) as engines:
        engines.first.require(norm.name, norm.net_sha256)
        engines.share(answers_of(path, norm.name, norm.net_sha256))
        yield engines


def side_by_side_engines(at_hand: EngineAtHand, hash_mib: int, start: Callable[[], E]) -> "closing[EngineGroup[E]]":
    """As many engines as the budget allows. Raises EngineFault and CouldNotCheck."""
    return closing(EngineGroup(start, at_hand.budget.engines(at_hand.jobs, hash_mib)))


def to_ask(replayed: Replayed, draws: Stream) -> list[AskedAgain]:
    """The decisive evaluations and the sample, each once. Where there are none, one of all, from `draws`."""
    reports = replayed.reports.values()
    chosen = list(dict.fromkeys(asked for report in reports for asked in (*report.decisive, *report.sample)))
    return chosen or [draws.choice([report.spare for report in reports if report.spare])]


def _asking(nodes: int) -> Callable[[UciEngine, AskedAgain], Finding | None]:
    def again(engine: UciEngine, asked: AskedAgain) -> Finding | None:
        answer = engine.evaluate(asked.question, nodes)
        if answer == asked.answer:
            return None
        place = f"game {asked.question.game} turn {asked.question.turn}"
        return Finding(Number.ENGINE, place, _spelled(answer), _spelled(asked.answer))

    return again


def _spelled(evaluation: Evaluation) -> str:
    if evaluation.mate is not None:
        return f"mate {evaluation.mate}"
    return f"{evaluation.centipawns} centipawns"
