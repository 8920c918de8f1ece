"""JSON Schema 2020-12 of a plan, made from its types; published as docs/formats/manifest.schema.json.

A game that no protocol has yet is left out: no plan may name it.
"""

from typing import Any, Final

import msgspec

from ..protocols import PROTOCOLS
from ..table.registry import GAMES
from .manifest import Plan

DRAFT = "https://json-schema.org/draft/2020-12/schema"
OF_NO_PROTOCOL: Final = GAMES.keys() - {game for version in PROTOCOLS.values() for game in version.games}


def plan_schema() -> dict[str, Any]:
    """The schema, with tagged unions as if/then so that an error names the key at fault."""
    schema = _rewritten(msgspec.json.schema(Plan))
    schema["$defs"]["Pattern"] = {
        "title": "Pattern",
        "description": "A pattern of a game, by the name that a manifest uses.",
        "enum": sorted({pattern for name in GAMES.keys() - OF_NO_PROTOCOL for pattern in GAMES[name].patterns}),
    }
    for name in OF_NO_PROTOCOL:
        del schema["$defs"]["Plan"]["properties"][name]
        del schema["$defs"][GAMES[name].match.__name__]
    return {"$schema": DRAFT, **schema}


def _rewritten(node: Any) -> Any:
    if isinstance(node, list):
        return [_rewritten(item) for item in node]
    if not isinstance(node, dict):
        return node
    node = {key: _rewritten(value) for key, value in node.items()}
    if "discriminator" in node:
        mapping = node["discriminator"]["mapping"]
        known = {name: reference for name, reference in mapping.items() if name not in OF_NO_PROTOCOL}
        return _tagged(node["discriminator"]["propertyName"], known)
    if node.get("format") == "decimal-text":
        return {**node, "type": ["string", "integer"]}
    if node.get("format") == "pattern-name":
        return {"$ref": "#/$defs/Pattern"}
    return node


def _tagged(tag: str, mapping: dict[str, str]) -> dict[str, Any]:
    branches = [
        {"if": {"required": [tag], "properties": {tag: {"const": name}}}, "then": {"$ref": reference}}
        for name, reference in sorted(mapping.items())
    ]
    return {"type": "object", "required": [tag], "properties": {tag: {"enum": sorted(mapping)}}, "allOf": branches}
