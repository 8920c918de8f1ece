"""Any UCI engine at the table: its program by its digest, its limits and its options.

Which of its moves can be computed again is said by the plan. At a fixed number of nodes or plies, on one thread and
from a cleared state, most engines give one move for a position; whoever has the program asks it again. Below full
strength (`elo`) engines draw: their moves are attested.
"""

from collections.abc import Iterator
from typing import Annotated, ClassVar, Final, TypeAlias

import msgspec
from msgspec import Meta

from ..experiment.plan_fields import END, Line, Problem, Sha256OrNone
from .seat import AnswerCheck, Seat

NODES: Final = 10_000
"""Nodes of a search where a plan names no limit."""
DIGEST_SHOWN: Final = 12
OptionName: TypeAlias = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9 _./()+-]{0,63}" + END)]
OptionValue: TypeAlias = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_.+-][A-Za-z0-9 _.+-]{0,63}" + END)]
OURS: Final = {
    "hash": "hash_mib",
    "threads": "nothing: an engine plays on one thread",
    "number of threads": "nothing: an engine plays on one thread",
    "ponder": "nothing: an engine does not ponder",
    "multipv": "nothing: one line is all that a move needs",
    "ownbook": "nothing: a book is a file that the program's digest does not cover",
    "uci_chess960": "nothing: the game says it",
    "uci_limitstrength": "elo",
    "uci_elo": "elo",
}
"""Options that a plan sets by another key, or not at all; in small letters, as engines do not tell them apart."""


class UciSeat(Seat, frozen=True, tag="uci"):
    """An UCI engine, at `nodes` or `depth` for each move. Chess only.

    `program`: a command, or a path from the plan's folder. `binary_sha256` and `engine` (its name) are filled in when
    the plan is sealed; where they are given, they must be the program's own. `attested`: its moves are not asked again.
    """

    program: Line = ""
    binary_sha256: Sha256OrNone = ""
    engine: Line = ""
    nodes: Annotated[int, Meta(ge=0, le=100_000_000)] = 0
    depth: Annotated[int, Meta(ge=0, le=40)] = 0
    hash_mib: Annotated[int, Meta(ge=1, le=256)] = 16
    elo: Annotated[int, Meta(ge=0, le=4_000)] = 0
    options: Annotated[dict[OptionName, OptionValue], Meta(max_length=64)] = msgspec.field(default_factory=dict)
    attested: bool = False

    games: ClassVar[frozenset[str] | None] = frozenset({"chess960", "chess"})
    serving: ClassVar[frozenset[str]] = frozenset({"program"})
    filled_in: ClassVar[frozenset[str]] = frozenset({"binary_sha256", "engine"})

    @property
    def noun(self) -> str:
        return "a UCI engine"

    @property
    def manner(self) -> tuple[object, ...]:
        kind, *settings = super().manner
        others = (one for one in settings if not (isinstance(one, tuple) and one[0] == "options"))
        return (kind, *others, *sorted(self.options.items()))

    @property
    def limit(self) -> str:
        """The words after `go`."""
        return f"depth {self.depth}" if self.depth else f"nodes {self.nodes or NODES}"

    @property
    def check(self) -> AnswerCheck:
        return AnswerCheck.FORM if self.attested or self.elo else AnswerCheck.ENGINE

    @property
    def engine_nodes(self) -> int:
        """Of a search by depth an allowance: twice as many for each ply more."""
        return 100 << self.depth if self.depth else self.nodes or NODES

    @property
    def engine_named(self) -> str:
        return self.engine

    @property
    def program_sha256(self) -> str:
        return self.binary_sha256

    def attested_words(self, name: str) -> str:
        if self.check is AnswerCheck.ENGINE:
            return ""
        why = f"limited to Elo {self.elo} it chooses by chance" if self.elo else "as the plan says"
        return f"moves of {name} attested ({why})"

    def problems(self, path: str) -> Iterator[Problem]:
        if not self.program:
            yield Problem(f"{path}.program", "expected a UCI engine: a command, or a path from the plan's folder")
        if self.nodes and self.depth:
            yield Problem(f"{path}.depth", "expected nodes or depth, found both")
        for option in self.options:
            if instead := OURS.get(option.casefold()):
                yield Problem(f"{path}.options", f"expected {instead}; found {option}")
        if len({option.casefold() for option in self.options}) < len(self.options):
            yield Problem(f"{path}.options", "expected each option once: to an engine capitals are small letters")

    def isolation_problems(self, path: str, isolation: str) -> Iterator[Problem]:
        if isolation == "container":
            yield Problem("isolation", f"expected process: there is no image of the engine of {path}")

    @property
    def kind_words(self) -> str:
        return f"UCI engine {self.engine}" if self.engine else "UCI engine"

    def words(self, weights_sha256: str) -> str:
        options = "".join(f", {name} {value}" for name, value in sorted(self.options.items()))
        elo = f", limited to Elo {self.elo}" if self.elo else ""
        digest = f" (sha256 {self.binary_sha256[:DIGEST_SHOWN]})" if self.binary_sha256 else ""
        again = "asked again by whoever has the program" if self.check is AnswerCheck.ENGINE else "moves attested"
        settings = f"{self.limit} a move, hash {self.hash_mib} MiB{elo}{options}"
        return f"{self.kind_words}{digest} at {settings}, no model; {again}"
