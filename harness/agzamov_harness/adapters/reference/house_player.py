"""The house at the table: its published policy (agzamov_verify.games.holdem.house), read off the prompt.

It sees what any seat sees. Its draw is the seed that it is sent, so that the same prompt and seed give the same action.
"""

from agzamov_verify.games.holdem import house
from agzamov_verify.games.holdem.rules import BOARD_CARDS, STREETS, ActionKind, Legal
from agzamov_verify.players.random_player import spelled
from agzamov_verify.players.reading import Page, Spot, Verb, read_spot


def reply(page: Page, seed: int) -> str:
    """The action of the policy. Raises ValueError for a prompt that does not read."""
    spot = read_spot(page)
    first, second = spot.hole
    standing = house.standing_of((first, second), spot.board)
    action = house.house_action(decision(spot), standing, seed)
    return f"A standing of {standing}, by the published policy.\nACTION: {spelled(Verb(action.kind), action.to_chips)}"


def decision(spot: Spot) -> house.Spot:
    """A prompt's decision as the policy takes it."""
    street = BOARD_CARDS.index(len(spot.board))
    done = (deed.verb for deed in spot.history if deed.street == STREETS[street])
    raises = sum(verb in (Verb.BET, Verb.RAISE) for verb in done)
    options = spot.options
    legal = Legal(tuple(ActionKind(verb) for verb in options.verbs), options.min_to_chips, options.max_to_chips)
    return house.Spot(street, raises, spot.pot_chips, spot.to_call_chips, spot.in_front_chips, legal)
