"""An arena's verified results in the formats of other arenas: a table of pairs, and episodes one by one.

A contest is a game, in games of chips all hands of a unit: who won a single hand says little. Pairs are of each two
players of a contest, in games of teams of each two of different teams; all pairs of a unit share a cluster. An episode
has the fields of Kaggle's Game Arena (`game_arena_episodes`), with a step for each action. Its `name` says that it is
of this program: observations are in the bundle, whose digest it has.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations, groupby
from typing import Any, Final, NamedTuple

from agzamov_verify.checks.opened_bundle import Opened
from agzamov_verify.core.questions import Chat, Planted, Reply
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.show.games_of_bundle import games_told
from agzamov_verify.show.replayed_game import PlayedGame
from agzamov_verify.show.views import VIEWS
from agzamov_verify.table.registry import GAMES

from .game_fits import CHIPS_A_BIG_BLIND, TWO, is_of_chips
from .imported_results import PairRow
from .verified_bundles import Collected, GamePlayed

NAME: Final = "agzamov_"
SUBMISSION_CHARACTERS_MAX: Final = 4_000
DESCRIPTION: Final = "From a signed bundle of an arena, which info.Agzamov names. Prompts and replies are there."
DONE, ACTIVE, INACTIVE, INVALID = "DONE", "ACTIVE", "INACTIVE", "INVALID"


class Contest(NamedTuple):
    """Results that are won or lost together. `worth`: of each player, in no order; `teams`: -1 of who has none.

    `worth` is 1, 0 or -1, in games of chips big blinds, in orders of finish the share of the others who finished lower.
    """

    game: str
    players: tuple[str, ...]
    worth: tuple[float, ...]
    teams: tuple[int, ...]
    results: tuple[GamePlayed, ...]

    @property
    def cluster(self) -> str:
        """What contests share that are not independent: their unit."""
        return "/".join(map(str, self.results[0].unit))


def contests(collected: Collected) -> Iterator[Contest]:
    """All contests, games and units in order."""
    for game, results in sorted(collected.results.items()):
        for _, unit in groupby(sorted(results, key=lambda one: (one.unit, one.name)), key=lambda one: one.unit):
            played = tuple(unit)
            if is_of_chips(game, len(played[0].players)):
                yield _of_chips(game, played)
                continue
            for one in played:
                teams = one.teams if GAMES[game].team_names else (-1,) * len(one.players)
                worth = one.points if one.is_finish else tuple(map(float, one.won))
                yield Contest(game, one.players, worth, teams, (one,))


def _of_chips(game: str, hands: tuple[GamePlayed, ...]) -> Contest:
    """All hands of a unit; players in the order in which the first hand has them."""
    chips = dict.fromkeys(hands[0].players, 0)
    for hand in hands:
        for player, won in zip(hand.players, hand.outcomes, strict=True):
            chips[player] += won
    worth = tuple(won / CHIPS_A_BIG_BLIND for won in chips.values())
    return Contest(game, tuple(chips), worth, (-1,) * len(chips), hands)


def pair_rows(collected: Collected) -> Iterator[PairRow]:
    """The table of pairs. Players of one team are none, nor is a player at two seats of one table."""
    for contest in contests(collected):
        one = contest.results[0]
        single = len(contest.results) == 1 and len(contest.players) == TWO
        for a, b in combinations(range(len(contest.players)), TWO):
            first, second = contest.players[a], contest.players[b]
            if first == second or (contest.teams[a] == contest.teams[b] != -1):
                continue
            outcome = 1 + (contest.worth[a] > contest.worth[b]) - (contest.worth[a] < contest.worth[b])
            digest = one.moves_sha256 if single else ""
            yield PairRow(contest.game, first, second, outcome, contest.cluster, digest, 1, single and one.is_forfeit)


def episodes(opened: Opened, collected: Collected) -> Iterator[tuple[str, dict[str, Any]]]:
    """The episodes of a bundle that counts, each with a name for its file. Raises HostileBundle."""
    plan, run = opened.manifest.plan, opened.manifest.run_id
    own = [one for one in contests(collected) if one.results[0].run == run]
    by_result = {played.name: contest for contest in own for played in contest.results}
    digest = next(counted.sha256 for counted in collected.counted if counted.run == run)
    for match in plan.matches:
        told = groupby(games_told(opened, match), key=lambda played: id(by_result.get(played.record.game)))
        for _, group in told:
            games = list(group)
            if contest := by_result.get(games[0].record.game):
                yield f"{run}-{contest.results[0].name}", _episode(contest, games, plan, digest)


def _episode(contest: Contest, games: Sequence[PlayedGame], plan: Plan, sha256: str) -> dict[str, Any]:
    first = contest.results[0]
    failed = _forfeited(games[0], contest) if len(games) == 1 else set[int]()
    rewards = [None if seat in failed else worth for seat, worth in enumerate(contest.worth)]
    statuses = [INVALID if seat in failed else DONE for seat in range(len(contest.players))]
    steps = _steps(contest, games, plan)
    for state, reward, status in zip(steps[-1], rewards, statuses, strict=True):
        state.update(reward=reward, status=status)
    return {
        "id": f"{first.run}/{first.name}",
        "name": f"{NAME}{contest.game}",
        "title": GAMES[contest.game].title,
        "description": DESCRIPTION,
        "version": plan.protocol,
        "configuration": {"episodeSteps": len(steps)},
        "specification": {},
        "steps": steps,
        "rewards": rewards,
        "statuses": statuses,
        "schema_version": 1,
        "info": {
            "EpisodeId": f"{first.run}/{first.name}",
            "TeamNames": list(contest.players),
            "Agzamov": {"run": first.run, "manifest_sha256": sha256, "cluster": contest.cluster},
        },
    }


def _steps(contest: Contest, games: Sequence[PlayedGame], plan: Plan) -> list[list[dict[str, Any]]]:
    """One for the start and one for each action."""
    seats = range(len(contest.players))
    names = {one.name: one.players for one in contest.results}
    steps = [[_state(None, games[0].record.game, 0) for _ in seats]]
    for played in games:
        players = names[played.record.game]
        for place, action in _actions(played, plan):
            actor = place if len(games) == 1 else contest.players.index(players[place])
            game, number = played.record.game, len(steps)
            steps.append([_state(action if seat == actor else None, game, number) for seat in seats])
    return steps


def _state(action: str | None, game: str, step: int) -> dict[str, Any]:
    """A seat at one step, as kaggle-environments has it."""
    return {
        "action": {} if action is None else {"submission": action},
        "reward": 0,
        "info": {},
        "observation": {"step": step, "game": game},
        "status": INACTIVE if action is None else ACTIVE,
    }


def _forfeited(played: PlayedGame, contest: Contest) -> set[int]:
    """The places that gave the game up for want of a legal answer; of games of chips none."""
    tallies = getattr(played.record, "tallies", ())
    if len(tallies) != len(contest.players):
        return set()
    return {place for place, tally in enumerate(tallies) if tally.forfeited}


def _actions(played: PlayedGame, plan: Plan) -> Iterator[tuple[int, str]]:
    """Who acted, by place, and what it did: the action, in games without a spelling of them the reply."""
    view, seats = VIEWS[played.match.game], [played.match.seats[index] for index in played.order]
    spelled = view.actions(played.record)
    acted = [frame["by"] for frame in view.frames(played, plan) if frame["by"] >= 0]
    for turn, (name, said) in sorted(_last_replies(played).items()):
        place = acted[turn] if turn < len(acted) and seats[acted[turn]] == name else seats.index(name)
        yield place, spelled.get(turn, said[:SUBMISSION_CHARACTERS_MAX])


def _last_replies(played: PlayedGame) -> dict[int, tuple[str, str]]:
    """Of each turn who was asked, and the reply to its last question."""
    return {
        question.turn: (question.to, answer.text if isinstance(answer, Reply) else "")
        for question, answer in played.asked
        if isinstance(question, Chat) and not isinstance(question, Planted)
    }
