"""Facts that the machine and its containers report about themselves: attested, only the images' digests are checked.

isolation "process"    the harness, its Python, the machine, the version that sealed the run
isolation "container"  the same as the harness's container saw it, the container engine, and every container of every
                       execution: image, limits that the engine enforces, exit code, whether it ran out of memory, its
                       peak, and how much of its log is kept; and every server outside of the containers
"""

import msgspec

from agzamov_verify import canon

from .containers.execution_record import Execution, executions
from .machine import about_machine
from .rundir import RunDirectory

FORMAT = "agz-environment-1"


def environment_of(directory: RunDirectory) -> dict[str, canon.Json]:
    """The environment of a run, as its bundle keeps it."""
    sealed_by: dict[str, canon.Json] = msgspec.to_builtins(directory.sealed_by)
    if directory.manifest.plan.isolation == "process":
        return {**about_machine(), "format": FORMAT, "isolation": "process", "sealed_by": sealed_by}
    executions_kept = [execution for _, execution in executions(directory)]
    last = executions_kept[-1] if executions_kept else Execution(())
    environment: dict[str, canon.Json] = {**last.environment}
    rows: list[canon.Json] = [
        {**msgspec.to_builtins(row), "execution": index}
        for index, execution in enumerate(executions_kept)
        for row in execution.containers
    ]
    outside: list[canon.Json] = [
        {**msgspec.to_builtins(row), "execution": index}
        for index, execution in enumerate(executions_kept)
        for row in execution.endpoints
    ]
    outcomes: list[canon.Json] = [execution.outcome for execution in executions_kept]
    return {
        **environment,
        "containers": rows,
        "container_engine": {**last.engine},
        "endpoints": outside,
        "format": FORMAT,
        "isolation": "container",
        "sealed_by": sealed_by,
        "executions": outcomes,
    }
