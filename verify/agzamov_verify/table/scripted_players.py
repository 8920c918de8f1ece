"""The scripted players by kind: each reply follows from its prompt and its seed alone."""

from ..core.questions import (
    Answer,
    Calculate,
    Called,
    CallTool,
    Chat,
    EndGame,
    Evaluate,
    Evaluation,
    Examine,
    Export,
    Exported,
    Hit,
    Hits,
    MemoryAnswer,
    MemoryQuestion,
    Message,
    Question,
    Reply,
    Search,
    Settled,
    Store,
    Stored,
    ToolCall,
)
from ..core.survey_question import Survey, Surveyed
from ..memory.tool_calls import SEARCH, closing_observation
from .prompt_lines import labelled, read_page
from .registry import GAMES, TOOLS, game_of_prompt

RANDOM = "random"
NOTE_CHARACTERS = 200
"""Assumed length of an entry in a memory."""


def scripted_reply(kind: str, messages: tuple[Message, ...], seed: int) -> str:
    """The answer of player `kind` ("reference", "random" or "benchmark"). Raises ValueError for what it cannot read."""
    page = read_page(messages)
    player = game_of_prompt(page.situation).scripted.get(kind)
    if player is None:
        kinds = sorted({name for game in GAMES.values() for name in game.scripted})
        raise ValueError(f"expected a player of kind {' or '.join(kinds)}, found {kind!r}")
    return player(page, seed)


def random_answer(question: Question) -> Answer:
    """Answers of random players, an engine that sees no advantage and a full memory: enough to sample prompts from.

    Who is offered tools calls one before each reply: the search of a memory, else the last on offer, without arguments.
    """
    match question:
        case Chat():
            return _random_reply(question)
        case Evaluate():
            return Evaluation(0, None)
        case Examine() | Calculate():
            return TOOLS[type(question)].sample(question)
        case Survey():
            return Surveyed()
        case _:
            return _full_memory(question)


def _full_memory(question: MemoryQuestion) -> MemoryAnswer:
    match question:
        case Search():
            return Hits(tuple(Hit("x" * NOTE_CHARACTERS, f"e{number:05d}") for number in range(question.hits_max)))
        case CallTool():
            return Called(text="x" * NOTE_CHARACTERS)
        case Store():
            return Stored()
        case EndGame():
            return Settled(0)
        case Export():
            return Exported((), more=False)


def _random_reply(question: Chat) -> Reply:
    if question.with_tools and question.messages[-1].role == "user":
        names = [tool.name for tool in question.with_tools]
        call = ToolCall('{"query":"opponent"}', SEARCH) if SEARCH in names else ToolCall("{}", names[-1])
        return Reply(text="", tool_calls=(call,))
    if closing_observation(question.messages) is not None:
        return Reply(text="")
    messages = told_in_words(question.messages)
    return Reply(text=scripted_reply(RANDOM, messages, question.seed) if messages else "")


def told_in_words(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """The messages of a decision as a player without eyes reads them; none where only an image can be answered."""
    told = list[Message]()
    for message in messages:
        pictures = GAMES[message.shown[0].game].pictures if message.shown else None
        in_words = pictures.in_words(message) if pictures else message
        if in_words is None:
            return ()
        told.append(in_words)
    return tuple(told)


def with_words_as_tokens(kind: str, messages: tuple[Message, ...], text: str) -> Reply:
    """The answer around a scripted player's text."""
    return Reply(
        text=text,
        model=kind,
        prompt_tokens=sum(len(message.content.split()) for message in messages),
        completion_tokens=len(text.split()),
    )


def stockfish_reply(engine: str, move: str) -> Reply:
    """The one answer that a journal may hold for a Stockfish seat that chose `move`; `engine` is the engine's name."""
    return Reply(text=f"MOVE: {move}", model=engine)


def position_of(messages: tuple[Message, ...]) -> str:
    """The FEN that a Stockfish seat reads off its prompt. Raises ValueError for a prompt without one."""
    return labelled(read_page(messages), "FEN")
