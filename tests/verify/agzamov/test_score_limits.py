"""What a score says of itself: its scale, its constants, what it rests on, and when it is not given."""

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import msgspec
import numpy as np
import pytest

from agzamov_verify.experiment.matches import Arm, Augmentation
from agzamov_verify.games.chess.rules import End
from agzamov_verify.games.holdem.rules import HandEnd
from agzamov_verify.scores.score_report import score_words
from agzamov_verify.scoring.agzamov.comparable import unlike_designs
from agzamov_verify.scoring.agzamov.score import ScoreSubject, a_score, needed
from agzamov_verify.scoring.agzamov.score_scale import mean_cut, range_of
from agzamov_verify.scoring.inference.intervals import Bootstrap, Resamples
from agzamov_verify.scoring.units.cells import Cell
from agzamov_verify.scoring.units.score_constants import CHESS, POKER, ConstantsStatus, caveat, load_score_constants
from agzamov_verify.table.registry import GAMES
from verify.agzamov.generator import World, cell

SUBJECT = ScoreSubject("m", Augmentation.FULL, "sys")
CONSTANTS = load_score_constants("agz-0.1")
HOW = Resamples(bytes(32), 200, Bootstrap.PERCENTILE)


REAL = World(win=0.5, mean=40)


def cells(chess: int = 60, poker: int = 2000, careers: int = 0, **others: World) -> Iterator[Cell]:
    """The cells of a score; `others`: the worlds of some of them, and of a placebo, if there is one."""
    worlds = {"baseline": World(), "control": World(), "real": REAL, **others}
    keys_of = needed(SUBJECT)
    if "placebo" in worlds:
        replaced = {game: msgspec.structs.replace(key, arm=Arm.PLACEBO) for game, key in keys_of["real"].items()}
        keys_of = {**keys_of, "placebo": replaced}
    for name, keys in keys_of.items():
        for game, key in keys.items():
            made = cell(key, worlds[name], chess if game == CHESS else poker)
            yield msgspec.structs.replace(made, careers=careers) if careers and name == "real" else made


DRAWN = "60 % of the actions of m were drawn by the harness"


def changed(name: str, game: str, **fields: object) -> Iterator[Cell]:
    """The cells with one field of each result of one cell changed; `share` of them, in thousandths."""
    share = int(str(fields.pop("permille", 1000)))
    key = needed(SUBJECT)[name][game]
    for one in cells():
        if one.key != key:
            yield one
            continue
        results = tuple(
            msgspec.structs.replace(result, **fields) if at * 1000 < share * len(one.results) else result
            for at, result in enumerate(one.results)
        )
        yield msgspec.structs.replace(one, **{"games" if game == CHESS else "hands": results})


@pytest.mark.parametrize(
    ("draws", "least", "no_effect", "greatest"),
    [(1, "7.142857", "14.285714", "78.571429"), (0, "14.285714", "28.571429", "85.714286")],
)
def test_the_scale_is_the_one_that_the_papers_formula_implies(
    draws: int, least: str, no_effect: str, greatest: str
) -> None:
    """Review: a perfect drawer without effect 14.3, a decisive player 28.6, and no more than 85.7."""
    scale = range_of(Fraction(draws), CONSTANTS)
    assert [one.decimal for one in (scale.least, scale.even_no_effect, scale.greatest)] == [least, no_effect, greatest]
    ends = (scale.drawish_no_effect, scale.decisive_no_effect, scale.decisive_greatest)
    assert [f"{float(one.decimal):.1f}" for one in ends] == ["14.3", "28.6", "85.7"]


def test_what_noise_adds_where_there_is_no_effect_is_the_mean_of_a_cut_normal() -> None:
    z = np.random.default_rng(1).normal(size=400_000)
    for error in (0.1, 0.5, 2.0):
        assert float(mean_cut(Fraction(error))) == pytest.approx(np.clip(error * z, 0, 1).mean(), abs=0.002)


def test_every_score_is_printed_with_its_scale_its_constants_and_what_it_rests_on() -> None:
    one = a_score(SUBJECT, cells(), CONSTANTS, HOW)
    text = "\n".join(score_words(one))
    assert one.range is not None
    assert "provisional constants, version 1" in " ".join(text.split()).partition(" the scale where ")[0]
    assert max(map(len, text.splitlines())) <= 100
    for words in ("without any effect", "on average in so much noise", "second half", "14.3", "28.6", "85.7"):
        assert words in text
    assert text.count("% not ended by play alone") == 6
    assert "tau_max_games" in text


def test_the_sensitivity_table_is_the_score_of_other_constants() -> None:
    one = a_score(SUBJECT, cells(), CONSTANTS)
    assert one.score is not None
    table = {(row.constant, Decimal(row.value)): row for row in one.sensitivity}
    assert len(table) == 11
    assert ("delta_max_win_rate", Decimal("0.15")) in table
    for (name, value), row in table.items():
        constant = msgspec.structs.replace(getattr(CONSTANTS, name), value=value)
        again = a_score(SUBJECT, cells(), msgspec.structs.replace(CONSTANTS, **{name: constant}))
        assert again.score == row.score
        places = {part.name: part.normalised for part in again.subscores}
        assert {name: places[name] for name in row.parts} == row.parts


HABITS = World(win=0.6, mean=150)
"""A naked arm wins so much from an opponent with habits."""


def test_what_no_effect_is_worth_follows_from_this_control_against_this_opponent() -> None:
    """Review: "23.5 without any effect" stood beside a mean of 37.2 that the naked arm has against such habits."""
    one = a_score(SUBJECT, cells(control=HABITS, real=HABITS), CONSTANTS, HOW)
    (gain,) = one.gains
    assert one.range is not None
    assert one.score is not None
    assert one.headline is gain
    assert gain.without is not None
    assert gain.points is not None
    assert float(gain.without.decimal) > 1.3 * float(one.range.even_no_effect.decimal)
    without, points = (Fraction(figure.exact) for figure in (gain.without, gain.points))
    assert without + points == Fraction(one.score.exact)
    assert gain.ci is not None
    assert Fraction(gain.ci.low) <= 0 <= Fraction(gain.ci.high)
    text = " ".join(" ".join(score_words(one)).split())
    assert "points over its arm without it, 95 % interval" in text
    assert "no placebo was played in both games, so what a longer prompt does is in it" in text
    assert f"playing like its arm without it against this opponent: {float(gain.without.decimal):.4f} of 100" in text


def test_a_score_with_a_placebo_is_headed_by_what_it_gains_over_it() -> None:
    """Attack 1: what a longer prompt does stands in the placebo arm too, so nothing is gained over it."""
    both = a_score(SUBJECT, cells(real=HABITS, placebo=HABITS), CONSTANTS, HOW)
    content = a_score(SUBJECT, cells(real=HABITS, placebo=World()), CONSTANTS, HOW)
    for one in (both, content):
        assert [gain.arm for gain in one.gains] == [Arm.PLACEBO, Arm.NAKED]
        assert one.headline is one.gains[0]
        words = " ".join(score_words(one))
        assert words.index("over its placebo") < words.index("over its arm without it")
    (nothing, naked), (gained, _) = both.gains, content.gains
    assert nothing.ci is not None
    assert naked.ci is not None
    assert gained.ci is not None
    assert Fraction(nothing.ci.low) <= 0 < min(Fraction(naked.ci.low), Fraction(gained.ci.low))
    alone = a_score(SUBJECT, cells(real=HABITS), CONSTANTS, HOW)
    assert (alone.score, alone.ci, alone.gains) == (both.score, both.ci, both.gains[1:])


PATTERNS = ("king_answers_checks", "never_retreats", "never_folds_pairs", "never_bluffs_rivers")


def designed(games: int = 500, careers: int = 5, patterns: tuple[str, ...] = PATTERNS) -> Iterator[Cell]:
    """Cells of the protocol's design, but for what is given."""
    for one in cells(games, 10_000, careers):
        kept = tuple(pattern for pattern in patterns if pattern in GAMES[one.key.game].patterns)
        yield msgspec.structs.replace(one, patterns=kept)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"games": 400}, ("control, chess960: 400 games, compared are 500", "real, chess960: 400 games")),
        ({"careers": 10}, ("real, chess960: 10 careers, compared are 5", "real, holdem: 10 careers")),
        (
            {"patterns": PATTERNS[:-1]},
            ("control, holdem: its opponent keeps never_folds_pairs, compared are", "real, holdem: its opponent"),
        ),
    ],
)
def test_scores_of_another_design_than_the_protocols_are_marked(changes: dict[str, Any], told: tuple[str, ...]) -> None:
    """Review: A rose from 28.7 to 43.6 by the length of careers alone, and habits are the submitter's choice."""
    assert a_score(SUBJECT, designed(), CONSTANTS).not_comparable == ()
    one = a_score(SUBJECT, designed(**changes), CONSTANTS)
    assert len(one.not_comparable) == len(told)
    for line, begins in zip(one.not_comparable, told, strict=True):
        assert line.startswith(begins)
    assert "not comparable with the A of another run" in " ".join(" ".join(score_words(one)).split())


def test_real_arms_of_unlike_design_are_warned_of_where_they_stand_side_by_side() -> None:
    long = [msgspec.structs.replace(one, key=msgspec.structs.replace(one.key, model="n")) for one in designed(1000)]
    assert list(unlike_designs(designed())) == []
    (line,) = unlike_designs([*designed(), *long])
    assert line.startswith("real arms of unlike design are not comparable: m chess960")
    assert "500 games in 5 careers" in line
    assert "1,000 games in 5 careers" in line


def test_nothing_is_said_of_a_placebo_that_forfeits() -> None:
    some = [
        msgspec.structs.replace(
            one, games=tuple(msgspec.structs.replace(game, end=End.FORFEIT) for game in one.results)
        )
        if (one.key.arm, one.key.game) == (Arm.PLACEBO, CHESS)
        else one
        for one in cells(real=HABITS, placebo=HABITS)
    ]
    one = a_score(SUBJECT, some, CONSTANTS, HOW)
    assert one.headline is one.gains[1]
    assert one.gains[0].points is None
    assert "nothing is said of its placebo: placebo, chess960: 60 of 60 results" in " ".join(score_words(one))


@pytest.mark.parametrize(
    ("name", "game", "fields", "words"),
    [
        ("real", CHESS, {"end": End.FORFEIT}, "real, chess960: 60 of 60 results"),
        ("control", POKER, {"end": HandEnd.FORFEIT}, "control, holdem: 2000 of 2000 results"),
        ("real", CHESS, {"end": End.FORFEIT, "permille": 60}, "4 of 60 results"),
    ],
)
def test_a_score_that_rests_on_forfeits_is_not_given(
    name: str, game: str, fields: dict[str, object], words: str
) -> None:
    """Review: with every game and hand of the real arm forfeited, the first version gave 67.7."""
    one = a_score(SUBJECT, changed(name, game, **fields), CONSTANTS, HOW)
    assert (one.score, one.ci, one.subscores, len(one.withheld)) == (None, None, (), 1)
    assert words in one.withheld[0]
    assert any("no score, it would not be of the seat's own play" in line for line in score_words(one))


def test_a_score_of_actions_that_the_harness_drew_is_not_given() -> None:
    key = needed(SUBJECT)["real"][CHESS]
    some = [msgspec.structs.replace(one, no_finding=DRAWN if one.key == key else "") for one in cells()]
    one = a_score(SUBJECT, some, CONSTANTS, HOW)
    assert (one.score, one.withheld) == (None, (f"real, chess960: {DRAWN}",))


@pytest.mark.parametrize(
    "fields",
    [{"end": End.FORFEIT, "permille": 50}, {"end": End.ADJUDICATION}, {"errors": (1, 0), "decisions": (10, 10)}],
)
def test_a_few_forfeits_and_adjudication_stand_beside_the_score(fields: dict[str, object]) -> None:
    one = a_score(SUBJECT, changed("real", CHESS, **fields), CONSTANTS)
    assert one.score is not None
    (told,) = (cell for cell in one.cell_decisions if cell.name == "real, chess960")
    if "errors" in fields:
        assert told.error_rate is None or told.is_flagged
    else:
        assert told.forfeits + told.adjudicated in (3, 60)


def test_first_attempts_above_the_protocols_bound_are_flagged() -> None:
    failed = changed("real", CHESS, errors=(2, 0), decisions=(30, 30))
    one = a_score(SUBJECT, failed, CONSTANTS)
    flagged = [cell.name for cell in one.cell_decisions if cell.is_flagged]
    assert flagged == ["real, chess960"]
    assert any("FLAGGED" in line for line in score_words(one))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"chess": 38}, "the baseline of chess960 has 19 units, fewer than 20"),
        ({"careers": 1}, "the real arm of chess960 is one career: nothing was repeated"),
        ({"careers": 2}, "the real arm of chess960 has 2 careers, fewer than 5"),
    ],
)
def test_an_interval_that_would_not_cover_is_not_printed_and_the_reason_is(changes: dict[str, int], words: str) -> None:
    one = a_score(SUBJECT, cells(**changes), CONSTANTS, HOW)
    assert one.score is not None
    assert (one.ci, one.no_interval) == (None, words)
    assert any(f"no interval: {words}" in line for line in score_words(one))


def test_of_careers_the_number_is_that_of_careers() -> None:
    one = a_score(SUBJECT, cells(careers=5), CONSTANTS, HOW)
    assert one.ci is not None
    assert {name for name, n in one.n.items() if n == 5} == set(one.by_career) == {"real, chess960", "real, holdem"}
    text = " ".join(" ".join(score_words(one)).split())
    assert "5 real careers" in text
    assert (
        f"each career, real, Chess960: {', '.join(f'{float(p):.3g}' for p in one.by_career['real, chess960'])}" in text
    )


def test_the_constants_say_whether_they_are_frozen_and_verdicts_that_rest_on_them_too() -> None:
    frozen = msgspec.structs.replace(CONSTANTS, status=ConstantsStatus.FROZEN)
    assert (CONSTANTS.status, CONSTANTS.version) == (ConstantsStatus.PROVISIONAL, 1)
    assert frozen.status_words == "frozen constants, version 1"
    assert [name for name in ("H1", "H2", "H3", "H5", "E1", "E2", "E3") if caveat(CONSTANTS, name)] == [
        "H3",
        "H5",
        "E1",
        "E2",
    ]
    assert not any(caveat(frozen, name) for name in ("H3", "E1"))
