"""The benchmark player: the published policy (agzamov_verify.games.holdem.benchmark_policy) applied to a prompt.

It sees what any seat sees. Its draw is the seed that it is sent, so that the same prompt and seed give the same action.
"""

from ..page import Page
from . import benchmark_policy
from .page import Spot, Verb, read_spot
from .random_player import spelled
from .rules import BOARD_CARDS, STREETS, ActionKind, Legal


def reply(page: Page, seed: int) -> str:
    """The action of the policy. Raises ValueError for a prompt that does not read."""
    spot = read_spot(page)
    first, second = spot.hole
    percentile = benchmark_policy.hand_percentile((first, second), spot.board)
    action = benchmark_policy.benchmark_action(decision(spot), percentile, seed)
    declared = spelled(Verb(action.kind), action.to_chips)
    return f"Hand percentile {percentile}, by the published policy.\nACTION: {declared}"


def decision(spot: Spot) -> benchmark_policy.Spot:
    """A prompt's decision as the policy takes it."""
    street = BOARD_CARDS.index(len(spot.board))
    done = (deed.verb for deed in spot.history if deed.street == STREETS[street])
    raises = sum(verb in (Verb.BET, Verb.RAISE) for verb in done)
    options = spot.options
    legal = Legal(tuple(ActionKind(verb) for verb in options.verbs), options.min_to_chips, options.max_to_chips)
    return benchmark_policy.Spot(street, raises, spot.pot_chips, spot.to_call_chips, spot.in_front_chips, legal)
