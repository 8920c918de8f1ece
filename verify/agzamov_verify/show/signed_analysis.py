"""The analysis that a bundle holds, as whoever does not compute it again may show it.

Documents of a released protocol never change, so analysis.json has two faults of release 0.3.0 for ever: the interval
of an unpaired difference is cut to the bounds of one mean, and a ratio over careers has an interval where most careers
have nothing for it (docs/scoring.md, "Two faults"). Verification computes the right ones; here they are withheld.
"""

from typing import Any, Final

import msgspec

from ..bundle import ANALYSIS_FILE
from ..checks.opened_bundle import Opened
from ..protocols import documents
from ..scoring.analysis import Analysis
from ..scoring.inference.estimate import Estimate
from ..scoring.inference.unit_values import CAREERS

WITHHELD: Final = "0.3.0 made it wrong; verify computes the right one"
ENDS_OF_A_MEAN: Final = frozenset({"0.000000", "1.000000"})


def signed_analysis(opened: Opened) -> Analysis:
    """The analysis of a bundle, less intervals that may be wrong. Raises NotCanonical, HostileBundle."""
    protocol = opened.manifest.plan.protocol
    found: Analysis = _less_doubtful(
        documents.read(protocol, documents.ANALYSIS, opened.payload(ANALYSIS_FILE), Analysis)
    )
    return found


def _less_doubtful(value: Any) -> Any:
    if isinstance(value, Estimate):
        return msgspec.structs.replace(value, ci=None, ci_note=WITHHELD) if is_doubtful(value) else value
    if isinstance(value, msgspec.Struct):
        return type(value)(**{name: _less_doubtful(getattr(value, name)) for name in value.__struct_fields__})
    if isinstance(value, tuple):
        return tuple(map(_less_doubtful, value))
    if isinstance(value, dict):
        return {name: _less_doubtful(inner) for name, inner in value.items()}
    return value


def is_doubtful(value: Estimate) -> bool:
    """Whether the interval of an estimate of several samples ends where a mean does, or one career alone carries it."""
    if value.ci is None or len(value.n) == 1:
        return False
    return not ENDS_OF_A_MEAN.isdisjoint({value.ci.low, value.ci.high}) or (value.over == CAREERS and min(value.n) == 1)
