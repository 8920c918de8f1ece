"""The audit of one folder: every file read, every game replayed, every row computed."""

from pathlib import Path

import msgspec

from agzamov_verify.core.questions import Evaluation
from agzamov_verify.engines.uci_engine import NAME

from .findings import Finding, Step
from .paper_rows import Evidence, Row, claims, rows
from .published_files import Published, read
from .replay import Replayed, id_findings, pgn_findings, replay, time_findings
from .replies import Declared, Replies, read_replies
from .rulings import (
    Ruling,
    engine_questions,
    engine_ruling,
    evaluate_all,
    material_ruling,
    rule_findings,
)
from .tallies import summary_findings, tally


class Totals(msgspec.Struct, frozen=True):
    """Numbers of what was read: games, those whose every move is legal, those that agree with every PGN text."""

    games: int
    plies: int
    model_moves: int
    legal: int
    pgn_agree: int
    pgn_file: bool


class Audit(msgspec.Struct, frozen=True):
    """Results of auditing the published files. `engine` and `nodes` are empty and 0 if no engine was asked."""

    totals: Totals
    table7: tuple[Row, ...]
    section10: tuple[Row, ...]
    replies: dict[Declared, int] | None
    rulings: tuple[Ruling, ...]
    engine: str
    nodes: int
    findings: tuple[Finding, ...]


def audit(folder: Path, engine: Path | None, jobs: int, nodes: int) -> Audit:
    """Audit the published files in `folder`. Raises PublishedError, and EngineFault for the engine."""
    published = read(folder)
    games, findings = _replayed(published)
    replies = read_replies(published, games)
    rulings = _rulings(games, engine, jobs, nodes)
    asked = any(ruling.beyond is not None for ruling in rulings)
    tallies = tally(published.records)
    evidence = Evidence(published, tallies, replies, rulings)
    findings += [finding for ruling in rulings for finding in rule_findings(ruling)]
    findings += replies.findings if replies else ()
    findings += summary_findings(published.summary, tallies)
    return Audit(
        _totals(published, games, findings),
        rows(evidence),
        claims(evidence, games),
        _classes(replies),
        rulings,
        NAME if asked else "",
        nodes if asked else 0,
        tuple(findings),
    )


def _replayed(published: Published) -> tuple[list[Replayed], list[Finding]]:
    """The games, and what is wrong with the files before any rule is tried."""
    missing = [Finding(Step.FILES, name, "the file", "none in DIR") for name in published.missing()]
    findings = [*missing, *id_findings(published.records), *time_findings(published.records)]
    games: list[Replayed] = []
    for record in published.records:
        game, wrong = replay(record)
        games.append(game)
        findings += wrong
    return games, findings + pgn_findings(published)


def _rulings(games: list[Replayed], engine: Path | None, jobs: int, nodes: int) -> tuple[Ruling, ...]:
    """Apply the rules to every game that could be replayed, the engine's rule only to adjudicated ones."""
    whole = [game for game in games if game.whole]
    rulings = [material_ruling(game) for game in whole]
    if engine is None:
        return tuple(rulings)
    pairs = zip(rulings, whole, strict=True)
    asked = [engine_questions(game) if ruling.adjudicated else [] for ruling, game in pairs]
    answers = iter(evaluate_all(engine, [question for questions in asked for question in questions], nodes, jobs))
    given: list[list[Evaluation]] = [[next(answers) for _ in questions] for questions in asked]
    trios = zip(rulings, asked, given, strict=True)
    return tuple(
        engine_ruling(ruling, questions, evaluations) if ruling.adjudicated else ruling
        for ruling, questions, evaluations in trios
    )


def _classes(replies: Replies | None) -> dict[Declared, int] | None:
    return {kind: replies.count(kind) for kind in Declared} if replies else None


def _totals(published: Published, games: list[Replayed], findings: list[Finding]) -> Totals:
    differing = {finding.game for finding in findings if finding.step is Step.PGN}
    return Totals(
        games=len(games),
        plies=sum(len(game.record.moves) for game in games),
        model_moves=sum(len(record.model_plies()) for record in published.records),
        legal=sum(game.whole for game in games),
        pgn_agree=sum(game.record.game_id not in differing for game in games),
        pgn_file=published.pgn is not None,
    )
