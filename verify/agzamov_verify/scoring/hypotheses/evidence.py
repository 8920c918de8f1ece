"""What a hypothesis is tested on: cells, answers to probes, and what is known of the augmentation systems."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

import msgspec

from ..agzamov.cells import Arm, Augmentation, Cell, CellKey, ChessCell, PokerCell, arm_of
from ..agzamov.norm import ScoreNorm
from ..agzamov.score import GAMES
from ..inference.intervals import Bootstrap, Resamples
from ..learning.outcome import CHESS as CHESS_LEARNING
from ..learning.outcome import POKER as POKER_LEARNING
from ..learning.outcome import LearningOutcome, RecoveryOutcome, learning, recoveries

SANITY, BASELINE, ASYMMETRIC, ARMS_RACE, STRESS = 0, 1, 2, 3, 5
EQUAL, SLIGHT, SEVERE = "equal", "slight", "severe"
MIDDLEGAME, ENDGAME = 1, 2
BB_PER_100: Final = "bb/100"
GAME_NAMES: Final = {"chess960": "chess", "holdem": "poker"}


class Trait(StrEnum):
    """What is declared of an augmentation system before the run."""

    SEMANTIC = "semantic"
    FULL_TEXT = "full_text"
    GRAPH = "graph"
    TEMPORAL = "temporal"
    UNIFORM = "uniform"
    NOISY = "noisy"


ARCHITECTURES: Final = (Trait.SEMANTIC, Trait.FULL_TEXT, Trait.GRAPH)


class Probe(StrEnum):
    """What was asked outside of games (paper section 6.3)."""

    EVALUATION = "evaluation"
    CALCULATION = "calculation"
    EFFICIENCY = "efficiency"


class ProbeCell(msgspec.Struct, frozen=True):
    """Answers of one model under one condition: 1 and 0 for right and wrong.

    With EFFICIENCY: for each won ending the shortest win over the moves taken, per mille; 0 where it was not won.
    """

    key: CellKey
    probe: Probe
    values: tuple[int, ...]


class Delta(NamedTuple):
    """A real arm, and the arm that it is compared with: its naked control, or a placebo."""

    real: Cell
    other: Cell

    @property
    def setting(self) -> tuple[str, str, str]:
        """What a game is not part of: model, augmentation, system."""
        key = self.real.key
        return key.model, key.augmentation.value, key.system

    @property
    def name(self) -> str:
        """Where it was measured."""
        key = self.real.key
        system = f" ({key.system})" if key.system else ""
        return f"{GAME_NAMES[key.game]}, {key.model}, {key.augmentation.value}{system}"


class Lacking(NamedTuple):
    """Why a hypothesis cannot be tested here."""

    reason: str


class Evidence:
    """Everything that one analysis may look at. `seed` gives the seed of a named draw."""

    def __init__(
        self,
        cells: Iterable[Cell],
        norm: ScoreNorm,
        seed: Callable[[str], bytes],
        resamples: int,
        probes: Iterable[ProbeCell] = (),
        traits: Mapping[str, frozenset[Trait]] | None = None,
        ended_early: Sequence[str] = (),
    ) -> None:
        self.cells = {cell.key: cell for cell in cells if cell.results}
        self.norm, self.seed, self.resamples = norm, seed, resamples
        self.probes, self.traits = tuple(probes), traits or {}
        self._ended_early = tuple(ended_early)
        self._learning: dict[CellKey, LearningOutcome] = {}
        self._recoveries: dict[CellKey, tuple[RecoveryOutcome, ...]] = {}

    def how(self, name: str, unit: str = "") -> Resamples:
        """The resampling of a named estimate: studentised for chips, which hardly ever repeat, else expanded."""
        method = Bootstrap.STUDENTISED if unit == BB_PER_100 else Bootstrap.EXPANDED
        return Resamples(self.seed(name), self.resamples, method)

    def deltas(
        self,
        game: str,
        augmentation: Augmentation | None = None,
        phase: int = ASYMMETRIC,
        part: str = "",
        against: Arm = Arm.NAKED,
    ) -> list[Delta]:
        """Real arms with the arm they are compared with, in the order of their keys; those without one are left out."""
        found = (key for key in sorted(self.cells) if (key.game, key.phase, key.part) == (game, phase, part))
        real = (key for key in found if key.arm is Arm.REAL and augmentation in (None, key.augmentation))
        return [Delta(self.cells[key], other) for key in real if (other := arm_of(self.cells, key, against))]

    def has(self, system: str, trait: Trait) -> bool:
        """Whether the trait was declared of the system."""
        return trait in self.traits.get(system, frozenset())

    def architecture(self, system: str) -> Trait | None:
        """How the system finds what it stored, if that was declared."""
        return next((trait for trait in ARCHITECTURES if self.has(system, trait)), None)

    def learned(self, cell: Cell) -> LearningOutcome:
        """Learning over a cell's results; computed once."""
        if cell.key not in self._learning:
            self._learning[cell.key] = learning_of(cell, str(cell.key), self.seed, self.resamples)
        return self._learning[cell.key]

    def recovered(self, cell: Cell) -> tuple[RecoveryOutcome, ...]:
        """Recovery from each forced shift of a cell; computed once."""
        if cell.key not in self._recoveries:
            rule = CHESS_LEARNING if isinstance(cell, ChessCell) else POKER_LEARNING
            seed = self.seed(f"recovery/{cell.key}")
            outcomes = recoveries(values_of(cell), cell.shifts, rule, seed, self.resamples)
            self._recoveries[cell.key] = outcomes
        return self._recoveries[cell.key]

    def probed(self, probe: Probe) -> Iterator[ProbeCell]:
        """The cells of one probe, in the order of their keys."""
        return iter(sorted((cell for cell in self.probes if cell.probe is probe), key=lambda cell: cell.key))

    def models(self, phase: int) -> list[str]:
        """The models with both games in a phase."""
        names = sorted({key.model for key in self.cells if key.phase == phase})
        return [name for name in names if all(self.of_model(name, game, phase) for game in GAMES)]

    def of_model(self, model: str, game: str, phase: int) -> Cell | None:
        """A model's naked cell in a phase."""
        return self.cells.get(CellKey(model, game, phase))

    def there(self) -> str:
        """What there is, in a few words, and which matches are not there because a rule ended them early."""
        early = f"; ended early by a declared rule: {', '.join(self._ended_early)}" if self._ended_early else ""
        if not self.cells:
            return f"no cells{early}"
        phases = sorted({key.phase for key in self.cells})
        kinds = sorted({f"{key.augmentation.value}/{key.arm.value}" for key in self.cells})
        games = [GAME_NAMES[game] for game in GAMES if any(key.game == game for key in self.cells)]
        return f"phase {', '.join(map(str, phases))}, {', '.join(games)}, {', '.join(kinds)}{early}"


def learning_of(cell: Cell, name: str, seed: Callable[[str], bytes], resamples: int) -> LearningOutcome:
    """Learning over a cell's results: half-points of games, chips of hands. The draw is called `name`."""
    rule = CHESS_LEARNING if isinstance(cell, ChessCell) else POKER_LEARNING
    return learning(values_of(cell), rule, seed(f"learning/{name}"), resamples)


def values_of(cell: Cell) -> list[int]:
    """Results in order, as learning takes them."""
    match cell:
        case ChessCell():
            return cell.halfpoints
        case PokerCell():
            return cell.chips
