"""Records and summaries: the signed figures in the words of other people's schemas, and no surer than they are."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from click.testing import CliRunner, Result

from agzamov_harness.cli import main
from agzamov_verify.checks.check_log import CheckLog
from agzamov_verify.checks.opened_bundle import open_bundle
from agzamov_verify.core.questions import Answer, Chat, Question
from agzamov_verify.plan.manifest import Plan
from bundles.bundle_factory import MODEL, SEATS, TINY, Draft, engine_path, make, reseal, world_of
from bundles.make_golden import GOLDEN

HOSTILE = '</script>\u202e=cmd "\\'
SESSIONS = 16
MODELS: dict[str, Any] = {
    **TINY,
    "title": HOSTILE,
    "seats": {**SEATS, "agent": {**MODEL, "model": "maker/model-1", "temperature": "0.5"}},
    "matches": [
        *TINY["matches"],
        {"phase": 1, "game": "holdem", "a": "other", "b": "other", "hands": 2, "block_hands": 2},
    ],
}
MODELS["matches"][1] = {**MODELS["matches"][1], "hands": 2 * SESSIONS}

TEXT = {"type": "string", "minLength": 1}
TEXTS = {"type": "object", "additionalProperties": {"type": "string"}}
BOUND = {"anyOf": [{"type": "number"}, {"enum": ["Infinity", "-Infinity"]}]}


def closed(required: dict[str, Any], optional: dict[str, Any] | None = None) -> dict[str, Any]:
    properties = {**required, **(optional or {})}
    return {"type": "object", "properties": properties, "required": [*required], "additionalProperties": False}


INTERVAL = closed(
    {"lower": {"type": "number"}, "upper": {"type": "number"}, "confidence_level": {"const": 0.95}, "method": TEXT}
)
UNCERTAINTY = closed(
    {"num_samples": {"type": "integer", "minimum": 1}},
    {"confidence_interval": INTERVAL, "standard_deviation": {"type": "number", "minimum": 0}},
)
DETAILS = {
    **TEXTS,
    "required": ["deployment_type", "model_availability"],
    "properties": {
        "deployment_type": {"enum": ["self_deployed", "externally_managed", "unknown"]},
        "model_availability": {"enum": ["open_weights", "closed_weights", "unknown"]},
    },
}
RESULT = closed(
    {
        "evaluation_result_id": TEXT,
        "evaluation_name": TEXT,
        "source_data": closed(
            {"dataset_name": TEXT, "source_type": {"const": "other"}, "additional_details": TEXTS},
        ),
        "metric_config": closed(
            {
                "evaluation_description": TEXT,
                "metric_id": TEXT,
                "metric_name": TEXT,
                "metric_unit": TEXT,
                "lower_is_better": {"type": "boolean"},
                "score_type": {"const": "continuous"},
                "min_score": BOUND,
                "max_score": BOUND,
            }
        ),
        "score_details": closed({"score": {"type": "number"}, "details": TEXTS, "uncertainty": UNCERTAINTY}),
        "generation_config": closed(
            {
                "generation_args": closed({"temperature": {"type": "number"}, "max_tokens": {"type": "integer"}}),
                "additional_details": TEXTS,
            }
        ),
    }
)
RECORD = closed(
    {
        "schema_version": {"const": "0.3.0"},
        "evaluation_id": TEXT,
        "retrieved_timestamp": {"type": "string", "pattern": "^[0-9]+$"},
        "source_metadata": closed(
            {
                "source_name": TEXT,
                "source_type": {"const": "evaluation_run"},
                "source_organization_name": TEXT,
                "evaluator_relationship": {"enum": ["first_party", "third_party", "collaborative", "other"]},
                "additional_details": TEXTS,
            }
        ),
        "eval_library": closed({"name": TEXT, "version": TEXT}),
        "model_info": closed({"name": TEXT, "id": TEXT, "additional_details": DETAILS}),
        "evaluation_results": {"type": "array", "items": RESULT, "minItems": 1},
    }
)
"""Our own reading of what the schema of Every Eval Ever, 0.3.0, asks of the fields that we write."""


def exported(bundle: Path, to: str, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["export", str(bundle), "--to", to, *arguments])


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle of a model that plays itself, as the reference player does."""
    seats = world_of(msgspec.convert(TINY, Plan), None)

    def answer(question: Question) -> Answer:
        assert isinstance(question, Chat)
        return seats(question)

    return make(MODELS, tmp_path_factory.mktemp("models"), answer)


def test_a_record_is_valid_and_says_the_signed_figures(models: Path) -> None:
    (line,) = exported(models, "every-eval-ever").stdout.splitlines()
    assert line.isascii()
    record = json.loads(line)
    jsonschema.validate(record, RECORD)
    opened = open_bundle(models, CheckLog())
    digest, claims = opened.statement.subject[0].digest.sha256, opened.statement.predicate.claims
    assert record["source_metadata"]["additional_details"]["content_hash"] == f"sha256:{digest}"
    assert record["source_metadata"]["additional_details"]["title"] == HOSTILE
    assert record["evaluation_id"] == f"agzamov/maker/model-1/{digest}"
    scores = {
        row["evaluation_result_id"].partition("/")[2]: row["score_details"] for row in record["evaluation_results"]
    }
    assert {match: told["score"] for match, told in scores.items()} == {
        "p1-chess960-naked-agent": float(claims["p1-chess960-naked-agent/score"]),
        "p1-holdem-naked-agent": float(claims["p1-holdem-naked-agent/bb_per_100"]),
    }
    chess, hands = scores["p1-chess960-naked-agent"], scores["p1-holdem-naked-agent"]
    assert "confidence_interval" not in chess["uncertainty"]
    assert chess["details"]["no_interval_because"]
    interval = hands["uncertainty"]["confidence_interval"]
    assert interval["lower"] < hands["score"] < interval["upper"]
    assert hands["uncertainty"]["num_samples"] == SESSIONS


def test_one_match_is_one_result(models: Path) -> None:
    record = json.loads(exported(models, "every-eval-ever", "--match", "p1-holdem-naked-agent").stdout)
    assert [row["evaluation_result_id"].partition("/")[2] for row in record["evaluation_results"]] == [
        "p1-holdem-naked-agent"
    ]


def test_scripted_players_have_no_record() -> None:
    ended = exported(GOLDEN / "bundle", "every-eval-ever")
    assert (ended.exit_code, len(ended.stderr.splitlines())) == (2, 1)
    assert "no language model in seat A here" in ended.stderr


def test_a_summary_is_about_the_signed_digest_and_says_that_it_is_not_signed(models: Path) -> None:
    ended = exported(models, "in-toto")
    assert ended.exit_code == 0, ended.output
    statement, opened = json.loads(ended.stdout), open_bundle(models, CheckLog())
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    assert statement["subject"] == [
        {"name": "manifest-sha256.txt", "digest": {"sha256": opened.statement.subject[0].digest.sha256}}
    ]
    told = statement["predicate"]
    assert (told["level"], told["levelMeaning"][:15]) == ("V1", "Self-consistent")
    assert told["unsigned"].startswith("This summary is not signed.")
    assert told["samples"]["merkleRoot"] == opened.statement.predicate.journal.root
    assert told["claims"] == [], "who plays itself claims nothing"


@pytest.mark.slow
@pytest.mark.skipif(engine_path() is None, reason="no Stockfish 15.1 here")
def test_a_summary_claims_the_result_of_each_contest_and_of_no_baseline() -> None:
    ended = exported(GOLDEN / "bundle", "in-toto")
    assert ended.exit_code == 0, ended.output
    claims = json.loads(ended.stdout)["predicate"]["claims"]
    plan = open_bundle(GOLDEN / "bundle", CheckLog()).manifest.plan
    contests = [match.id for match in plan.matches if not match.is_self_play]
    assert [claim["match"] for claim in claims] == contests
    assert not any(claim["passed"] for claim in claims if "interval" not in claim)


def test_a_bundle_whose_figures_do_not_hold_has_no_summary(models: Path, tmp_path: Path) -> None:
    draft = Draft.of(models)
    results = draft.json("data/results/results.json")
    results["departures"] = []
    draft.put_json("data/results/results.json", results)
    reseal(draft)
    forged = draft.write(tmp_path)
    ended = exported(forged, "in-toto", "--out", str(tmp_path / "summary.json"))
    assert (ended.exit_code, len(ended.stderr.splitlines())) == (1, 1)
    assert "the bundle fails verification; `agzamov verify` says where" in ended.stderr
    assert not (tmp_path / "summary.json").exists()
