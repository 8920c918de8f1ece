"""Evidence for hypothesis tests: cells, answers to probes, and the declared traits of augmentation systems."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from typing import Final, NamedTuple

import msgspec

from ...experiment.matches import Arm, Augmentation, Phase, Trait
from ...protocols.norms import load_protocol
from ...systems import System
from ..inference.estimate import PAIR_SCORE
from ..inference.intervals import Resamples, bootstrap_of
from ..learning.course import Course, course_of
from ..learning.outcome import (
    LearningOutcome,
    LearningRule,
    RecoveryOutcome,
    ShiftTests,
    TrendTest,
    corrected_shifts,
    corrected_trends,
    learning,
    recoveries,
    shift_tests,
    trend_test,
)
from ..units.cells import AGAINST_BENCHMARK, Cell, CellKey, arm_of
from ..units.score_constants import CHESS, POKER, SCORED_GAMES, ScoreConstants

EQUAL, SLIGHT, SEVERE = "equal", "slight", "severe"
MIDDLEGAME, ENDGAME = 1, 2
GAME_NAMES: Final = {CHESS: "chess", POKER: "poker"}
"""The games of the paper, in its words."""


ARCHITECTURES: Final = (Trait.SEMANTIC, Trait.FULL_TEXT, Trait.GRAPH)


class Probe(StrEnum):
    """Kind of probe outside of games (paper section 6.3)."""

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


def traits_of(systems: Mapping[str, System]) -> dict[str, frozenset[Trait]]:
    """The declared traits of the systems of a plan, by name."""
    return {name: frozenset(system.traits) for name, system in systems.items()}


def parts_of(systems: Mapping[str, System]) -> dict[str, Mapping[str, Augmentation]]:
    """The systems that one is made of with their augmentations, by name; of single ones nothing."""
    return {name: system.parts for name, system in systems.items() if system.parts}


class Delta(NamedTuple):
    """A real arm, and the arm that it is compared with: its naked control, or a placebo."""

    real: Cell
    other: Cell

    @property
    def setting(self) -> tuple[str, str, str]:
        """The setting irrespective of the game: model, augmentation, system."""
        key = self.real.key
        return key.model, key.augmentation.value, key.system

    @property
    def name(self) -> str:
        """Label of the real arm: game, model, augmentation, system."""
        key = self.real.key
        system = f" ({key.system})" if key.system else ""
        return f"{GAME_NAMES.get(key.game, key.game)}, {key.model}, {key.augmentation.value}{system}"


class Stack(NamedTuple):
    """The delta of a full stack, and those of its parts alone: memory, tools, documents."""

    full: Delta
    parts: tuple[Delta, ...]


def course(cell: Cell, careers_min: int) -> Course:
    """The course of a cell, as input of the tests for learning; of fewer careers than `careers_min` none is tested."""
    if not cell.careers and not cell.no_finding:
        return Course(cell.course)
    careers = cell.by_career(cell.course)
    return course_of(careers, is_too_little=bool(cell.untested) or 1 < len(careers) < careers_min)


class Insufficient(NamedTuple):
    """Reason why a hypothesis cannot be tested here."""

    reason: str


class Evidence:
    """Input of one analysis, without play against the benchmark player. `seed` gives the seed of a named draw.

    `asked_for`: the cells of the deltas that were asked for since it was emptied; whoever tests may empty it.

    `repeats`: the cells of the robustness check, which no hypothesis and no score rests on.

    `parts`: of a full stack the systems that it is made of (`parts_of`).

    `played`: the cells of all matches whose learning is reported, which are one family of tests; None: `cells`.
    """

    def __init__(  # noqa: PLR0913 - so many things go into an analysis
        self,
        cells: Iterable[Cell],
        constants: ScoreConstants,
        seed: Callable[[str], bytes],
        resamples: int,
        probes: Iterable[ProbeCell] = (),
        traits: Mapping[str, frozenset[Trait]] | None = None,
        open_ended: Sequence[str] = (),
        *,
        played: Iterable[Cell] | None = None,
        parts: Mapping[str, Mapping[str, Augmentation]] | None = None,
    ) -> None:
        cells = tuple(cells)
        counted = {cell.key: cell for cell in cells if cell.results and cell.key.part != AGAINST_BENCHMARK}
        self.cells = {key: cell for key, cell in counted.items() if not key.temperature}
        self.repeats = {key: cell for key, cell in counted.items() if key.temperature}
        self.constants, self.seed, self.resamples = constants, seed, resamples
        self.probes, self.traits = tuple(probes), traits or {}
        self._parts = parts or {}
        self._open_ended = tuple(open_ended)
        self.asked_for: set[CellKey] = set()
        played = cells if played is None else played
        once = (cell for cell in played if not cell.key.temperature)
        self._family = {cell.key: cell for cell in once if cell.key.game in constants.learning.rules}
        self._learning: dict[CellKey, LearningOutcome] = {}
        self._recoveries: dict[CellKey, tuple[RecoveryOutcome, ...]] = {}

    @property
    def games(self) -> tuple[str, ...]:
        """The games of Eq. 1, then any others that there are cells of."""
        return (*SCORED_GAMES, *sorted({key.game for key in self.cells} - set(SCORED_GAMES)))

    def resampling(self, unit: str) -> Resamples:
        """The resampling of values measured in `unit`, whatever unit they are published in: `estimated` sets its seed.

        Studentised for chips, which hardly ever repeat, else expanded.
        """
        clusters, decided = self.constants.clusters, unit == PAIR_SCORE.unit
        decided_min = clusters.score_decided_min if decided else 0
        return Resamples(b"", self.resamples, bootstrap_of(unit), clusters.least(unit), decided_min)

    def deltas(
        self,
        game: str,
        augmentation: Augmentation | None = None,
        phase: int = Phase.ASYMMETRIC,
        part: str = "",
        against: Arm = Arm.NAKED,
    ) -> list[Delta]:
        """Real arms with the arm they are compared with, in the order of their keys; those without one are left out.

        The keys of all of them are added to `asked_for`.
        """
        keys = (key for key in sorted(self.cells) if (key.game, key.phase, key.part) == (game, phase, part))
        real = (key for key in keys if key.arm is Arm.REAL and augmentation in (None, key.augmentation))
        return self._asked(Delta(self.cells[key], other) for key in real if (other := arm_of(self.cells, key, against)))

    def _asked(self, deltas: Iterable[Delta]) -> list[Delta]:
        """The deltas, with the keys of their cells in `asked_for`."""
        deltas = list(deltas)
        self.asked_for.update(cell.key for delta in deltas for cell in delta)
        return deltas

    def stacks(self, game: str) -> list[Stack]:
        """The full stacks of Phase 2 all of whose parts the same model played alone, in the order of their keys.

        The keys of their cells are added to `asked_for`; those of other memories are not.
        """
        before = {*self.asked_for}
        deltas = {delta.setting: delta for delta in self.deltas(game)}
        self.asked_for = before
        stacks = []
        for (model, _, system), full in deltas.items():
            kinds = self._parts.get(system, {})
            parts = [deltas[alone] for name, kind in kinds.items() if (alone := (model, kind.value, name)) in deltas]
            if parts and len(parts) == len(kinds):
                self._asked((full, *parts))
                stacks.append(Stack(full, tuple(parts)))
        return stacks

    def repeated(self, base: Delta) -> Iterator[Delta]:
        """A delta as it was measured again at other temperatures, in their order."""
        for key, real in sorted(self.repeats.items()):
            other = arm_of(self.repeats, key, base.other.key.arm)
            if msgspec.structs.replace(key, temperature="") == base.real.key and other:
                yield Delta(real, other)

    def has_trait(self, system: str, trait: Trait) -> bool:
        """True if the trait was declared of the system."""
        return trait in self.traits.get(system, frozenset())

    def architecture(self, system: str) -> Trait | None:
        """Retrieval architecture of the system, or None if none was declared."""
        return next((trait for trait in ARCHITECTURES if self.has_trait(system, trait)), None)

    def learned(self, cell: Cell) -> LearningOutcome:
        """Learning over a cell's results: half-points of games, chips of hands. Of a cell of the family, once.

        Tested of what the cell has more than its naked control at the same place, so that what changes for both in the
        course of a run (an endpoint that is updated, starts that grow harder) is not called learning.

        The draw has the name of the cell, so that a match, its score and its hypotheses have one τ. The test of a cell
        that is not of the family stands by itself.
        """
        if self._family.get(cell.key) is not cell:
            return self._learned(cell, None)
        if cell.key not in self._learning:
            self._learning[cell.key] = self._learned(cell, self._trends[cell.key])
        return self._learning[cell.key]

    def recovered(self, cell: Cell) -> tuple[RecoveryOutcome, ...]:
        """Recovery from each forced shift of a cell; of a cell of the family, once."""
        if not cell.shifts:
            return ()
        if self._family.get(cell.key) is not cell:
            return self._recovered(cell, None)
        if cell.key not in self._recoveries:
            self._recoveries[cell.key] = self._recovered(cell, self._shifts[cell.key])
        return self._recoveries[cell.key]

    @cached_property
    def _trends(self) -> dict[CellKey, TrendTest]:
        """The tests for learning of the whole family, corrected."""
        cells = self._family.values()
        tests = [trend_test(self._tested(cell), self.rule(cell), self._learning_seed(cell)) for cell in cells]
        return dict(zip(self._family, corrected_trends(tests, [self.rule(cell) for cell in cells]), strict=True))

    @cached_property
    def _shifts(self) -> dict[CellKey, list[ShiftTests]]:
        """The tests of all forced shifts of the family, corrected."""
        places, tests, rules = [], [], []
        for key, cell in self._family.items():
            course, less_control = self._course(cell), self._less_control(cell)
            seed = self._recovery_seed(cell)
            for test in shift_tests(course, cell.shifts, self.rule(cell), seed, less_control):
                places.append(key)
                tests.append(test)
                rules.append(self.rule(cell))
        tests_by_cell: dict[CellKey, list[ShiftTests]] = {key: [] for key in self._family}
        for key, test in zip(places, corrected_shifts(tests, rules), strict=True):
            tests_by_cell[key].append(test)
        return tests_by_cell

    def _course(self, cell: Cell) -> Course:
        return course(cell, load_protocol(self.constants.id).verdict.careers_min)

    def _tested(self, cell: Cell) -> Course:
        return self._less_control(cell) or self._course(cell)

    def _less_control(self, cell: Cell) -> Course | None:
        """The course of an arm less that of its naked control, result by result.

        None where it has none that is as long and has the same forced shifts. Too little where the harness drew the
        actions of either: beside a control that plays at random, an arm that only folds looks as if it learned.
        """
        control = arm_of(self._family, cell.key, Arm.NAKED) if cell.key.arm is not Arm.NAKED else None
        if control is None or len(control.course) != len(cell.course) or control.shifts != cell.shifts:
            return None
        is_too_little = self._course(cell).is_too_little or bool(cell.no_finding or control.no_finding)
        less = [own - other for own, other in zip(cell.course, control.course, strict=True)]
        if not cell.careers:
            return Course(less, is_too_little=is_too_little)
        return course_of(cell.by_career(less), is_too_little=is_too_little)

    def _learned(self, cell: Cell, trend: TrendTest | None) -> LearningOutcome:
        tested = self._less_control(cell)
        return learning(self._course(cell), self.rule(cell), self._learning_seed(cell), self.resamples, trend, tested)

    def _recovered(self, cell: Cell, tests: Sequence[ShiftTests] | None) -> tuple[RecoveryOutcome, ...]:
        seed = self._recovery_seed(cell)
        less_control = self._less_control(cell)
        return recoveries(self._course(cell), cell.shifts, self.rule(cell), seed, self.resamples, tests, less_control)

    def _learning_seed(self, cell: Cell) -> bytes:
        return self.seed(f"learning/{cell.key}")

    def _recovery_seed(self, cell: Cell) -> bytes:
        return self.seed(f"recovery/{cell.key}")

    def rule(self, cell: Cell) -> LearningRule:
        """Rule for detecting learning in a cell.

        With mirrored decks a value of its course is a hand and its mirror; with careers, a game of each.
        """
        rule, values = self.constants.learning.rules[cell.key.game], cell.results_per_step * max(1, cell.careers)
        if values == 1:
            return rule
        window = msgspec.structs.replace(rule.window, units=values * rule.window.units)
        return msgspec.structs.replace(rule, window=window)

    def probed(self, probe: Probe) -> Iterator[ProbeCell]:
        """The cells of one probe, in the order of their keys."""
        return iter(sorted((cell for cell in self.probes if cell.probe is probe), key=lambda cell: cell.key))

    def models(self, phase: int) -> list[str]:
        """The models with both games in a phase."""
        names = sorted({key.model for key in self.cells if key.phase == phase})
        return [name for name in names if all(self.of_model(name, game, phase) for game in SCORED_GAMES)]

    def of_model(self, model: str, game: str, phase: int) -> Cell | None:
        """A model's naked cell in a phase; its key is added to `asked_for`."""
        key = CellKey(model, game, phase)
        if key in self.cells:
            self.asked_for.add(key)
        return self.cells.get(key)

    def available(self) -> str:
        """Short summary of the available cells, and of the matches left out because their length was not fixed."""
        early = f"; of no fixed length: {', '.join(self._open_ended)}" if self._open_ended else ""
        if not self.cells:
            return f"no cells{early}"
        phases = sorted({key.phase for key in self.cells})
        kinds = sorted({f"{key.augmentation.value}/{key.arm.value}" for key in self.cells})
        games = [GAME_NAMES.get(game, game) for game in self.games if any(key.game == game for key in self.cells)]
        return f"phase {', '.join(map(str, phases))}, {', '.join(games)}, {', '.join(kinds)}{early}"
