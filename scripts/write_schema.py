"""Writes docs/formats/manifest.schema.json from the types of a plan."""

from pathlib import Path

import msgspec

from agzamov_verify.plan.schema import plan_schema

TARGET = Path(__file__).parent.parent / "docs" / "formats" / "manifest.schema.json"


def schema_text() -> bytes:
    """The schema as it is published: indented, one line feed at the end."""
    return msgspec.json.format(msgspec.json.encode(plan_schema()), indent=2) + b"\n"


if __name__ == "__main__":
    TARGET.write_bytes(schema_text())
