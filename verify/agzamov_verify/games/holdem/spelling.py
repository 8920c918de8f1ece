"""The spelling of actions, which the games of hold'em share: `poker.spelling`."""

from ...poker.spelling import read_action

__all__ = ["read_action"]
