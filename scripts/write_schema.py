"""Writes JSON Schemas from the types: of a plan to docs/formats, of a bundle's documents to docs/spec/schemas."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from agzamov_verify.attestations.agreement_statement import AgreementStatement
from agzamov_verify.attestations.replay_statement import ReplayStatement
from agzamov_verify.bundle import Environment, Index
from agzamov_verify.core.envelope import Envelope, Statement
from agzamov_verify.core.execution_log import Event
from agzamov_verify.core.journal import Entry
from agzamov_verify.core.questions import Question
from agzamov_verify.plan.manifest import Manifest
from agzamov_verify.plan.schema import DRAFT, plan_schema
from agzamov_verify.scoring.analysis import Analysis
from agzamov_verify.scoring.call_records import CallRecord, CallTable
from agzamov_verify.scoring.quality.quality_figures import QualityIndex, QualityResults
from agzamov_verify.scoring.quality.quality_questions import MoveEvaluation
from agzamov_verify.scoring.results import Results

DOCS: Final = Path(__file__).parent.parent / "docs"
TARGET: Final = DOCS / "formats" / "manifest.schema.json"
FOLDER: Final = DOCS / "spec" / "schemas"
PLAN: Final = "../../formats/manifest.schema.json"
DOCUMENTS: Final[Mapping[str, Any]] = {
    "agreement-statement": AgreementStatement,
    "analysis": Analysis,
    "call-record": CallRecord,
    "calls": CallTable,
    "environment": Environment,
    "envelope": Envelope,
    "execution-event": Event,
    "journal-entry": Entry,
    "journal-index": Index,
    "manifest": Manifest,
    "move-evaluation": MoveEvaluation,
    "quality-figures": QualityResults,
    "quality-index": QualityIndex,
    "question": Question,
    "replay-statement": ReplayStatement,
    "results": Results,
    "statement": Statement,
}
"""Documents of a bundle, statements of others about it, and lines of those that are lists of lines.

A question is in no file: its digest is.
"""


def schema_text() -> bytes:
    """The schema of a plan as it is published: indented, one line feed at the end."""
    return _published(plan_schema())


def document_text(name: str) -> bytes:
    """The schema of one document. A manifest's names that of its plan, which a person writes."""
    schema = msgspec.json.schema(DOCUMENTS[name])
    if name == "manifest":
        schema["$defs"]["Plan"] = {"$ref": PLAN}
    reached = _reached(schema, schema.get("$defs", {}))
    if "$defs" in schema:
        schema["$defs"] = {kind: part for kind, part in schema["$defs"].items() if kind in reached}
    return _published({"$schema": DRAFT, **schema})


def _published(schema: dict[str, Any]) -> bytes:
    return msgspec.json.format(msgspec.json.encode(schema), indent=2) + b"\n"


def _reached(schema: dict[str, Any], kinds: dict[str, Any]) -> set[str]:
    """The names of the types that are needed, those within others included."""
    waiting = list(_named({key: part for key, part in schema.items() if key != "$defs"}))
    reached = set[str]()
    while waiting:
        kind = waiting.pop()
        if kind not in reached:
            reached.add(kind)
            waiting.extend(_named(kinds[kind]))
    return reached


def _named(node: Any) -> Iterator[str]:
    """Types of `$defs` that a part of a schema names."""
    for reference in json.dumps(node).split('"#/$defs/')[1:]:
        yield reference.partition('"')[0]


def main() -> None:
    """Write every schema."""
    TARGET.write_bytes(schema_text())
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in DOCUMENTS:
        (FOLDER / f"{name}.schema.json").write_bytes(document_text(name))


if __name__ == "__main__":
    main()
