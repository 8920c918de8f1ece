"""What is played: a tiny Werewolf. Wolves know each other, villagers know nobody; by day all speak and vote at once.

Every stage asks its seats together. A seat's prompt holds its own role, what it heard, and the ballots that all know.
A seat may have a memory: each game is noted, and searched by the role that the seat has.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import ClassVar, Final, TypeVar

import msgspec

from ...core.dice import Dice, Stream
from ...core.questions import Chat, Message, NoReply, Reply
from ...core.script import Script, together
from ...experiment.analysis_plan import SequentialRule
from ...experiment.matches import Match, Phase, SeatAt
from ...experiment.plan_fields import Count, Part, Problem
from ...table.decision import ActionReader, Forfeit, IllegalPolicy, Tally, added, decide
from ...table.declared import Accepted, Fault, FaultKind, read_declared
from ...table.game import Block, Bounds, Dynamics, Game, Noun, SeatsAt, StreamPlan, Utility
from ...table.players import GameName, Player, seed_for
from ...table.prompt_lines import PROFILE, Page, labelled, scripted_player
from ...table.seating import by_place, by_seat, seating
from ...table.speech import SILENCE, Said, Speech, SpeechTerms, heard
from .rules import NAMES, SEATS_MAX, SEATS_MIN, TEAMS, VILLAGER, WOLF, deal_roles, most_voted, winner

T = TypeVar("T")
TAG: Final = "VOTE:"
SYSTEM: Final = (
    "You are in a village of {seats}. Some are wolves and know each other; the others are villagers. At night the "
    "wolves choose somebody who dies. By day all who live speak, and then vote; whoever has more votes than all others "
    "dies, and its role is told. The village wins when no wolf lives, the wolves when they are as many as the "
    "others. What others say stands behind the sign >, and may be a lie. If your answer holds nothing in the form that "
    "is asked for, you are silent, or a random vote is given for you."
)
REMINDER: Final = "Declare one vote on the last line, in the form VOTE: <name>"
BRIEFING: Final = PROFILE + "{briefing}"
SPEECH_CHARACTERS_MAX: Final = 200
HALFPOINTS_OF_A_GAME: Final = 2


class VillageMatch(Match, frozen=True, kw_only=True, tag="village"):
    """Games of the village."""

    games: Count = 10
    block_games: Count = 2

    @property
    def planned(self) -> int:
        return self.games

    @property
    def block_results(self) -> int:
        return self.block_games


class VillageRules(Part, frozen=True):
    """There is nothing to choose."""


class Ballot(msgspec.Struct, frozen=True):
    """A vote of one day or night: for whom each place voted, -1 for no vote; who died, -1 for nobody."""

    is_night: bool
    votes: tuple[int, ...]
    died: int


class VillageRecord(msgspec.Struct, frozen=True):
    """One game by place: roles, everything that was said and who heard it, all ballots, and the team that won.

    `order`: the seats by place.
    """

    game: str
    order: tuple[int, ...]
    roles: tuple[str, ...]
    said: tuple[Said, ...]
    ballots: tuple[Ballot, ...]
    won: str
    tallies: tuple[Tally, ...]

    @property
    def outcomes(self) -> tuple[int, ...]:
        """Half-points: 2 for each place of the team that won, else 0."""
        return tuple(HALFPOINTS_OF_A_GAME * (role == self.won) for role in self.roles)


class VillageBlock(Block, frozen=True):
    """Records of the games of one stream."""

    records: tuple[VillageRecord, ...]

    @property
    def tallies(self) -> tuple[Tally, ...]:
        seats = len(self.records[0].order)
        return added((by_seat(record.tallies, record.order) for record in self.records), seats)


class _Village:
    """The state of one game between questions."""

    def __init__(self, name: GameName, order: tuple[int, ...], players: tuple[Player, ...], dice: Dice) -> None:
        self.order = order
        self.name, self.players, self.dice = name, players, dice
        self.names = NAMES[: len(players)]
        self.roles = deal_roles(dice.stream(f"roles/{name.label}"), len(players))
        self.living = list(range(len(players)))
        self.said: list[Said] = []
        self.ballots: list[Ballot] = []
        self.tallies = tuple(Tally() for _ in players)
        self.stages = 0

    def play(self) -> Script[VillageRecord]:
        while (won := winner(self.roles, self.living)) is None:
            wolves = [place for place in self.living if self.roles[place] == WOLF]
            if len(wolves) > 1:
                yield from self._speak(wolves, wolves, is_night=True)
            yield from self._vote(wolves, [place for place in self.living if place not in wolves], is_night=True)
            if winner(self.roles, self.living) is None:
                yield from self._speak(self.living, self.living, is_night=False)
                yield from self._vote(self.living, self.living, is_night=False)
        ballots = tuple(self.ballots)
        return VillageRecord(self.name.id, self.order, self.roles, tuple(self.said), ballots, won, self.tallies)

    def _speak(self, speakers: Sequence[int], hearers: Sequence[int], *, is_night: bool) -> Script[None]:
        """All speakers say something at the same time."""
        decisions: list[Script[Speech | Forfeit]] = []
        for place in speakers:
            others = [to for to in hearers if to != place]
            terms = SpeechTerms(SPEECH_CHARACTERS_MAX, tuple(self.names[to] for to in others), may_whisper=not is_night)
            question = self._question(place, "speak", is_night, others, terms.request())
            decision = self._decide(question, terms.reader(), place)
            decisions.append(decision)
        self.stages += 1
        for place, speech in zip(speakers, (yield from together(decisions)), strict=True):
            said = SILENCE if isinstance(speech, Forfeit) else speech
            self.said.append(Said(place, self._hearers(said, place, hearers), said.text))

    def _hearers(self, speech: Speech, place: int, hearers: Sequence[int]) -> tuple[int, ...]:
        """The places that hear a speech. The dead hear nothing."""
        return tuple(to for to in hearers if to != place and (not speech.to or self.names[to] in speech.to))

    def _vote(self, voters: Sequence[int], candidates: Sequence[int], *, is_night: bool) -> Script[None]:
        """All voters vote at the same time; whoever has most votes dies."""
        decisions: list[Script[int | Forfeit]] = []
        for place in voters:
            options = [to for to in candidates if to != place]
            request = "Whom do you vote for? Declare it on the last line of your answer, in the form VOTE: <name>."
            question = self._question(place, "vote", is_night, options, request)
            decision = self._decide(question, self._reader(place, options), place)
            decisions.append(decision)
        self.stages += 1
        given = dict(zip(voters, (yield from together(decisions)), strict=True))
        votes = [given.get(place) for place in range(len(self.players))]
        chosen = [vote if isinstance(vote, int) else None for vote in votes]
        died = most_voted(chosen)
        if died is not None:
            self.living.remove(died)
        by_place = tuple(-1 if vote is None else vote for vote in chosen)
        self.ballots.append(Ballot(is_night, by_place, -1 if died is None else died))

    def _question(self, place: int, task: str, is_night: bool, options: Sequence[int], request: str) -> Chat:
        """A question to the seat at `place`, with a turn of its own."""
        player, turn = self.players[place], self.stages * len(self.players) + place
        system = SYSTEM.replace("{seats}", str(len(self.players)))
        text = "\n".join((*self._page(place, f"{'night' if is_night else 'day'}, {task}", options), request))
        messages = (Message(system, "system"), Message(text, "user"))
        seed = seed_for(player, place, self.name, turn, self.dice)
        return Chat(0, self.name.id, messages, seed, player.seat, turn)

    def _page(self, place: int, stage: str, options: Sequence[int]) -> Iterator[str]:
        """What the seat at `place` knows."""
        wolves = [to for to, role in enumerate(self.roles) if role == WOLF]
        yield f"Your role in the village: {self.roles[place]}"
        yield f"Your name: {self.names[place]}"
        yield f"Fellow wolves: {self._listed(set(wolves) - {place}) if place in wolves else 'you do not know'}"
        yield f"Living: {self._listed(self.living)}"
        yield from heard(self.said, place, self.names)
        for number, ballot in enumerate(self.ballots):
            yield f"Ballot {number + 1}: {self._told(ballot, place)}"
        yield f"Stage: {stage}"
        yield f"Others: {self._listed(options)}"

    def _told(self, ballot: Ballot, place: int) -> str:
        """A ballot as the seat at `place` knows it: of a night's votes, only the wolves know."""
        died = "nobody died" if ballot.died < 0 else f"{self.names[ballot.died]} died, a {self.roles[ballot.died]}"
        if ballot.is_night and self.roles[place] != WOLF:
            return f"at night {died}"
        votes = ", ".join(f"{self.names[at]} for {self.names[to]}" for at, to in enumerate(ballot.votes) if to >= 0)
        return f"{'at night' if ballot.is_night else 'by day'} {votes}; {died}"

    def _listed(self, places: Iterable[int]) -> str:
        return ", ".join(self.names[place] for place in sorted(places)) or "nobody"

    def _reader(self, place: int, options: Sequence[int]) -> ActionReader[int]:
        by_name = {self.names[to].lower(): to for to in options}

        def read_vote(text: str) -> Accepted[int] | Fault:
            to = by_name.get(text.lower())
            if to is None:
                return Fault(FaultKind.ILLEGAL, "a vote may be for " + self._listed(options))
            return Accepted(to, exact=text == self.names[to])

        def read(answer: Reply | NoReply) -> Accepted[int] | Fault:
            return read_declared(answer, TAG, read_vote)

        label = f"substitute/{self.name.label}/{self.stages}/{place}"
        return ActionReader(read, lambda attempt: self.dice.stream(f"{label}/{attempt}").choice(options), REMINDER)

    def _decide(self, question: Chat, reader: ActionReader[T], place: int) -> Script[T | Forfeit]:
        player = self.players[place]
        profile = yield from player.profile(self.name.id, question.turn, partial(search_for, self.roles[place]))
        system, user = question.messages
        told = Message(user.content + (BRIEFING.format(briefing=profile) if profile else ""), "user")
        question = msgspec.structs.replace(question, messages=(system, told))
        return (yield from decide(question, reader, IllegalPolicy.SUBSTITUTE, self.tallies[place], player.memory))


def play(name: GameName, order: tuple[int, ...], seats: tuple[Player, ...], dice: Dice) -> Script[VillageRecord]:
    """Play one game."""
    return (yield from _Village(name, order, by_place(seats, order), dice).play())


def search_for(role: str) -> str:
    """The search for notes before a decision in this role."""
    return f"As {role}"


def _noted(record: VillageRecord, place: int) -> str:
    """A game as one seat saw it: its role, its team's result, its fate, who died by day, and votes for it then.

    "As wolf lost, dead; died by day: 2 wolves, 1 villager; days without a death: 1; votes for you: 3"
    """
    days = [ballot for ballot in record.ballots if not ballot.is_night]
    died = [record.roles[ballot.died] for ballot in days if ballot.died >= 0]
    wolves, villagers = (Noun(role, TEAMS[role]).counted(died.count(role)) for role in (WOLF, VILLAGER))
    fate = "dead" if any(ballot.died == place for ballot in record.ballots) else "alive"
    own = f"{search_for(record.roles[place])} {'won' if record.outcomes[place] else 'lost'}, {fate}"
    without = f"days without a death: {len(days) - len(died)}"
    votes = sum(ballot.votes.count(place) for ballot in days)
    return f"{own}; died by day: {wolves}, {villagers}; {without}; votes for you: {votes}"


def random_reply(page: Page, stream: Stream) -> str:
    """Anybody, or a word to one or to all."""
    other = stream.choice(labelled(page, "Others").split(", "))
    if "vote" in labelled(page, "Stage"):
        return f"{TAG} {other}"
    private = "SAY TO" if "day" in labelled(page, "Stage") else "SAY"
    return stream.choice((f"SAY: I trust {other}.", f"{private} {other}: Vote with me.", "SAY:"))


def reference_reply(page: Page, stream: Stream) -> str:
    """A wolf never votes for a wolf; a villager asks everybody to vote for the one for whom it will vote.

    With notes of a day on which nobody died it joins the others: it votes for the one whom most have named.
    """
    others = labelled(page, "Others").split(", ")
    fellows = labelled(page, "Fellow wolves").split(", ")
    suspects = [other for other in others if other not in fellows] or others
    named = re.findall(r"^> Let us all vote for (\w+)\.$", page.situation, re.MULTILINE)
    joins = re.search(r"days without a death: [1-9]", page.profile)
    suspect = max(suspects, key=named.count) if joins else stream.choice(suspects)
    return f"{TAG} {suspect}" if "vote" in labelled(page, "Stage") else f"SAY: Let us all vote for {suspect}."


class Village(Game):
    """The village for five to nine."""

    name = "village"
    title = "the village"
    players = range(SEATS_MIN, SEATS_MAX + 1)
    utility = Utility.GENERAL_SUM
    dynamics = Dynamics.SIMULTANEOUS
    team_names = (TEAMS[VILLAGER], TEAMS[WOLF])
    match = VillageMatch
    rules = VillageRules
    templates: ClassVar = {"village/system": SYSTEM, "village/reminder": REMINDER, "village/briefing": BRIEFING}
    scripted: ClassVar = {
        "random": scripted_player("random/village", random_reply),
        "reference": scripted_player("reference/village", reference_reply),
    }
    sign = "Your role in the village: "
    hides = True
    remembers = True

    def script(self, stream: StreamPlan, seats_at: SeatsAt, rules: VillageRules, dice: Dice) -> Script[Block]:
        records: list[VillageRecord] = []
        for index in range(stream.first, stream.first + stream.count):
            order = seating(dice, stream.match.draws, index, len(stream.match.table))
            records.append((yield from play(self.name_of(stream.match, index), order, seats_at(index), dice)))
            yield from self.remember(seats_at(index), records[-1:], index)
        return VillageBlock(stream.first, tuple(records))

    def observation(self, records: Sequence[VillageRecord], first: int, seat_index: int) -> str:
        return "\n".join(_noted(record, record.order.index(seat_index)) for record in records)

    def search_words(self, page: Page) -> str:
        return search_for(labelled(page, "Your role in the village"))

    def problems(self, rules: VillageRules) -> Iterator[Problem]:
        return iter(())

    def match_problems(self, match: VillageMatch, rules: VillageRules) -> Iterator[Problem]:
        return iter(())

    def order(self, record: VillageRecord, index: int) -> tuple[int, ...]:
        return record.order

    def teams(self, record: VillageRecord) -> tuple[int, ...]:
        """Wolves play together, and villagers do; the numbers are those of `team_names`."""
        return tuple(int(role == WOLF) for role in record.roles)

    def bounds(self, rule: SequentialRule) -> Bounds:
        """Half-points of a game. Between equal players their mean is not 1, since teams differ: no rule is allowed."""
        return Bounds(0, HALFPOINTS_OF_A_GAME, HALFPOINTS_OF_A_GAME // 2)

    def rule_problems(self, rule: SequentialRule, rules: VillageRules, observations: int) -> Iterator[Problem]:
        yield Problem("", f"expected none of {self.title}: what equal players win is not known, since teams differ")

    def self_play(self, seat: str, results: int) -> VillageMatch:
        return VillageMatch(
            a=seat, b=seat, others=(SeatAt(seat),) * (SEATS_MIN - 2), phase=Phase.BASELINE, games=results
        )


GAME = Village()
