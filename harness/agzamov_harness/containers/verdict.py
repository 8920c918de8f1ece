"""What a sitting came to, from how its containers ended."""

from collections.abc import Iterator, Mapping

from .engine import PAUSED, Ending
from .topology import MIB, Topology

EXIT_STOPPED = 4
SIGNAL_BASE = 128


def outcome(
    planned: Topology, endings: Mapping[str, Ending], stopped: Mapping[str, Ending], trouble: str, complaint: str
) -> str:
    """What went wrong, in words, the cause before what it led to; empty if nothing did.

    `endings` is how the containers stood when the harness had ended, `stopped` how those ended that we stopped then.
    `trouble` is why the harness was told to stop; `complaint`, what it said itself, is no news after that. A process
    that is killed for its memory inside a container may leave an exit code of 0, and only a mark, which is a failure.
    """
    told = [trouble, *_ends(planned, endings, stopped)]
    if endings[planned.harness.name].exit_code and not trouble:
        told.append(complaint)
    return "; ".join(dict.fromkeys(line for line in told if line))


def _ends(planned: Topology, endings: Mapping[str, Ending], stopped: Mapping[str, Ending]) -> Iterator[str]:
    for box in planned.boxes:
        if stopped.get(box.name, endings[box.name]).oom_killed:
            yield f"container {box.name} ran out of its {box.limits.memory_bytes // MIB} MiB of memory"
    for box in planned.servers:
        ending = endings[box.name]
        if ending.state == PAUSED:
            yield f"container {box.name} is paused"
        elif not ending.running:
            yield f"container {box.name} ended with exit code {ending.exit_code}"
    box, ending = planned.harness, endings[planned.harness.name]
    if not ending.oom_killed and ending.exit_code > SIGNAL_BASE:
        yield f"container {box.name} was killed by signal {ending.exit_code - SIGNAL_BASE}"
