"""Faults of local models: weights or a server that are not what a run needs or promised. Each is one line."""

from ..ports import PortFault


class ModelFault(PortFault):
    """The weights, their store or their server are not what was expected; the message says what to do."""
