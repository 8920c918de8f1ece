"""A seat as a plan names it, with the answers to every question that depends on its kind.

A kind of seat is one subclass in one module of this package and one line in `__init__`. The class variables and methods
here are all that plan checks, verification, scoring and reports ask of it; their defaults suit a kind that has nothing
to say. What only a run needs (a port, a container) is a row of `agzamov_harness.seat_kinds`.
"""

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from typing import ClassVar, Self

import msgspec

from ..core.questions import Message
from ..experiment.opponent_patterns import Pattern
from ..experiment.plan_fields import Briefing, Part, Problem
from ..table.players import PictureWish


class AnswerCheck(Enum):
    """Check of a seat's recorded answers against the only ones that it can give.

    ATTESTED   none: nobody can compute a model's answers
    EVERY      each is computed again while its stream is replayed
    SAMPLED    each is computed again, which takes long: of a long run a random sample
    FORM       each has the form of the engine's answers; which move it chose is attested
    ENGINE     as FORM, and the engine is asked again, of a long run about a random sample
    """

    ATTESTED = "attested"
    EVERY = "every"
    SAMPLED = "sampled"
    FORM = "form"
    ENGINE = "engine"


class Seat(Part, frozen=True, tag_field="kind"):
    """Fields of every seat: rules of behaviour for its system prompt, and facts for its user prompt."""

    patterns: tuple[Pattern, ...] = ()
    briefing: Briefing = ""

    games: ClassVar[frozenset[str] | None] = None
    """The games that it plays; None: every game."""
    is_model: ClassVar[bool] = False
    """True for a language model: it has tokens, tries and a price."""
    is_person: ClassVar[bool] = False
    """True for a person, who plays in a browser."""
    calls_tools: ClassVar[bool] = False
    """True if its model can be offered tools to call."""
    is_hosted: ClassVar[bool] = False
    """True if its server is outside of a run's containers, and reached through the proxy."""
    starts_engine: ClassVar[bool] = False
    """True if it plays by the pinned engine."""
    has_policy: ClassVar[bool] = False
    """True if it plays hold'em by the published benchmark policy."""
    serving: ClassVar[frozenset[str]] = frozenset()
    """The fields that say where and how it is served; all others say how it plays."""
    filled_in: ClassVar[frozenset[str]] = frozenset()
    """The fields that are filled in when a plan is sealed, where it leaves them empty."""
    image_part: ClassVar[str] = ""
    """The part that a pinned image plays for it in a run in containers; empty for none."""

    @property
    def kind(self) -> str:
        """The kind as a plan spells it, which is the tag."""
        return str(self.__struct_config__.tag)

    @property
    def manner(self) -> tuple[object, ...]:
        """The player's kind and settings, less those of its server and those that are not set.

        Arms that are compared have the same.
        """
        settings = ((name, getattr(self, name)) for name in self.__struct_fields__ if name not in self.serving)
        return (self.kind, *(one for one in settings if one[1] is not msgspec.UNSET))

    def as_wished(self, wish: "Seat | None") -> "Seat":
        """This sealed seat, less what sealing filled in that `wish`, the seat of that name in a file, leaves open."""
        if wish is None or type(wish) is not type(self):
            return self
        left_open = {name: getattr(wish, name) for name in self.filled_in if not getattr(wish, name)}
        return msgspec.structs.replace(self, **left_open) if left_open else self

    @property
    def noun(self) -> str:
        """The kind in an error message."""
        return f"a {self.kind} seat"

    def repeats_at(self, other: "Seat") -> str:
        """The temperature of a repeat of `other`, which plays at 0; empty where it is no repeat of it.

        A repeat is for the robustness check (paper section 9.3).
        """
        return ""

    # --- plan checks

    def problems(self, path: str) -> Iterator[Problem]:
        """Problems of the seat's own settings."""
        yield from ()

    def isolation_problems(self, path: str, isolation: str) -> Iterator[Problem]:
        """Problems of the seat under the plan's isolation."""
        yield from ()

    @classmethod
    def problems_together(cls, seats: Mapping[str, Self], playing: Mapping[str, Self]) -> Iterator[Problem]:
        """Problems of all seats of the kind together: those that the plan names, and those that play."""
        yield from ()

    def departures(self, name: str) -> Iterator[str]:
        """Departures of the seat's settings from the protocol, one line each."""
        yield from ()

    @property
    def has_temperature(self) -> bool:
        """True if a plan sets the temperature at which it answers."""
        return False

    # --- its server

    @property
    def server_url(self) -> str | None:
        """Address at which the plan says that it is served; None for a seat without a server of its own."""
        return None

    @property
    def asked_again(self) -> tuple[str, str]:
        """The option of `agzamov replay` by which its model is asked again, and what to name there."""
        return "--at", "ADDRESS"

    @property
    def model_served(self) -> str | None:
        """The model's name that its server must report; None where no name is sealed."""
        return None

    @property
    def names_served(self) -> tuple[str, ...]:
        """The names that its server may report; none where no name is sealed."""
        return () if self.model_served is None else (self.model_served,)

    @property
    def key_variable(self) -> str:
        """The environment variable that holds its API key; empty for none."""
        return ""

    # --- limits of its answers

    @property
    def tokens_limit(self) -> int:
        """Greatest number of tokens in a reply, where its server is sent a limit; 0 where it is sent none."""
        return 0

    @property
    def pictures(self) -> PictureWish | None:
        """How it is shown positions as images; None where it reads them as text."""
        return None

    @property
    def failed_tries_max(self) -> int:
        """Greatest number of failed tries before an answer."""
        return 0

    # --- verification of its answers

    @property
    def check(self) -> AnswerCheck:
        """The check of its answers."""
        return AnswerCheck.ATTESTED

    def reply_text(self, messages: tuple[Message, ...], seed: int) -> str:
        """The only reply of a seat whose check is EVERY or SAMPLED. Raises ValueError for what it cannot read."""
        raise ValueError(f"expected a seat whose replies can be computed, found {self.noun}")

    @property
    def engine_nodes(self) -> int:
        """Nodes that the engine searches for a move of a seat that starts it; else 0."""
        return 0

    @property
    def engine_named(self) -> str:
        """The name of the engine that plays the seat, which its answers bear; empty for the protocol's engine."""
        return ""

    @property
    def program_sha256(self) -> str:
        """The digest of the engine's program, by which a verifier finds it; empty for the protocol's engine."""
        return ""

    def attested_words(self, name: str) -> str:
        """The part of a scripted seat's answers that is only attested, in words; empty for none."""
        return ""

    # --- words and names

    @property
    def declared(self) -> str:
        """What a person in the seat declares of their own strength, in words; empty for nothing, or no person."""
        return ""

    @property
    def kind_words(self) -> str:
        """The shortest true name of the kind."""
        raise NotImplementedError

    def words(self, weights_sha256: str) -> str:
        """Settings of the seat in a plan, without its prompts, in words. `weights_sha256`: sealed; empty for none."""
        raise NotImplementedError

    def player_id(self, name: str, weights_sha256: str, measured: Iterable["Seat"]) -> str:
        """Identifier of the seat's player across bundles; `measured` are the seats that some match measures."""
        return f"{name}@{self.kind}"
