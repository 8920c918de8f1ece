"""Writes `formats.json` of a protocol that is not released: the fields of its documents, the names of its prompts.

    python scripts/write_formats.py [PROTOCOL ...]

Without a name, of all that are not released. A field is part of a protocol from the moment that this has been run; of a
released one it refuses.
"""

import re
import sys
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Final

import msgspec

import agzamov_verify.protocols
from agzamov_verify.plan.manifest import Manifest, all_digests
from agzamov_verify.protocols import PROTOCOLS, RELEASED
from agzamov_verify.protocols.document_shape import shape_of
from agzamov_verify.protocols.protocol_version import Formats, ProtocolVersion
from agzamov_verify.scoring.analysis import Analysis
from agzamov_verify.scoring.call_records import CallTable
from agzamov_verify.scoring.results import Results
from agzamov_verify.systems import System, ToolsSystem
from agzamov_verify.table.registry import GAMES

FOLDER = Path(agzamov_verify.protocols.__file__).parent
DOCUMENTS: Final = {"manifest": Manifest, "results": Results, "calls": CallTable, "analysis": Analysis}
TOOLS: Final = ToolsSystem()
"""A system with a tool, so that the texts of the games' tools are among those that are named."""


def formats_text(version: ProtocolVersion) -> bytes:
    """`formats.json` as the types and texts are today, with the games of the version alone."""
    others = GAMES.keys() - set(version.games)
    shapes = {name: _without(others, shape_of(kind)) for name, kind in DOCUMENTS.items()}
    of_systems = {name for kind in System.__subclasses__() for name in kind.shipped_templates()}
    formats = Formats(**shapes, prompts=tuple(sorted({*all_digests(version.games, [TOOLS]), *of_systems})))
    lines = [f'"{name}":{{\n{_places(getattr(formats, name))}\n}}' for name in sorted(shapes)]
    prompts = ",\n".join(f'"{name}"' for name in formats.prompts)
    return f'{{{",".join(lines)},"prompts":[\n{prompts}\n]}}\n'.encode()


def _places(shape: Mapping[str, tuple[str, ...]]) -> str:
    """One line for each place, so that a new field is a line of the difference."""
    return ",\n".join(f'"{place}":{msgspec.json.encode(fields).decode()}' for place, fields in shape.items())


def _without(games: AbstractSet[str], shape: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """A shape without the rules, matches and figures of these games."""
    gone = re.compile(rf"(?:^plan\.|:)(?:{'|'.join(sorted(games))})(?:\.|$)")
    return {
        place: tuple(field for field in fields if place != "plan" or field not in games)
        for place, fields in shape.items()
        if not (games and gone.search(place))
    }


def main(names: list[str]) -> None:
    """Write those of the named protocols, or of all that are not released."""
    if not names:
        told = f"not written, since their folders never change: formats.json of {', '.join(RELEASED)} (released)"
        print(told)
    for name in names or [name for name in PROTOCOLS if name not in RELEASED]:
        if name in RELEASED:
            sys.exit(f"{name} is released: its folder never changes; what is new belongs to a new protocol version")
        (FOLDER / PROTOCOLS[name].folder / "formats.json").write_bytes(formats_text(PROTOCOLS[name]))


if __name__ == "__main__":
    main(sys.argv[1:])
