"""Who chose the seed of a run, in words: what a reader must know of the luck in its figures."""

from typing import Final

from ...core.columns import quoted
from ...plan.manifest import Manifest

SEED_SELF: Final = "The submitter chose the seed: this may be the best of many runs."


def seed_words(manifest: Manifest) -> str:
    """The origin of the seed, and its consequence."""
    seed = manifest.plan.seed
    if seed.origin == "self":
        return SEED_SELF
    if seed.origin == "beacon":
        return (
            f"The seed is mixed with the beacon round {quoted(seed.value)}. Level V2 checks that the beacon signed it,"
            " and only after the run was registered: then nobody could choose the seed."
        )
    return (
        f"The seed is mixed with the season's value {quoted(seed.value)} (origin season), but its secret part"
        " was the submitter's: this may be the best of many runs."
    )
