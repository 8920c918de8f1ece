"""The published JSON Schemas are those of the types, and the documents of golden bundles fit them."""

import base64
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from script_modules import script

ROOT = Path(__file__).parents[1]
SCHEMAS = ROOT / "docs" / "spec" / "schemas"
GOLDEN = ROOT / "tests" / "bundles" / "golden"
BUNDLES = ("agz-0.1/bundle", "agz-0.1/systems", "arena-0.1/bundle", "people-0.1/bundle", "play-0.1/bundle")
FILES = {
    "analysis": "data/results/analysis.json",
    "calls": "data/results/calls.json",
    "environment": "data/environment.json",
    "envelope": "attest/run.dsse.json",
    "journal-index": "data/journal/index.json",
    "manifest": "data/manifest.json",
    "quality-figures": "data/quality/figures.json",
    "quality-index": "data/quality/index.json",
    "results": "data/results/results.json",
}
ATTESTED = ROOT / "tests" / "registration" / "attestations"
ATTESTATIONS = {"agreement-statement": ATTESTED / "agreement.json", "replay-statement": ATTESTED / "replay.json"}
LINES_LOOKED_AT = 40


WRITER = script("write_schema")


def validator(name: str) -> Draft202012Validator:
    """A validator that finds the schema of a plan beside that of a manifest."""
    plan = Resource.from_contents(json.loads((ROOT / "docs" / "formats" / "manifest.schema.json").read_text()))
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text())
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema, registry=Registry().with_resource(WRITER.PLAN, plan))


@pytest.mark.parametrize("name", sorted(WRITER.DOCUMENTS))
def test_a_schema_is_the_one_that_the_types_give(name: str) -> None:
    assert (SCHEMAS / f"{name}.schema.json").read_bytes() == WRITER.document_text(name), "run `make schema`"


def test_there_is_no_schema_of_no_type() -> None:
    assert {path.name.removesuffix(".schema.json") for path in SCHEMAS.iterdir()} == set(WRITER.DOCUMENTS)


def lines(path: Path) -> list[Any]:
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return [json.loads(line) for line in text.splitlines()[:LINES_LOOKED_AT]]


def payload_of(envelope: Path) -> Any:
    """The document that an envelope holds."""
    return json.loads(base64.b64decode(json.loads(envelope.read_text())["payload"]))


def documents(name: str) -> Iterator[Any]:
    """The golden documents of a type."""
    if name in ATTESTATIONS:
        yield payload_of(ATTESTATIONS[name])
    for bundle in (GOLDEN / one for one in BUNDLES):
        if name in FILES and (bundle / FILES[name]).exists():
            yield json.loads((bundle / FILES[name]).read_text())
        if name == "statement":
            yield payload_of(bundle / FILES["envelope"])
        if name == "execution-event":
            yield from lines(bundle / "data" / "executions.jsonl")
        folders = {"journal-entry": "journal", "call-record": "calls", "move-evaluation": "quality"}
        if name in folders:
            for path in sorted((bundle / "data" / folders[name]).rglob("*.gz")):
                yield from lines(path)
    if name == "question":
        rows = json.loads((ROOT / "docs" / "spec" / "vectors" / "questions.json").read_text())
        yield from (json.loads(row["text"]) for row in rows)


@pytest.mark.parametrize("name", sorted(WRITER.DOCUMENTS))
def test_golden_documents_fit_their_schema_and_with_one_defect_do_not(name: str) -> None:
    schema, found = validator(name), list(documents(name))
    assert found
    for document in found:
        assert not list(schema.iter_errors(document))
    first = found[0]
    required = set(first) - {key for key in first if schema.is_valid({k: v for k, v in first.items() if k != key})}
    assert required, "some field must be there"
    assert not schema.is_valid({**first, min(required): 1.5})
