"""The script of one game: who is asked what, together or one after another, and what follows.

A decision without a legal answer after all attempts (`retry_then_forfeit`) is void: the vote counts for nobody, the
power is not used, the message is silence. The game goes on, so no unreliable model voids a game for its table, and the
result stands, so none saves itself from a defeat. A failed call of a machine stops the run, as everywhere.
"""

from collections.abc import Iterator, Sequence
from typing import Final, TypeVar

from ...core.dice import Dice
from ...core.questions import Chat, Message, NoReply, Reply
from ...core.script import Script, together
from ...table.decision import ActionReader, Forfeit, Tally, decide
from ...table.declared import Accepted, Fault, FaultKind, read_declared
from ...table.players import GameName, Player, seed_for
from ...table.speech import SILENCE, Said, Speech, SpeechTerms, heard
from .prompt import BRIEFING, CHOOSE, REMINDER, REQUESTS, SIGN, rules_text
from .record import Day, Night, WerewolfRecord
from .rules import NOBODY, End, Reveal, Role, WerewolfRules, deal_names, ended, exiled, victim

T = TypeVar("T")
POWERS: Final = {Role.WOLF: "kill", Role.SEER: "inspect", Role.DOCTOR: "protect"}


class WerewolfGame:
    """The state of one game between questions; everything is by place."""

    def __init__(
        self, name: GameName, players: Sequence[Player], roles: tuple[Role, ...], rules: WerewolfRules, dice: Dice
    ) -> None:
        self.name, self.players, self.roles, self.rules, self.dice = name, players, roles, rules, dice
        self.names = deal_names(dice.stream(f"werewolf_names/{name.label}"), len(players))
        self.living = list(range(len(players)))
        self.nights: list[Night] = []
        self.days: list[Day] = []
        self.said: list[Said] = []
        self.tallies = tuple(Tally() for _ in players)
        self.turns = 0

    def play(self, order: tuple[int, ...]) -> Script[WerewolfRecord]:
        """Play the game; `order`: the seats by place, for the record."""
        while (end := self._ended()) is None:
            yield from self._night()
            if ended(self.roles, self.living) is None:
                yield from self._day()
        days = tuple(self.days)
        return WerewolfRecord(self.name.id, order, self.names, self.roles, tuple(self.nights), days, end, self.tallies)

    def _ended(self) -> End | None:
        is_last = len(self.days) == self.rules.days
        return ended(self.roles, self.living) or (End.DAY_LIMIT if is_last else None)

    def _night(self) -> Script[None]:
        number = len(self.nights) + 1
        wolves = self._living_of(Role.WOLF)
        if len(wolves) > 1:
            asked = [self._speech(place, f"night {number}, talk", wolves) for place in wolves]
            for place, speech in zip(wolves, (yield from together(asked)), strict=True):
                self.said.append(Said(place, tuple(to for to in wolves if to != place), speech.text))
        acting = [place for place in self.living if self.roles[place] in POWERS]
        asked_to = [(place, POWERS[self.roles[place]]) for place in acting]
        chosen = yield from self._choices([(*one, f"night {number}, {one[1]}") for one in asked_to])
        votes = tuple(chosen[place] if place in wolves else NOBODY for place in range(len(self.roles)))
        attacked = victim(votes, self.dice.stream(f"werewolf_tie/{self.name.label}/{number}"))
        inspected, protected = (self._chosen_by(role, chosen) for role in (Role.SEER, Role.DOCTOR))
        died = NOBODY if attacked == protected else attacked
        self._bury(died)
        self.nights.append(Night(tuple(self.said), votes, inspected, protected, attacked, died))
        self.said = []

    def _day(self) -> Script[None]:
        number = len(self.days) + 1
        order = self.dice.stream(f"werewolf_speech/{self.name.label}/{number}").deal(self.living, len(self.living))
        everybody = range(len(self.players))
        for place in order * self.rules.speech_rounds:
            speech = yield from self._speech(place, f"day {number}, talk", everybody)
            self.said.append(Said(place, tuple(to for to in everybody if to != place), speech.text))
        chosen = yield from self._choices([(place, "vote", f"day {number}, vote") for place in self.living])
        votes = tuple(chosen.get(place, NOBODY) for place in everybody)
        died = exiled(votes)
        self._bury(died)
        self.days.append(Day(tuple(order), tuple(self.said), votes, died))
        self.said = []

    def _bury(self, died: int) -> None:
        if died != NOBODY:
            self.living.remove(died)

    def _living_of(self, role: Role) -> list[int]:
        return [place for place in self.living if self.roles[place] is role]

    def _chosen_by(self, role: Role, chosen: dict[int, int]) -> int:
        return next((chosen[place] for place in self._living_of(role)), NOBODY)

    def _speech(self, place: int, stage: str, hearers: Sequence[int]) -> Script[Speech]:
        others = tuple(self.names[to] for to in hearers if to != place and to in self.living)
        terms = SpeechTerms(self.rules.speech_characters, others)
        speech = yield from self._decided(place, stage, others, terms.request(), terms.reader())
        return SILENCE if isinstance(speech, Forfeit) else speech

    def _choices(self, asked: Sequence[tuple[int, str, str]]) -> Script[dict[int, int]]:
        """What each place chooses, all at the same time; -1 where its decision is void."""
        scripts = [self._choice(*one) for one in asked]
        chosen = yield from together(scripts)
        return {place: choice for (place, _, _), choice in zip(asked, chosen, strict=True)}

    def _choice(self, place: int, task: str, stage: str) -> Script[int]:
        tag, question = REQUESTS[task]
        by_name = {self.names[to]: to for to in self._options(place, task)}
        reader = self._reader(place, tag, by_name)
        request = CHOOSE.format(question=question, tag=tag)
        chosen = yield from self._decided(place, stage, tuple(by_name), request, reader)
        return NOBODY if isinstance(chosen, Forfeit) else chosen

    def _options(self, place: int, task: str) -> list[int]:
        """The places that one may choose."""
        if task == "kill":
            return [to for to in self.living if self.roles[to] is not Role.WOLF]
        before = self.nights[-1].protected if task == "protect" and self.nights else NOBODY
        return [to for to in self.living if to not in (place, before)]

    def _reader(self, place: int, tag: str, by_name: dict[str, int]) -> ActionReader[int]:
        lowered = {name.lower(): (name, to) for name, to in by_name.items()}
        label = f"substitute/{self.name.label}/werewolf/{len(self.nights)}/{len(self.days)}/{tag}/{place}"

        def read_choice(text: str) -> Accepted[int] | Fault:
            if text.lower() not in lowered:
                return Fault(FaultKind.ILLEGAL, f"it may be {', '.join(by_name)}")
            name, to = lowered[text.lower()]
            return Accepted(to, exact=text == name)

        def read(answer: Reply | NoReply) -> Accepted[int] | Fault:
            return read_declared(answer, tag, read_choice)

        def substitute(attempt: int) -> int:
            return self.dice.stream(f"{label}/{attempt}").choice(list(by_name.values()))

        return ActionReader(read, substitute, REMINDER.format(tag=tag), tag)

    def _decided(
        self, place: int, stage: str, options: Sequence[str], request: str, reader: ActionReader[T]
    ) -> Script[T | Forfeit]:
        player, turn = self.players[place], self.turns
        self.turns += 1
        system = rules_text(self.rules, len(self.players), player.tokens_max)
        lines = (*self._page(place), f"Stage: {stage}", f"Others: {', '.join(options)}", request)
        profile = yield from player.profile(self.name.id, turn, lambda: f"As {self.roles[place]}")
        user = "\n".join(lines) + (BRIEFING.format(briefing=profile) if profile else "")
        messages = (Message(system, "system"), Message(user, "user"))
        seed = seed_for(player, place, self.name, turn, self.dice)
        question = Chat(0, self.name.id, messages, seed, player.seat, turn)
        return (yield from decide(question, reader, self.rules.illegal, self.tallies[place], player.memory))

    def _page(self, place: int) -> Iterator[str]:
        """What the seat at `place` knows."""
        own = self.roles[place]
        yield f"{SIGN}{own}"
        yield f"Your name: {self.names[place]}"
        if own is Role.WOLF:
            fellows = [to for to, role in enumerate(self.roles) if role is Role.WOLF and to != place]
            yield f"Fellow wolves: {', '.join(self.names[to] for to in fellows) or 'none'}"
        yield f"Living: {', '.join(self.names[to] for to in self.living)}"
        for number, night in enumerate(self.nights):
            yield from self._night_words(number + 1, night, place)
            if number < len(self.days):
                day = self.days[number]
                yield from heard(day.said, place, self.names)
                yield f"Votes of day {number + 1}: {self._votes_words(day.votes)}"
                yield f"End of day {number + 1}: {self._died_words(day.died, 'exiled')}"
        yield from heard(self.said, place, self.names)

    def _night_words(self, number: int, night: Night, place: int) -> Iterator[str]:
        yield from heard(night.said, place, self.names)
        if self.roles[place] is Role.WOLF:
            yield f"Votes of night {number}: {self._votes_words(night.votes)}"
        if self.roles[place] is Role.SEER and night.inspected != NOBODY:
            is_wolf = self.roles[night.inspected] is Role.WOLF
            yield f"Inspected in night {number}: {self.names[night.inspected]} is {'a wolf' if is_wolf else 'no wolf'}"
        if self.roles[place] is Role.DOCTOR and night.protected != NOBODY:
            yield f"Protected in night {number}: {self.names[night.protected]}"
        yield f"Morning of day {number}: {self._died_words(night.died, 'dead')}"

    def _died_words(self, died: int, word: str) -> str:
        if died == NOBODY:
            return f"nobody is {word}"
        told = f", a {self.roles[died]}" if self.rules.reveal is Reveal.ROLE else ""
        return f"{self.names[died]} is {word}{told}"

    def _votes_words(self, votes: Sequence[int]) -> str:
        given = [f"{self.names[at]} for {self.names[to]}" for at, to in enumerate(votes) if to != NOBODY]
        return ", ".join(given) or "none"
