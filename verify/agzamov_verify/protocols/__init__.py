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

RELEASED: Final[Mapping[str, str]] = {
    AGZ_0_1.id: "38b0c1ab4a8b3d55de4e44982bd3f7cd771e82393b705462877121c0487b0f59",
    ARENA_0_1.id: "1557b3ca725d0d6c37593a7bc9f33ec6edf751fe0655a374c4127b2f5d41f85b",
}
"""Released versions, with the digest of their folder (`folder_sha256`). The others are drafts."""


def is_draft(protocol: str) -> bool:
    """True of a version that may still change, or go: later releases of this program may refuse its bundles."""
    return protocol in PROTOCOLS and protocol not in RELEASED


def version_words(protocol: str) -> str:
    """The name of a protocol, and where it is a draft, what that means."""
    return f"{protocol} (a draft: a later verifier may refuse its bundles)" if is_draft(protocol) else protocol
