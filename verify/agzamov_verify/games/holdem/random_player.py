"""The random player of hold'em (SPEC S16): a uniform legal kind of action, and a uniform legal amount."""

from ...core.dice import Stream
from ...table.prompt_lines import Page
from .rules import in_bb
from .spot import Verb, read_spot


def random_reply(page: Page, stream: Stream) -> str:
    """One of the legal kinds; for a bet or raise a uniform total in the range. Raises ValueError for another prompt."""
    options = read_spot(page).options
    verb = stream.choice(options.verbs)
    to_chips = 0
    if verb in (Verb.BET, Verb.RAISE):
        to_chips = options.min_to_chips + stream.below(options.max_to_chips - options.min_to_chips + 1)
    return f"One of {len(options.verbs)} kinds of action, by chance.\nACTION: {spelled(verb, to_chips)}"


def spelled(verb: Verb, to_chips: int) -> str:
    """An action as it is declared."""
    match verb:
        case Verb.BET:
            return f"bet {in_bb(to_chips)}"
        case Verb.RAISE:
            return f"raise to {in_bb(to_chips)}"
        case _:
            return verb.value
