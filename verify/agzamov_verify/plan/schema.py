"""JSON Schema 2020-12 of a plan, made from its types; published as docs/formats/manifest.schema.json."""

from typing import Any

import msgspec

from ..table.registry import GAMES
from .manifest import Plan

DRAFT = "https://json-schema.org/draft/2020-12/schema"


def plan_schema() -> dict[str, Any]:
    """The schema, with tagged unions as if/then so that an error names the key at fault."""
    schema = _rewritten(msgspec.json.schema(Plan))
    schema["$defs"]["Pattern"] = {
        "title": "Pattern",
        "description": "A pattern of a game, by the name that a manifest uses.",
        "enum": sorted({pattern for game in GAMES.values() for pattern in game.patterns}),
    }
    return {"$schema": DRAFT, **schema}


def _rewritten(node: Any) -> Any:
    if isinstance(node, list):
        return [_rewritten(item) for item in node]
    if not isinstance(node, dict):
        return node
    node = {key: _rewritten(value) for key, value in node.items()}
    if "discriminator" in node:
        return _tagged(node["discriminator"]["propertyName"], node["discriminator"]["mapping"])
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
