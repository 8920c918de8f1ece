"""An augmentation system as a plan names it: a seat's means under a condition, beyond its prompt."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import ClassVar, Self

from ..core.dice import Stream
from ..documents.library import Library
from ..experiment.matches import Arm, Augmentation, Trait
from ..experiment.plan_fields import Part, Problem
from ..memory.career_memory import CareerMemory
from ..memory.declared_server import SERVER_OF_NAME
from ..memory.native_tools import Effect, NativeTool
from ..memory.placebo import Donor
from ..protocols.norms import Protocol
from ..table.game_tool import ToolUse


class System(Part, frozen=True, tag_field="kind"):
    """Fields of every system. `traits` are declared before the run, for the hypotheses that compare systems."""

    traits: tuple[Trait, ...] = ()

    augmentations: ClassVar[frozenset[Augmentation]]
    """The augmentations that the system can be used for."""
    arms: ClassVar[frozenset[Arm]] = frozenset({Arm.PLACEBO, Arm.REAL})
    """The arms in which the system can be played."""
    keeps_store: ClassVar[bool] = False
    """True if what a seat has in one game depends on the games before it, so that only careers can be compared."""
    asks_tool: ClassVar[bool] = False
    """True if the tool of the game is asked before each decision of seat A."""

    @property
    def parts(self) -> Mapping[str, Augmentation]:
        """Names of the other systems of the plan that it is made of, and the augmentation that each is one of."""
        return {}

    def words(self, games: Iterable[str]) -> str:
        """The augmentation that the system gives its seat where these games are played, in words."""
        raise NotImplementedError

    @property
    def attested(self) -> str:
        """The part of the system that rests on the submitter's word, in words; empty if nothing does."""
        return ""

    @property
    def models_url(self) -> str:
        """Where the models are that the system's server asks itself; empty where it asks none."""
        return ""

    @property
    def image_part(self) -> str:
        """The part of the image in which the system's server runs; empty if it has none."""
        return ""

    @property
    def needs_process(self) -> bool:
        """True if its server has no image, so that it can be started as a process alone."""
        return False

    @property
    def kind(self) -> str:
        """The name of its kind, as a plan writes it."""
        return str(self.__struct_config__.tag)

    @property
    def way_of_use(self) -> str:
        """The asker of the system (harness or model), where a plan has the choice; else empty."""
        return ""

    @property
    def needs_tool_calls(self) -> bool:
        """True if seat A's model has it by tool calls."""
        return False

    @property
    def templates(self) -> Mapping[str, str]:
        """Every text beyond the games' own that a seat reads by it, by name."""
        return {}

    @classmethod
    def shipped_templates(cls) -> Mapping[str, str]:
        """Of the texts in `templates`, those that come with the verifier, of all systems of this kind, by name.

        A protocol names those that are its own: a text that is added later is sealed by later protocols alone. All
        other texts are a plan's own, and are always sealed.
        """
        return {}

    def small(self) -> Self:
        """The same with little work, and without tool calls: as the small profile of a plan has it."""
        return self

    @property
    def traits_known(self) -> frozenset[Trait]:
        """The traits that a plan may declare of the system: those that it can have."""
        return frozenset()

    @property
    def without_place(self) -> Self:
        """The system without paths of its files, so that two runs of it are equal, if the plan holds their texts."""
        return self

    @property
    def told_at_most(self) -> str:
        """The limit of text in one prompt or tool's result, in words; empty where the plan sets none."""
        return ""

    @property
    def server_named(self) -> str:
        """The server that a plan names for it; empty where it has none."""
        return ""

    @property
    def contests_stored(self) -> int:
        """In the stale arm, the contests of a career that are stored; 0 where the protocol's share is."""
        return 0

    def name_problem(self, name: str) -> str:
        """The reason why a plan may not call the system so; empty if it may. A server's name is its alone."""
        known = SERVER_OF_NAME.get(name, "")
        if known in ("", self.server_named):
            return ""
        found = f"the server {self.server_named}" if self.server_named else "a system without a server"
        return f"expected another name: {name} is the name of the server {known}, found {found}"

    def problems(self, arm: Arm) -> Iterator[Problem]:  # noqa: ARG002 - see the oracle
        """Everything that makes the system impossible in an arm, by path below it."""
        if beyond := sorted(set(self.traits) - self.traits_known):
            reason = self.trait_reason(beyond)
            yield Problem("traits", f"expected none that the system cannot have, found {', '.join(beyond)}{reason}")

    def trait_reason(self, beyond: Sequence[Trait]) -> str:  # noqa: ARG002 - see the memory
        """The reason why it cannot have these traits, in words after the error; empty where nothing is to be said."""
        return ""

    def text_problems(self, phrases: Mapping[str, Sequence[str]]) -> Iterator[Problem]:  # noqa: ARG002 - see retrieval
        """Problems of texts that the plan holds for it. `phrases`: by game, all phrases of which a search is made."""
        yield from ()

    def norm_problems(self, norms: Protocol) -> Iterator[Problem]:  # noqa: ARG002 - see the tools
        """Everything that the norms of the plan's protocol refuse, by path below it."""
        yield from ()

    def departures(self, name: str) -> Iterator[str]:  # noqa: ARG002 - see the oracle
        """Departures of the system from the protocol, one line each."""
        yield from ()

    @property
    def submitters_own(self) -> str:
        """What the submitter wrote or chose of what the seat is told, in words; empty where nothing."""
        return ""

    def told(self, arm: Arm) -> str:  # noqa: ARG002 - see the oracle
        """The text in every prompt of seat A."""
        return ""

    def tool(self, arm: Arm) -> ToolUse | None:  # noqa: ARG002 - see the tools
        """The use of the game's tool, where the system asks one."""
        return None

    def library(self, arm: Arm, game: str) -> Library | None:  # noqa: ARG002 - see retrieval
        """The documents that are searched before each decision of seat A in a game, where the system has some."""
        return None

    def lacks(self, game: str) -> str:  # noqa: ARG002 - see retrieval
        """Everything that the system lacks for a game, in words; empty if nothing."""
        return ""

    @property
    def offers_native_tools(self) -> bool:
        """True if seat A's model is offered the server's own tools."""
        return False

    @property
    def known_tools(self) -> tuple[NativeTool, ...]:
        """The tools on offer to its model, where they do not depend on what its server says; else none."""
        return ()

    @property
    def native_effects(self) -> Mapping[str, tuple[Effect, str]]:
        """The server's own tools that a model may be offered: the effect of each, and the argument of the text."""
        return {}

    def career_memory(
        self,
        arm: Arm,  # noqa: ARG002
        donor: Donor,  # noqa: ARG002
        order: Stream,  # noqa: ARG002
        offered: Sequence[NativeTool],  # noqa: ARG002
        to: str,  # noqa: ARG002
        stores_until: int | None = None,  # noqa: ARG002
    ) -> CareerMemory | None:
        """The memory of a seat in one career, where the system is one.

        `donor`: this career's, for the placebo arm; `order`: draws of this career for other texts. `offered`: the
        sealed tools of its server that a model is offered. `to`: whose memory it is (`seat_letters.memory_name`).
        `stores_until`: the last contest of the career after which something is stored; None where all are noted.
        """
        return None
