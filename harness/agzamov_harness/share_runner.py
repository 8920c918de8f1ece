"""Plays one share of a run: its own streams; of the others' it follows those that decide which streams are played.

Where the gate of Phase 0 or a look of a declared rule decides, a share reads the journals of the other shares until
they are whole. Nothing else is exchanged: the shares see one folder, and each stream is one share's alone.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager

from agzamov_verify.checks.opened_bundle import seed_dice
from agzamov_verify.games.game import Block, StreamPlan
from agzamov_verify.manifest import Plan
from agzamov_verify.phases.early_stopping import stopping_rule
from agzamov_verify.phases.gate import is_gate
from agzamov_verify.script import Replay, drive
from agzamov_verify.streams import block_script, streams_of

from .dispatch import Ports
from .execution_log import ExecutionLog, logged, share_log
from .follow import followed
from .play_stream import Hooks, Played, unit_on_many_machines
from .ports import Clock
from .progress import State
from .run import Blocks, Runner, Stop
from .rundir import RunDirectory
from .shares import Share


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
        self._budget_usd /= share.count
        everything = (stream for match in self._plan.matches for stream in streams_of(match))
        state.will_not_play(stream for stream in everything if stream.id not in self._own)

    def _execution(self) -> AbstractContextManager[ExecutionLog]:
        return logged(share_log(self._directory.journal, self._share.name, self._own))

    def _pays(self, stream: str) -> bool:
        return stream in self._own

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

    def _played(self, stream: StreamPlan, hooks: Hooks) -> Played:
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
    dice = seed_dice(manifest, directory.secret)
    return drive(block_script(stream, manifest.plan, dice, manifest.memories), Replay(stream.id, entries))
