"""What the careers of a model that calls tools share: a listed memory beside the reference player, and a replay."""

from typing import TypeAlias

from agzamov_harness.adapters.endpoint import wire_message, wire_tools
from agzamov_harness.reference_server import chat_server
from agzamov_verify.core.journal import GENESIS, VERSION, Entry, asked
from agzamov_verify.core.questions import (
    Answer,
    Chat,
    EndGame,
    Export,
    Exported,
    Hit,
    Hits,
    Kept,
    Question,
    Reply,
    Search,
    Settled,
    Store,
    Stored,
    ToolCall,
)
from agzamov_verify.core.script import Replay, Script, drive
from agzamov_verify.table.game import StreamPlan
from agzamov_verify.table.scripted_players import scripted_reply

Exchange: TypeAlias = tuple[Question, Answer]


class ListedMemory:
    """A memory that gives all that it holds in order, and the reference player behind its server's front.

    How it is stored into and searched, `remembered` says.
    """

    def __init__(self) -> None:
        self.live: list[Kept] = []

    def __call__(self, question: Question) -> Answer:
        match question:
            case EndGame():
                return Settled(len(self.live))
            case Export():
                return Exported(tuple(self.live), more=False)
            case Chat():
                return reference_reply(question)
            case _:
                return self.remembered(question)

    def remembered(self, question: Question) -> Answer:
        """The answer to a store, a search or a call of a tool."""
        raise AssertionError(question)

    def hits(self, hits_max: int) -> tuple[Hit, ...]:
        """The last entries, so many at most."""
        return tuple(Hit(kept.content, kept.entry) for kept in self.live[-hits_max:])


class SearchedMemory(ListedMemory):
    """One that the harness stores into and searches."""

    def remembered(self, question: Question) -> Answer:
        match question:
            case Store():
                self.live.append(Kept(question.content, (), question.entry, (question.number,), question.kind))
                return Stored()
            case Search():
                return Hits(self.hits(question.hits_max))
            case _:
                raise AssertionError(question)


def reference_reply(question: Chat) -> Reply:
    """What the reference player says behind its server's front, tool calls among it."""
    if not question.with_tools:
        return Reply(text=scripted_reply("reference", question.messages, question.seed))
    messages = [wire_message(message) for message in question.messages]
    body = {"model": "reference", "messages": messages, "seed": question.seed, **wire_tools(question.with_tools)}
    said = chat_server.completion(body)["choices"][0]["message"]
    calls = [call["function"] for call in said.get("tool_calls", ())]
    made = tuple(ToolCall(call["arguments"], call["name"]) for call in calls)
    return Reply(text=said["content"] or "", tool_calls=made)


def replay_of(exchanges: list[Exchange], stream: StreamPlan, script: Script[object]) -> None:
    """Raises Divergence where a script asks something else than was recorded."""
    entries = [
        Entry(answer, GENESIS, asked(question), "run", number, stream.id, VERSION)
        for number, (question, answer) in enumerate(exchanges)
    ]
    journal = Replay(stream.id, iter(entries))
    drive(script, journal)
    journal.finish()
