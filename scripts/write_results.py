"""Writes results/README.md from the bundles in results/bundles, each verified first and signed by the policy's key."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import yaml

from agzamov_verify.checks.steps import Options, Verdict, verify
from agzamov_verify.core.columns import ascii_words
from agzamov_verify.core.dice import Dice
from agzamov_verify.core.workers import cores
from agzamov_verify.engines.uci_engine import find_engine
from agzamov_verify.experiment.matches import MEASURED, Arm
from agzamov_verify.plan.manifest import Manifest
from agzamov_verify.scoring.analysis import Seeds
from agzamov_verify.scoring.early_stopping import open_ended
from agzamov_verify.scoring.hypotheses.contrasts import ContrastPart, weighed
from agzamov_verify.scoring.hypotheses.delta_contrasts import difference
from agzamov_verify.scoring.hypotheses.evidence import Evidence
from agzamov_verify.scoring.inference.significance import Alternative
from agzamov_verify.scoring.inference.unit_values import Measure
from agzamov_verify.scoring.match_cells import cells_of, key_of
from agzamov_verify.scoring.units.cells import Cell, arm_of
from agzamov_verify.scoring.units.score_constants import load_score_constants
from agzamov_verify.show.text.answer_words import interval_words, is_alike, sentence
from agzamov_verify.show.text.answers import ALL_ALIKE, Answer, Played, Shown, answers_of, comparison, joint_p
from agzamov_verify.show.text.cost_words import cost_of
from agzamov_verify.show.text.gate_words import p_words
from agzamov_verify.show.text.verdict_report import unused_sentences
from agzamov_verify.show.views import NAMES_OF, VIEWS
from agzamov_verify.table.registry import GAMES

FOLDER: Final = Path(__file__).parent.parent / "results"
BUNDLES: Final = FOLDER / "bundles"
TARGET: Final = FOLDER / "README.md"
KEY_ID: Final = str(yaml.safe_load((FOLDER / "policy.yaml").read_text())["keys"]["agzamov"])
RESAMPLES: Final = 10_000
HEAD: Final = """\
# Results

Signed bundles of models of our own and of others, made by plans of this repository and small enough to be kept in it.
Anybody checks each in a minute:

```sh
.venv/bin/agzamov verify results/bundles/NAME --key results/signer.pem.pub
.venv/bin/agzamov report results/bundles/NAME    # pages with every game to replay
make results                                     # a leaderboard and the reports of all of them, in build/results
```

[![The leaderboard of these bundles](../docs/pictures/results.png)](../docs/leaderboard.md)

This page is written by `scripts/write_results.py` from the bundles, each of which it verifies first; a test compares.
None is a result under the protocol: games are few and short, and the models are small. The numbers are the gain over
the same player with a placebo (content of the same form that cannot help) and with none, in points a game or big
blinds per 100 hands (bb/100), with intervals of 95 %. *Better*: the interval against none lies above 0, and so does
that against the placebo where one was played, and p is below 5 %.
*p*: the one that `verify` and the report give: two-sided, the greater of that against none and that against the
placebo, and corrected for all comparisons of the bundle (Holm's method), where there are several. *Tokens*: a
decision's, and how many times those without.
"""
HEADINGS: Final = (
    "what it had",
    "verdict",
    "against a placebo",
    "against none",
    "placebo against none",
    "p",
    "n",
    "tokens",
)
ODD: Final = re.compile(r"([\\`*_{}\[\]<>|#])")
"""What Markdown reads as more than text."""


class Effect(NamedTuple):
    """A row of the table: an augmentation that has a result."""

    cells: tuple[str, ...]


class Told(NamedTuple):
    """A line of the list: an answer in a sentence, of a contest or without a result."""

    head: str
    subject: str
    tail: str


def results_text() -> str:
    """The page as it is published. Raises ValueError for a bundle that does not verify."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield HEAD.rstrip()
    for bundle in sorted(path for path in BUNDLES.iterdir() if path.is_dir()):
        verdict = verify(bundle, Options(find_engine(), jobs=cores(), expected_key_id=KEY_ID))
        if verdict.level != "V1" or verdict.findings or verdict.manifest is None:
            raise ValueError(f"{bundle}: expected V1 without findings, found {verdict.level}, {verdict.findings}")
        yield from _section(bundle.name, verdict, verdict.manifest)


def _section(name: str, verdict: Verdict, manifest: Manifest) -> Iterator[str]:
    """What one bundle found: its gates, its contests, and each augmentation of each game."""
    yield from ("", f"## {_plain(manifest.plan.title)}", "", f"`results/bundles/{name}`")
    answers = list(_answers(verdict, manifest))
    effects = [one for one in answers if isinstance(one, Effect)]
    if told := [*_gates(verdict), *_told([one for one in answers if isinstance(one, Told)])]:
        yield from ("", *told)
    if effects:
        yield from ("", f"| {' | '.join(HEADINGS)} |", f"|{'---|' * len(HEADINGS)}")
        yield from (f"| {' | '.join(row.cells)} |" for row in effects)
    for line in unused_sentences(verdict):
        yield from ("", _plain(line))


def _plain(text: str) -> str:
    """Text of a plan, in which nothing is markup."""
    return ODD.sub(r"\\\1", ascii_words(text))


def _gates(verdict: Verdict) -> Iterator[str]:
    """The gate of Phase 0 in each game that has one."""
    assert verdict.results is not None
    for row in verdict.results.matches:
        if row.gate:
            why = f" ({_plain(row.gate.reason)})" if row.gate.reason else ""
            yield f"- Phase 0, `{row.id}`: {'passed' if row.gate.passed else 'not passed'}{why}."


def _told(lines: Sequence[Told]) -> Iterator[str]:
    """Sentences; those that say the same of several subjects are one."""
    subjects: dict[tuple[str, str], list[str]] = {}
    for one in lines:
        subjects.setdefault((one.head, one.tail), []).append(one.subject)
    for (head, tail), names in subjects.items():
        yield f"- {_plain(head + ', '.join(names) + tail)}."


def _answers(verdict: Verdict, manifest: Manifest) -> Iterator[Effect | Told]:
    """A row for each augmentation that has a result; a sentence for every other answer."""
    assert verdict.results is not None
    constants, seeds = load_score_constants(manifest.plan.protocol), Seeds(Dice(bytes(32)))
    evidence = Evidence(cells_of(manifest, verdict.blocks), constants, seeds, RESAMPLES)
    if of_no_fixed_length := open_ended(manifest.plan):
        raise ValueError(f"expected matches of a fixed length, found {', '.join(of_no_fixed_length)}")
    played = Played(manifest, verdict.results, verdict.analysis, verdict.blocks)
    answers = answers_of(played)
    matches = {match.id: match for match in manifest.plan.matches}
    for answer in answers:
        if answer.setting is None or answer.shown is Shown.NO_RESULT:
            yield Told(*sentence(answer, answers, played))
        else:
            real = evidence.cells[key_of(manifest, matches[answer.match], MEASURED)]
            yield Effect(tuple(_cells(answer, real, evidence, played)))


def _cells(answer: Answer, real: Cell, evidence: Evidence, played: Played) -> Iterator[str]:
    """The cells of one row, by `HEADINGS`."""
    assert answer.setting is not None
    placebo, naked = (arm_of(evidence.cells, real.key, arm) for arm in (Arm.PLACEBO, Arm.NAKED))
    parts = [_less(real, placebo, evidence), _less(real, naked, evidence), _less(placebo, naked, evidence)]
    yield f"{GAMES[answer.game].title}: {NAMES_OF[answer.setting.augmentation]} by `{answer.system}`"
    yield answer.shown.value
    yield from (_words(part, answer.game) for part in parts)
    yield _p(answer)
    yield answer.figures[0].n
    cost = cost_of(answer, played)
    yield f"{cost.each:,.0f} ({cost.times:.1f} times)" if cost else "none"


def _p(answer: Answer) -> str:
    """The p of an answer as the verifier prints it; none where nothing differed."""
    p = answer.corrected.p if answer.corrected else joint_p(answer)
    return "none" if p is None or is_alike(answer) else p_words(str(float(p))).removeprefix("= ")


def _less(one: Cell | None, other: Cell | None, evidence: Evidence) -> ContrastPart | None:
    if one is None or other is None:
        return None
    groups = difference(one, other, Measure.SCORE)
    how = evidence.resampling(groups[0].units.scale.unit)
    return weighed("", groups, Alternative.GREATER, how).parts[0]


def _words(part: ContrastPart | None, game: str) -> str:
    if part is None or part.estimate is None:
        return "not played"
    one, view = comparison("", part.estimate, game), VIEWS[game]
    if one.why_none == ALL_ALIKE:
        return "the same result in each"
    return f"{view.difference(one.value)} {interval_words(one, game)}{view.short_unit}"


if __name__ == "__main__":
    TARGET.write_text(results_text())
