"""What a memory did in one game: at each decision the entries in a prompt, and what its seat does without them.

A scripted seat is asked the same question again without the remembered text, so it is known whether it decided by it.
What a model would have done is not known from a bundle.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from ..core.questions import (
    Answer,
    Calculate,
    Called,
    CallTool,
    Chat,
    Examine,
    Hits,
    NoReply,
    Planted,
    Reply,
    Search,
)
from ..core.seat_letters import memory_name, tool_name
from ..core.untrusted_input import printable
from ..experiment.matches import OTHER_TEXT, Arm, Match
from ..memory.career_memory import within
from ..memory.native_tools import delivered, holds
from ..memory.placebo import PlaceboRule
from ..memory.tool_calls import closing_observation, told_by_calls
from ..plan.manifest import Plan
from ..plan.streams import nothing_told
from ..seats import Seat
from ..systems import MemorySystem
from ..table.prompt_lines import forgotten, read_page
from .replayed_game import PLANTED, PlayedGame


class Recalled(NamedTuple):
    """An entry that a prompt held; in an arm of other text, without content, one in whose place that stood.

    `own`: in such an arm, the content that was not shown; `instead`: its replacement, where the pair is known.
    """

    entry: str
    content: str
    own: str = ""
    instead: str = ""


class Steered(NamedTuple):
    """Effect of the recalled entries before a decision in the full stack.

    `passages`: told of its documents. `named`: what the seat declared is to be examined; `examined`: what was.
    """

    passages: int
    named: str
    examined: str


class XrayedDecision(NamedTuple):
    """One decision of the seat. `without`: its action without the remembered text; None where that is not known.

    `steered`: of the full stack alone; `without` is then what it would have had examined. `instead`: in the placebo
    arm, what its prompt told in the place of the entries.
    """

    turn: int
    query: str
    recalled: tuple[Recalled, ...]
    action: str
    without: str | None
    steered: Steered | None = None
    instead: str = ""

    @property
    def told(self) -> str:
        """The text of the memory in the prompt, or what stood in its place."""
        return self.instead or "\n".join(recalled.content for recalled in self.recalled)

    @property
    def changes(self) -> bool | None:
        """True if the decision, or the candidates examined before it, differ without the remembered text."""
        decided = self.steered.named if self.steered else self.action
        return None if self.without is None else self.without != decided


class SeatMemory(NamedTuple):
    """A seat with a memory. `is_steered`: the memory is a part of the full stack.

    `nothing_told`: the text of its prompts where nothing is remembered.
    """

    seat_index: int
    name: str
    seat: Seat
    system: MemorySystem
    arm: Arm
    is_steered: bool = False
    nothing_told: str = ""

    @property
    def memory(self) -> str:
        """The memory's name in a journal."""
        return memory_name(self.seat_index)

    @property
    def tool(self) -> str:
        """The name of its tool in a journal."""
        return tool_name(self.seat_index)

    @property
    def unlearned(self) -> str:
        """The profile in its prompts where nothing is remembered."""
        return "\n".join(filter(None, (self.seat.briefing, self.nothing_told)))

    @property
    def is_placebo(self) -> bool:
        """True if other text stands in the place of its entries."""
        return self.arm in OTHER_TEXT


def seats_with_memory(plan: Plan, match: Match) -> Iterator[SeatMemory]:
    """The seats of a match that have a memory, in their order."""
    for seat_index, name in enumerate(plan.memories_of(match)):
        system, at, tool = plan.systems.get(name), match.table[seat_index], plan.tool_of(match, seat_index)
        if isinstance(system, MemorySystem):
            is_steered = tool is not None and tool.is_steered
            told = is_steered, nothing_told(plan, match, seat_index)
            yield SeatMemory(seat_index, at.seat, plan.seats[at.seat], system, at.condition.arm, *told)


def xray(played: PlayedGame, of: SeatMemory) -> Iterator[XrayedDecision]:
    """Every decision of one seat in a game, in order. A retry belongs to the decision that it is of."""
    played = played._replace(asked=tuple(one for one in played.asked if not isinstance(one[0], Planted)))
    if of.is_steered:
        yield from _by_the_full_stack(played, of)
        return
    if of.system.needs_tool_calls:
        yield from _by_tool_calls(played, of)
        return
    search, hits = None, Hits(())
    for question, answer in played.asked:
        match question, answer:
            case Search(to=to), Hits() if to == of.memory:
                search, hits = question, answer
            case Chat(attempt=0), _ if search is not None and question.to == of.name:
                if question.turn != search.turn:
                    continue  # another seat's, where a model plays itself
                instead = _instead(question, of)
                recalled = _told(hits, of, played, instead)
                without = _without(question, of) if recalled else None
                told = (question.turn, search.query, recalled, _declared(answer), without)
                yield XrayedDecision(*told, instead=instead)
                search = None


def _by_the_full_stack(played: PlayedGame, of: SeatMemory) -> Iterator[XrayedDecision]:
    """Every decision with its chain: what was recalled, what the seat said by it, what was examined, what it chose."""
    search, hits = None, Hits(())
    decision: XrayedDecision | None = None
    for question, answer in played.asked:
        match question, answer:
            case Chat(to=to), _ if to != of.name:
                continue
            case Search(to=to), Hits() if to == of.memory:
                search, hits = question, answer
            case Chat(attempt=0), _ if search is not None and question.turn == search.turn:
                instead = _instead(question, of)
                recalled = _told(hits, of, played, instead)
                passages = len(read_page(question.messages).documents.splitlines())
                without = _without(question, of) if recalled else None
                steered = Steered(passages, _declared(answer), "nothing")
                decision = XrayedDecision(question.turn, search.query, recalled, "", without, steered, instead)
            case Examine(to=to) | Calculate(to=to), _ if (
                decision and decision.steered and to == tool_name(of.seat_index)
            ):
                steered = decision.steered._replace(examined=_examined(question))
                decision = decision._replace(steered=steered)
            case Chat(attempt=1), _ if decision and question.turn == decision.turn:
                yield decision._replace(action=_declared(answer))
                decision = search = None


def _instead(question: Chat, of: SeatMemory) -> str:
    """The placebo of the memory in a prompt; empty in another arm."""
    if not of.is_placebo:
        return ""
    told = read_page(question.messages).profile.removeprefix(of.seat.briefing).removeprefix("\n")
    return "" if told == of.nothing_told else told


def _examined(question: Examine | Calculate) -> str:
    """Question to a tool, in words."""
    if isinstance(question, Examine):
        return ", ".join(question.candidates)
    return f"the strongest {question.hands_percent} % of hands" if question.hands_percent < 100 else "any hand"


def _by_tool_calls(played: PlayedGame, of: SeatMemory) -> Iterator[XrayedDecision]:
    """Every decision of a model that searched for itself: all that its searches told it before it declared."""
    decision: XrayedDecision | None = None
    for question, answer in played.asked:
        match question, answer:
            case Chat(to=to), _ if to != of.name:
                continue
            case Chat(with_tools=(_, *_)), _ if closing_observation(question.messages) is not None:
                break
            case Chat(with_tools=(_, *_)), Reply() | NoReply():
                if decision and not question.attempt:
                    yield decision
                if not question.attempt:
                    decision = XrayedDecision(question.turn, "", (), "", None)
                assert decision
                decision = _placebo_told(decision, question, of, played)
                decision = decision._replace(action=_declared(answer))
            case Search(to=to), Hits() if decision and to == of.memory:
                query = "; ".join(filter(None, (decision.query, question.query)))
                recalled = (*decision.recalled, *_told(answer, of, played, ""))
                decision = decision._replace(query=query, recalled=recalled)
            case CallTool(to=to), Called() if decision and answer.hits and to == of.memory:
                query = "; ".join(filter(None, (decision.query, question.called_with)))
                text = delivered(answer.text, of.system.bytes_max)
                held = tuple(Recalled(hit.entry, hit.content) for hit in answer.hits if holds(text, hit.content))
                decision = decision._replace(query=query, recalled=(*decision.recalled, *held))
    if decision:
        yield decision


def _placebo_told(decision: XrayedDecision, question: Chat, of: SeatMemory, played: PlayedGame) -> XrayedDecision:
    """A decision with what its searches were answered in the placebo arm: its next question tells it."""
    if not decision.recalled or not of.is_placebo:
        return decision
    told = "\n".join(told_by_calls(question.messages))
    return decision._replace(recalled=_paired(decision.recalled, told, of, played), instead=told)


def _told(hits: Hits, of: SeatMemory, played: PlayedGame, instead: str) -> tuple[Recalled, ...]:
    """The entries that were told; in the placebo arm, those in whose place `instead` stood."""
    texts = within([hit.content for hit in hits.hits], of.system.limits)
    if of.is_placebo:
        own = tuple(Recalled(hit.entry, "", hit.content) for hit in hits.hits[: len(texts)])
        return _paired(own, instead, of, played)
    return tuple(Recalled(hit.entry, hit.content) for hit in hits.hits[: len(texts)])


def _paired(own: tuple[Recalled, ...], told: str, of: SeatMemory, played: PlayedGame) -> tuple[Recalled, ...]:
    """The entries, each with the text that stood in its place; unchanged where the pairs cannot be known.

    A donor note is known by its words, shuffled entries and filler by their lines. Entries drawn anew stand for none of
    their own.
    """
    match PlaceboRule.SHUFFLE if of.arm is Arm.FILLER else of.system.placebo:
        case PlaceboRule.DONOR:
            parts = played.donors[of.seat_index].notes_in(told) if told and played.donors else []
        case PlaceboRule.SHUFFLE:
            parts = _by_lines(told, [one.own.count("\n") + 1 for one in own])
        case PlaceboRule.RANDOM_OF_OWN:
            parts = []
    if len(parts) != len(own):
        return own
    return tuple(one._replace(instead=part) for one, part in zip(own, parts, strict=True))


def _by_lines(told: str, counts: Sequence[int]) -> list[str]:
    """A text cut into parts of so many lines; none where it has another number of them."""
    lines = told.split("\n")
    ends = list(accumulate(counts))
    if not ends or ends[-1] != len(lines):
        return []
    return ["\n".join(lines[end - count : end]) for count, end in zip(counts, ends, strict=True)]


def _without(question: Chat, of: SeatMemory) -> str | None:
    """The action of a scripted seat when asked without the remembered text."""
    seat = of.seat
    if seat.is_model:
        return None
    try:
        return _last_line(seat.reply_text(forgotten(question.messages, of.unlearned), question.seed))
    except ValueError:
        return None


def _declared(answer: Answer) -> str:
    """The last line of a seat's answer."""
    return _last_line(answer.text) if isinstance(answer, Reply) else "(no reply)"


def _last_line(text: str) -> str:
    return text.strip().rpartition("\n")[2]


def xray_lines(played: PlayedGame, of: SeatMemory, decisions: Sequence[XrayedDecision]) -> Iterator[str]:
    """The decisions as a person reads them: the turn, the action, the entries, and what becomes of it without them."""
    yield f"{played.record.game}: what {of.name} remembered at each of its {len(decisions)} decisions"
    if of.is_placebo:
        yield f"  the {of.arm}'s text stood in the place of these entries, as many as the limits allow"
    for decision in decisions:
        entries = printable(", ".join(recalled.entry for recalled in decision.recalled)) or "nothing"
        chain = _chain(decision.steered) if decision.steered else ""
        place = f"  turn {decision.turn:>3}  {printable(decision.action):<24}  remembered {entries}"
        yield f"{place}{chain}{_effect(decision)}"
    for turn, action in _planted(played, of):
        yield f"  turn {turn:>3}  {printable(action):<24}  to a planted question: {PLANTED}"
    known = [decision for decision in decisions if decision.changes is not None]
    if known:
        changed = sum(bool(decision.changes) for decision in known)
        what = "times something else is examined" if known[0].steered else "decisions are others"
        yield f"{changed} of {len(known)} {what} without what was remembered"


def _planted(played: PlayedGame, of: SeatMemory) -> Iterator[tuple[int, str]]:
    """The planted questions that a seat was asked during a game: the turn, and what it declared."""
    for question, answer in played.asked:
        if isinstance(question, Planted) and question.to == of.name:
            yield question.turn, _declared(answer)


def _chain(steered: Steered) -> str:
    read = f"read {steered.passages} passages, said {printable(steered.named)}"
    return f", {read}; examined {printable(steered.examined)}"


def _effect(decision: XrayedDecision) -> str:
    if decision.without is None:
        return ""
    return f"; without it {printable(decision.without)}" if decision.changes else "; without it the same"


def xray_document(played: PlayedGame, of: SeatMemory, decisions: Sequence[XrayedDecision]) -> dict[str, object]:
    """The decisions for a program."""
    return {
        "format": "agz-xray-1",
        "game": played.record.game,
        "match": played.match.id,
        "seat": of.name,
        "planted": [{"turn": turn, "action": action} for turn, action in _planted(played, of)],
        "decisions": [
            {
                "turn": decision.turn,
                "query": decision.query,
                "recalled": [{"entry": recalled.entry, "content": recalled.content} for recalled in decision.recalled],
                "action": decision.action,
                "without": decision.without,
                "changes": decision.changes,
                "instead": decision.instead,
                **(decision.steered._asdict() if decision.steered else {}),
            }
            for decision in decisions
        ],
    }
