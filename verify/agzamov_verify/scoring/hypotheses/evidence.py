"""What a hypothesis is tested on: cells, answers to probes, and what is known of the augmentation systems."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

import msgspec

from ..agzamov.cells import AGAINST_HOUSE, Arm, Augmentation, Cell, CellKey, ChessCell, PokerCell, arm_of
from ..agzamov.norm import ScoreNorm
from ..agzamov.score import GAMES
from ..inference.intervals import Resamples, bootstrap_of
from ..learning.outcome import LearningOutcome, LearningRule, RecoveryOutcome, learning, recoveries

SANITY, BASELINE, ASYMMETRIC, ARMS_RACE, STRESS = 0, 1, 2, 3, 5
EQUAL, SLIGHT, SEVERE = "equal", "slight", "severe"
MIDDLEGAME, ENDGAME = 1, 2
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
    """Everything that one analysis may look at, but play against the house. `seed` gives the seed of a named draw."""

    def __init__(
        self,
        cells: Iterable[Cell],
        norm: ScoreNorm,
        seed: Callable[[str], bytes],
        resamples: int,
        probes: Iterable[ProbeCell] = (),
        traits: Mapping[str, frozenset[Trait]] | None = None,
        open_ended: Sequence[str] = (),
    ) -> None:
        self.cells = {cell.key: cell for cell in cells if cell.results and cell.key.part != AGAINST_HOUSE}
        self.norm, self.seed, self.resamples = norm, seed, resamples
        self.probes, self.traits = tuple(probes), traits or {}
        self._open_ended = tuple(open_ended)
        self._learning: dict[CellKey, LearningOutcome] = {}
        self._recoveries: dict[CellKey, tuple[RecoveryOutcome, ...]] = {}

    def how(self, name: str, unit: str = "") -> Resamples:
        """The resampling of a named estimate: studentised for chips, which hardly ever repeat, else expanded."""
        return Resamples(self.seed(name), self.resamples, bootstrap_of(unit))

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
        """Learning over a cell's results: half-points of games, chips of hands. Of a cell of this evidence, once.

        The draw has the name of the cell, so that a match, its score and its hypotheses have one τ.
        """
        if self.cells.get(cell.key) is not cell:
            return self._learned(cell)
        if cell.key not in self._learning:
            self._learning[cell.key] = self._learned(cell)
        return self._learning[cell.key]

    def recovered(self, cell: Cell) -> tuple[RecoveryOutcome, ...]:
        """Recovery from each forced shift of a cell; of a cell of this evidence, once."""
        if self.cells.get(cell.key) is not cell:
            return self._recovered(cell)
        if cell.key not in self._recoveries:
            self._recoveries[cell.key] = self._recovered(cell)
        return self._recoveries[cell.key]

    def _learned(self, cell: Cell) -> LearningOutcome:
        return learning(values_of(cell), self.rule(cell), self.seed(f"learning/{cell.key}"), self.resamples)

    def _recovered(self, cell: Cell) -> tuple[RecoveryOutcome, ...]:
        seed = self.seed(f"recovery/{cell.key}")
        return recoveries(values_of(cell), cell.shifts, self.rule(cell), seed, self.resamples)

    def rule(self, cell: Cell) -> LearningRule:
        """How learning is looked for in a cell. With mirrored decks a result is a hand and its mirror."""
        rule = self.norm.learning.rules[cell.key.game]
        if isinstance(cell, PokerCell) and cell.mirrored:
            window = msgspec.structs.replace(rule.window, units=2 * rule.window.units)
            return msgspec.structs.replace(rule, window=window)
        return rule

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
        """What there is, in a few words, and which matches are not there because their length was left open."""
        early = f"; of no fixed length: {', '.join(self._open_ended)}" if self._open_ended else ""
        if not self.cells:
            return f"no cells{early}"
        phases = sorted({key.phase for key in self.cells})
        kinds = sorted({f"{key.augmentation.value}/{key.arm.value}" for key in self.cells})
        games = [GAME_NAMES[game] for game in GAMES if any(key.game == game for key in self.cells)]
        return f"phase {', '.join(map(str, phases))}, {', '.join(games)}, {', '.join(kinds)}{early}"


def values_of(cell: Cell) -> list[int]:
    """Results in order, as learning takes them."""
    match cell:
        case ChessCell():
            return cell.halfpoints
        case PokerCell():
            return cell.course
