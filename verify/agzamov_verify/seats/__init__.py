"""The kinds of seat that a plan may name: one module and one line here for each."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias, Union

from .model_seat import Determinism as Determinism
from .model_seat import LocalModelSeat as LocalModelSeat
from .model_seat import ModelSeat as ModelSeat
from .scripted_seat import ScriptedSeat as ScriptedSeat
from .seat import AnswerCheck as AnswerCheck
from .seat import Seat as Seat

# The kinds, in the order in which reports and the plan's schema name them.
# isort: off
from .scripted_seat import RandomSeat as RandomSeat
from .scripted_seat import ReferenceSeat as ReferenceSeat
from .scripted_seat import NoviceSeat as NoviceSeat
from .scripted_seat import BenchmarkSeat as BenchmarkSeat
from .stockfish_seat import StockfishSeat as StockfishSeat
from .uci_seat import UciSeat as UciSeat
from .endpoint_seat import EndpointSeat as EndpointSeat
from .gguf_seat import GgufSeat as GgufSeat
from .ollama_seat import OllamaSeat as OllamaSeat
from .human_seat import HumanSeat as HumanSeat
# isort: on


def _is_kind(value: object) -> bool:
    """True for a class of seats that a plan can name. The others have no tag of their own, but their name."""
    return isinstance(value, type) and issubclass(value, Seat) and value.__struct_config__.tag != value.__name__


KINDS: Final[Mapping[str, type[Seat]]] = {
    str(kind.__struct_config__.tag): kind for kind in tuple(vars().values()) if _is_kind(kind)
}
"""The kinds by their tag."""

if TYPE_CHECKING:  # which kinds there are, only the registry says
    AnySeat: TypeAlias = Seat
else:
    AnySeat = Union[tuple(KINDS.values())]  # noqa: UP007 - made from a list


def benchmark_sides(names: Sequence[str], seats: Mapping[str, Seat]) -> tuple[int, ...]:
    """The places among `names` of seats that keep to the published policy: 0 for seat A, 1 for seat B."""
    return tuple(index for index, name in enumerate(names) if seats[name].has_policy)
