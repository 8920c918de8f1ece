"""Rules of admission to a leaderboard, as its maintainers declare them in a YAML file.

title: Memory for agents
keys:                      # submitters by name: the id of each one's key, as `agzamov keygen` prints it
  ada: 5a09d04bf611e1c42a4a65ecace4b34c2b1bccfb8e0666bd9135ed5933c21adc
level: V1                  # the least level that is ranked
departures: false          # rank plans that depart from their protocol too
bundle_mib_max: 200
"""

from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from agzamov_verify.manifest import ManifestError
from agzamov_verify.plan_types import Line

from ..checked_yaml import load_yaml, read_limited, require_schema

KeyId = Annotated[
    str, Meta(pattern=r"^[0-9a-f]{64}$", description="the id of a key: 64 hexadecimal digits, as keygen prints it")
]
Mebibytes = Annotated[int, Meta(ge=1, le=100_000)]


class Policy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A leaderboard's rules. `keys`: only bundles that one of these keys signed are ranked."""

    title: Line
    keys: dict[str, KeyId]
    level: Literal["V0", "V1"] = "V1"
    departures: bool = False
    bundle_mib_max: Mebibytes = 200


def load_policy(path: Path) -> Policy:
    """The policy in a file. Raises ManifestError with the place of each problem."""
    text = read_limited(path)
    try:
        wished = load_yaml(text, "policy")
        require_schema(wished, msgspec.json.schema(Policy), "policy")
        return msgspec.convert(wished, Policy)
    except (ManifestError, msgspec.ValidationError) as error:
        raise ManifestError(f"{path}: {error}") from error
