"""A share of a run: the streams that one of several processes plays, side by side with the others.

    share 0/3    the streams 0, 3, 6, … of one arm, 2, 5, 8, … of the next one: each share has streams of every arm

All shares of a run write into one folder, which they see by the same path or by different ones; no stream belongs to
two shares. Which streams a share has follows from the plan alone: one that is started again goes on with its own. Where
the gate of Phase 0 or a look of a declared rule decides, a share reads the journals of the other shares until they are
whole. Nothing else is exchanged.
On Kubernetes an Indexed Job plays them (`kubernetes_job`).
"""

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager

import msgspec

from agzamov_verify.core.journal import Entry
from agzamov_verify.core.script import Replay, drive
from agzamov_verify.plan.manifest import ManifestError, Plan
from agzamov_verify.plan.plan_problems import local_models
from agzamov_verify.plan.streams import block_script, streams_of
from agzamov_verify.scoring.early_stopping import stopping_rule
from agzamov_verify.scoring.gate import is_gate
from agzamov_verify.table.game import Block, StreamPlan

from ..ports import Clock
from ..run.budget import Budget, tokens_max_of
from ..run.dispatch import Ports
from ..run.execution_log import ExecutionLog, logged, share_log
from ..run.play_stream import Hooks, PlayedStream, unit_on_many_machines
from ..run.progress import State
from ..run.recorder import followed
from ..run.run_folder import RunDirectory
from ..run.runner import Blocks, Runner
from ..run.stop import Stop

COUNT_MAX = 10_000
SPELLING = re.compile(r"(0|[1-9][0-9]{0,4})/([1-9][0-9]{0,4})")


class Share(msgspec.Struct, frozen=True):
    """Share number `index` of `count`, from 0 on."""

    index: int
    count: int

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"

    @property
    def name(self) -> str:
        """Its name as part of a file's."""
        return f"{self.index}-of-{self.count}"

    def streams(self, plan: Plan) -> frozenset[str]:
        """The ids of its streams: of each match every `count`-th, of the next match from the next share on.

        So a share has all arms of an experiment side by side, wherever an arm has as many streams as there are shares:
        arms that each had a share of its own would be told apart by machine and time.
        """
        return frozenset(
            stream.id
            for number, match in enumerate(plan.matches)
            for place, stream in enumerate(streams_of(match))
            if (place + number) % self.count == self.index
        )


def share_of(text: str) -> Share:
    """The share that "I/N" spells. Raises ValueError."""
    match = SPELLING.fullmatch(text)
    share = Share(int(match[1]), int(match[2])) if match else Share(0, 0)
    if not 0 <= share.index < share.count <= COUNT_MAX:
        raise ValueError(f"expected I/N with I from 0 to N - 1 and N up to {COUNT_MAX}, found {text!r}")
    return share


def require_spreadable(plan: Plan) -> None:
    """Raises ManifestError for a plan that only one machine can play."""
    if plan.isolation != "process":
        raise ManifestError(
            "isolation: expected process, found container: a container engine plays all of a run on its own machine"
        )
    for name in (name for name, one in plan.playing.items() if one.is_person):
        raise ManifestError(f"seats.{name}: a person is asked on a page of one machine; play it with agzamov run")
    for name, seat in local_models(plan).items():
        raise ManifestError(
            f"seats.{name}: expected a scripted player, Stockfish or an endpoint, found kind {seat.kind}: weights and"
            " determinism of a local model are checked on one machine; serve it as an endpoint (kind: openai), or play"
            " it with agzamov run"
        )


class ShareRunner(Runner):
    """Plays the streams of one share. It may spend the budget divided by the number of shares."""

    def __init__(
        self,
        directory: RunDirectory,
        ports: Ports,
        clock: Clock,
        state: State,
        stop: Stop,
        concurrency: int,
        *,
        share: Share,
    ) -> None:
        self._share, self._own = share, share.streams(directory.manifest.plan)
        super().__init__(directory, ports, clock, state, stop, concurrency)
        everything = (stream for match in self._plan.matches for stream in streams_of(match))
        state.will_not_play(stream for stream in everything if stream.id not in self._own)

    def _execution(self) -> AbstractContextManager[ExecutionLog]:
        return logged(share_log(self._directory.journal, self._share.name, self._own))

    def _budget_of(self, entries: Iterable[Entry]) -> Budget:
        budget = Budget(
            self._plan.budget.cost_usd_max, self._state.cost_of, tokens_max_of(self._plan), self._share.count
        )
        budget.pay_recorded(entry for entry in entries if entry.stream in self._own)
        return budget

    def _will_not_play(self, streams: Iterable[StreamPlan]) -> None:
        super()._will_not_play(stream for stream in streams if stream.id in self._own)

    def _play_all(self, streams: Sequence[StreamPlan], blocks: Blocks) -> None:
        played: Blocks = {}
        super()._play_all([stream for stream in streams if stream.id in self._own], played)
        own = {name: iter(of_match) for name, of_match in played.items()}
        for stream in streams:
            name = stream.match.id
            block = next(own[name]) if stream.id in self._own else self._of_another(stream)
            blocks.setdefault(name, []).append(block)

    def _plays(self, stream: StreamPlan) -> bool:
        return stream.id in self._own

    def _played(self, stream: StreamPlan, hooks: Hooks) -> PlayedStream:
        return self._streams.play(stream, hooks, unit_on_many_machines(stream, self._plan))

    def _of_another(self, stream: StreamPlan) -> Block:
        """The block of another share's stream; an empty one where nothing depends on it."""
        if not decides(stream, self._plan):
            return Block(stream.first, ())
        return followed_to_its_end(self._directory, stream, self._stop.wait)


def decides(stream: StreamPlan, plan: Plan) -> bool:
    """True if later streams depend on the results of this one."""
    if stopping_rule(stream.match, plan) is not None:
        return True
    return is_gate(plan, stream.match.phase) and any(not is_gate(plan, match.phase) for match in plan.matches)


def has_decisions(plan: Plan) -> bool:
    """True if some stream of a plan decides which later streams are played."""
    return any(stopping_rule(match, plan) for match in plan.matches) or {True, False} <= {
        is_gate(plan, match.phase) for match in plan.matches
    }


def followed_to_its_end(directory: RunDirectory, stream: StreamPlan, wait: Callable[[float], object]) -> Block:
    """The block of a stream that another process plays, once its journal is whole. Raises BrokenJournal, Divergence."""
    manifest = directory.manifest
    entries = followed(directory.journal, manifest.run_id, stream.id, wait)
    dice = directory.dice
    return drive(block_script(stream, manifest.plan, dice, manifest.memories), Replay(stream.id, entries))
