"""The words that a seat reads in Werewolf. The rules' text is made of the settings, one sentence for each.

A user message has labelled lines (`prompt_lines.labelled`) and, between them, what was said, quoted by `speech`.
"""

from collections.abc import Iterator
from typing import Final

from ...table.decision import CUT, LIMITED, RETRIES_MAX, IllegalPolicy
from .rules import Reveal, Role, WerewolfRules, roles_of

SIGN: Final = "Your role in Werewolf: "
INTRODUCTION: Final = (
    "You play Werewolf, a game of {seats} players with hidden roles: {roles}. Each player has a name for this "
    "game alone. The wolves are one team; all others are the village, the other team."
)
WOLVES_KNOW: Final = "The wolves know each other. Everybody else knows its own role alone."
WOLF_KNOWS: Final = "The wolf is alone. Everybody knows its own role alone."
NIGHT: Final = "The game begins with a night. Nights and days follow each other."
DEN: Final = (
    "At night the wolves who live, if there are two or more, first say one message each, at the same time, which "
    "wolves alone hear."
)
KILL: Final = (
    "Then the wolves vote at the same time for a victim, who is no wolf. Whoever has most votes is attacked; of "
    "several with most votes one is drawn by lot."
)
INSPECT: Final = "At the same time the seer inspects one living player and learns whether that is a wolf."
PROTECT: Final = (
    "At the same time the doctor protects one living player, who does not die if attacked. The doctor cannot protect "
    "itself, nor the player that it protected in the night before."
)
DAWN: Final = "In the morning all learn who is dead, if anybody is."
ROLE_TOLD: Final = "The role of whoever dies or is exiled is told to all."
ROLE_HIDDEN: Final = "The role of whoever dies or is exiled is not told."
SPEECH: Final = (
    "By day all who live speak one after another, {rounds}, in an order that is drawn for each day. All hear "
    "every message."
)
ROUNDS: Final = {1: "once", 2: "twice"}
EXILE: Final = (
    "Then all who live vote at the same time for another player. Whoever has more votes than any other is "
    "exiled, which is a death; if several have most votes, nobody is. Then all learn who voted for whom."
)
WINS: Final = (
    "The village wins as soon as no wolf lives. The wolves win as soon as they are as many as all others who live. "
    "If neither is so after day {days}, the game is a draw. The dead win and lose with their team."
)
MESSAGES: Final = (
    "A message has at most {characters} characters. What others say stands behind the sign >, and may be a lie."
)
SUBSTITUTED: Final = (
    "If your answer holds no legal choice, a random legal one is made for you; without a message that can be "
    "read you are silent."
)
RETRIED: Final = (
    "If your answer holds no legal choice or no message that can be read, you are told why and asked again, {retries} "
    "times at most. After that your vote or power of this time is void, or you are silent; the game goes on."
)

REMINDER: Final = "Declare one choice on the last line, in the form {tag} <name>"
REQUESTS: Final = {
    "kill": ("KILL:", "Whom shall the wolves kill?"),
    "inspect": ("INSPECT:", "Whom do you inspect?"),
    "protect": ("PROTECT:", "Whom do you protect?"),
    "vote": ("VOTE:", "Whom do you vote for?"),
}
"""Of each task the tag of its declared line, and what is asked."""
CHOOSE: Final = "{question} Declare it on the last line of your answer, in the form {tag} <name>."
BRIEFING: Final = "\nOpponent profile:\n{briefing}"

TEMPLATES: Final = {
    "werewolf/introduction": INTRODUCTION,
    "werewolf/wolves_know": WOLVES_KNOW,
    "werewolf/wolf_knows": WOLF_KNOWS,
    "werewolf/night": NIGHT,
    "werewolf/den": DEN,
    "werewolf/kill": KILL,
    "werewolf/inspect": INSPECT,
    "werewolf/protect": PROTECT,
    "werewolf/dawn": DAWN,
    "werewolf/role_told": ROLE_TOLD,
    "werewolf/role_hidden": ROLE_HIDDEN,
    "werewolf/speech": SPEECH,
    "werewolf/exile": EXILE,
    "werewolf/wins": WINS,
    "werewolf/messages": MESSAGES,
    "werewolf/substituted": SUBSTITUTED,
    "werewolf/retried": RETRIED,
    "werewolf/reminder": REMINDER,
    "werewolf/choose": CHOOSE,
    "werewolf/briefing": BRIEFING,
    **{f"werewolf/{task}_asked": " ".join(words) for task, words in REQUESTS.items()},
}


def rules_text(rules: WerewolfRules, seats: int, tokens_max: int = 0) -> str:
    """The system message: all rules, as they are set, and what becomes of answers that cannot be read."""
    paragraphs = (_players(rules, seats), _night(rules), _day(rules), _answers(rules, tokens_max))
    return "\n\n".join(" ".join(part) for part in paragraphs)


def _players(rules: WerewolfRules, seats: int) -> Iterator[str]:
    roles = roles_of(rules, seats)
    numbers = [(role, roles.count(role)) for role in Role if role in roles]
    words = ", ".join(f"{number} {role_words(role, number)}" for role, number in numbers)
    yield INTRODUCTION.format(seats=seats, roles=words)
    yield WOLVES_KNOW if rules.wolves > 1 else WOLF_KNOWS


def _night(rules: WerewolfRules) -> Iterator[str]:
    yield NIGHT
    if rules.wolves > 1:
        yield DEN
    yield KILL
    if rules.seers:
        yield INSPECT
    if rules.doctors:
        yield PROTECT
    yield DAWN
    yield ROLE_TOLD if rules.reveal is Reveal.ROLE else ROLE_HIDDEN


def _day(rules: WerewolfRules) -> Iterator[str]:
    yield SPEECH.format(rounds=ROUNDS[rules.speech_rounds])
    yield EXILE
    yield WINS.format(days=rules.days)


def _answers(rules: WerewolfRules, tokens_max: int) -> Iterator[str]:
    yield MESSAGES.format(characters=rules.speech_characters)
    if tokens_max:
        yield LIMITED.format(tokens_max=tokens_max).strip()
    yield CUT.format(action="choice and no message")
    yield SUBSTITUTED if rules.illegal is IllegalPolicy.SUBSTITUTE else RETRIED.format(retries=RETRIES_MAX)


def role_words(role: Role, number: int) -> str:
    """The word for so many players of a role."""
    if number == 1:
        return role.value
    return "wolves" if role is Role.WOLF else f"{role.value}s"
