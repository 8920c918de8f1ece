"""The perception gap of a model that plays with text and with images, and the boards that it read back."""

from dataclasses import dataclass
from statistics import fmean

import pytest
from scipy.stats import ttest_1samp

from agzamov_harness.arena.arena_table import arena_table
from agzamov_harness.arena.perception import gap_words, perception_gaps
from agzamov_harness.arena.table_text import table_text
from agzamov_harness.arena.verified_bundles import Collected, GamePlayed, sights_of
from agzamov_harness.run.plan_file import plan_from
from agzamov_harness.run.seal import seal

from .arena_worlds import collected_world

RUN = "a" * 16


@dataclass(frozen=True)
class Won:
    """Half-points of both games of a start, by the seat with text and the one with images, against one opponent."""

    text: int
    image: int


def games(start: int, player: str, opponent: str, halves: int, run: str = RUN) -> list[GamePlayed]:
    """The two games of a start with so many half-points of the player, one colour each."""
    found = []
    for colour, own in enumerate((halves // 2, halves - halves // 2)):
        won = own - 1
        seats, result = ((player, opponent), (won, -won)) if not colour else ((opponent, player), (-won, won))
        name = f"p6-chess-{player}-{opponent}-g{2 * start + colour:05d}"
        read = ((player, 64 if start % 2 else 60, False),) if player == "seeing" else ()
        found.append(
            GamePlayed(
                run,
                name,
                (run, f"p6-chess-{player}-{opponent}", start),
                seats,
                result,
                (result[0] + 1, result[1] + 1),
                run + name,
                is_forfeit=False,
                teams=(0, 1),
                roles=(),
                read_backs=read,
            )
        )
    return found


def world(starts: list[Won], more: list[GamePlayed] = []) -> Collected:  # noqa: B006 - never changed
    results = list(more)
    for number, won in enumerate(starts):
        results += games(number, "reading", "dice", won.text) + games(number, "seeing", "dice", won.image)
    return collected_world({"chess": results})._replace(sights={"seeing": "reading"})


STARTS = [Won(4, 2), Won(3, 3), Won(4, 0), Won(2, 3), Won(4, 1), Won(3, 1)]


def test_the_gap_is_the_mean_difference_over_starts_with_scipys_interval() -> None:
    (found,) = perception_gaps(world(STARTS))
    differences = [(one.text - one.image) / 4 for one in STARTS]
    low, high = ttest_1samp(differences, 0).confidence_interval()
    assert (found.text, found.image, found.starts) == ("reading", "seeing", 6)
    assert found.gap == pytest.approx(fmean(differences), abs=1e-4)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-4)
    assert (found.boards, found.boards_right, found.squares_right, found.cut) == (12, 6, 62.0, 0)


def test_opponents_of_one_start_are_one_observation() -> None:
    more = [game for n, one in enumerate(STARTS) for who, won in (("reading", one.text), ("seeing", one.image))
            for game in games(n, who, "other", won)]  # fmt: skip
    (one,), (two,) = perception_gaps(world(STARTS)), perception_gaps(world(STARTS, more))
    assert (one.gap, one.low, one.starts) == (two.gap, two.low, two.starts)


def test_starts_that_only_one_of_them_played_do_not_count() -> None:
    more = games(17, "reading", "dice", 4) + games(0, "reading", "other", 4) + games(0, "reading", "dice", 4, "b" * 16)
    assert [*perception_gaps(world(STARTS, more))] == [*perception_gaps(world(STARTS))]


def test_a_model_without_its_twin_has_no_gap() -> None:
    assert [*perception_gaps(world(STARTS)._replace(sights={}))] == []
    assert [*perception_gaps(world(STARTS)._replace(sights={"seeing": "somebody"}))] == []


def test_one_start_has_no_interval_and_the_table_says_so() -> None:
    (found,) = perception_gaps(world(STARTS[:1]))
    assert (found.starts, found.low, found.high) == (1, None, None)
    assert "too few for an interval; 1 start with both colours" in gap_words(found)


def test_the_table_has_the_gap_with_its_interval_and_the_boards_beside_it() -> None:
    told = " ".join(table_text(arena_table(world(STARTS))).split())
    assert "Perception gap of seeing: +0.417 points a game for reading, the same model with text (95 % from" in told
    assert "50.0 % of 12 boards read back without a mistake, 62.0 of 64 squares on average." in told


@pytest.mark.parametrize(("text_tokens", "found"), [(300, {"seeing": "reading"}), (400, {})])
def test_the_twin_of_a_seat_with_images_has_the_same_other_settings(text_tokens: int, found: dict[str, str]) -> None:
    model = {"kind": "openai", "base_url": "http://127.0.0.1:1/v1", "model": "m", "tokens_max": 300}
    plan = {
        "title": "Twins",
        "protocol": "arena-0.1",
        "chess": {"illegal": "retry_then_forfeit", "adjudication": {"policy": "none"}},
        "seats": {
            "seeing": {**model, "image_input": {"style": "discs"}},
            "reading": {**model, "tokens_max": text_tokens},
            "dice": {"kind": "random"},
        },
        "matches": [{"phase": 6, "game": "chess", "a": one, "b": "dice", "games": 2} for one in ("seeing", "reading")],
    }
    manifest, _ = seal(plan_from(plan), "0" * 64, None)
    assert sights_of(manifest, lambda seat: seat) == found
