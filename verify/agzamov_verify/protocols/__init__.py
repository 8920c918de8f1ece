"""The protocol versions that there are: one folder and one line here for each.

A folder holds all that its version fixes: norms and constants (`norms.json`, `score.json`, `quality.json`), the games
and the phases (`PROTOCOL` in `__init__.py`), and the fields of its documents and names of its prompts
(`formats.json`). Whatever depends on the version of a run is looked up here by the protocol of its manifest, never by
what is installed. A released folder never changes: docs/decisions/0067.
"""

from collections.abc import Mapping
from typing import Final

from .protocol_version import ProtocolVersion as ProtocolVersion

# isort: off
from .agz_0_1 import PROTOCOL as AGZ_0_1
from .arena_0_1 import PROTOCOL as ARENA_0_1
from .people_0_1 import PROTOCOL as PEOPLE_0_1
from .play_0_1 import PROTOCOL as PLAY_0_1
# isort: on

PROTOCOLS: Final[Mapping[str, ProtocolVersion]] = {
    version.id: version for version in tuple(vars().values()) if isinstance(version, ProtocolVersion)
}
"""The versions by their id."""

CURRENT: Final = AGZ_0_1.id
"""The version of a plan that names none."""

RELEASED: Final[Mapping[str, str]] = {}
"""Released versions, with the digest of their folder (`folder_sha256`). None yet: 0.2.0 is withdrawn."""

CLOSED: Final = frozenset({AGZ_0_1.id})
"""Versions that get no further field or prompt, though they are not released: signed bundles of them are kept."""
