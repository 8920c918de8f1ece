"""Documents of one's own: read with the plan, sealed whole, told as the shipped ones are, and refused where wrong."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from agzamov_harness.seal import read_plan, seal
from agzamov_verify.dice import Dice
from agzamov_verify.documents.own_documents import CHARACTERS_MAX
from agzamov_verify.experiment import Arm
from agzamov_verify.manifest import ManifestError, Plan
from agzamov_verify.systems import RagSystem
from bundles.bundle_factory import check, make, told

HEAD = "My openings\nSources of the facts: my own games.\n---\n"
ROOKS = (
    "Rooks belong on open files, where no pawn stands in their way. In the endgame a rook behind a passed pawn is worth"
    " more than one in front of it, whoever the pawn belongs to; and a rook on the seventh rank ties down the king and"
    " the pawns that have not moved yet."
)
KINGS = (
    "In the endgame the king is a fighting piece: bring it to the middle of the board once the queens are gone. In the"
    " middlegame leave it where pawns stand before it, and do not move these pawns without need, since each move of"
    " theirs leaves a hole behind."
)
DOCUMENT = f"{HEAD}{ROOKS}\n\n{KINGS}\n"
SYSTEM = {"kind": "rag", "documents": "books/"}
MATCH = {"phase": 2, "game": "chess960", "a": "random", "b": "random", "games": 2}


def plan(system: dict[str, Any] = SYSTEM, **match: Any) -> dict[str, Any]:
    arms: list[dict[str, Any]] = [{}, {"arm": "placebo", "system": "mine"}, {"arm": "real", "system": "mine"}]
    return {
        "title": "My documents",
        "seats": {"random": {"kind": "random"}},
        "systems": {"mine": system},
        "chess960": {"adjudication": {"policy": "none"}, "plies_max": 8},
        "matches": [{**MATCH, **match, "condition": {"augmentation": "rag", **arm}} for arm in arms],
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "books").mkdir()
    (tmp_path / "books" / "chess960.txt").write_text(DOCUMENT)
    return tmp_path


def read(folder: Path, wished: dict[str, Any] | None = None) -> Plan:
    (folder / "plan.yaml").write_text(yaml.safe_dump(wished or plan()))
    return read_plan(folder / "plan.yaml")


def refused(folder: Path, why: str, wished: dict[str, Any] | None = None) -> None:
    with pytest.raises(ManifestError) as raised:
        seal(read(folder, wished), "ab" * 32, None)
    assert why in str(raised.value), raised.value


def test_the_texts_are_sealed_with_the_plan_whatever_ends_their_lines(folder: Path) -> None:
    manifest, _ = seal(read(folder), "ab" * 32, None)
    system = manifest.plan.systems["mine"]
    assert isinstance(system, RagSystem)
    assert system.texts == {"chess960": DOCUMENT}
    assert "books/ of the plan's own (SHA-256 chess960 " in system.words
    assert [name for name in manifest.prompts_sha256 if name.startswith("documents/own/")]
    (folder / "books" / "chess960.txt").write_bytes(b"\xef\xbb\xbf" + DOCUMENT.replace("\n", "\r\n").encode())
    assert seal(read(folder), "ab" * 32, None)[0].plan == manifest.plan


def test_its_passages_are_told_and_the_placebos_are_as_many_and_as_long(folder: Path) -> None:
    system = read(folder).systems["mine"]
    real, placebo = system.library(Arm.REAL, "chess960"), system.library(Arm.PLACEBO, "chess960")
    assert real
    assert placebo
    dice = Dice(bytes(32)).stream("x")
    lines = [one.told("endgame rook", dice).splitlines() for one in (real, placebo)]
    assert lines[0] == [f"- {ROOKS}", f"- {KINGS}"]
    assert len(lines[1]) == 2
    for own, other in zip(*lines, strict=True):
        assert own != other
        assert 100 * abs(len(own) - len(other)) <= 2 * len(own)


def test_a_run_with_them_is_verified_without_the_folder(folder: Path) -> None:
    wished = plan({**SYSTEM, "texts": {"chess960": DOCUMENT}})
    verdict = check(make(wished, folder))
    assert verdict.level == "V1", told(verdict)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Only a title\n", "found no line --- with passages below it"),
        (HEAD, "found no line --- with passages below it"),
        (f"{HEAD}{ROOKS}\n\n{ROOKS}\n", "expected passages that differ, found one twice"),
        (
            f"{HEAD}{ROOKS}\n\nToo short.\n",
            "passage 2: its 10 characters are a length of which the placebo has",
        ),
        (HEAD + "x" * 2100, "passage 1: expected at most 2,000 bytes with its mark (bytes_max), found 2,103"),
        (f"{HEAD}{ROOKS[:-1]}\x07\n", "passage 1: expected printable characters, found another"),
        ("x" * (CHARACTERS_MAX + 1), "expected at most 100,000 characters, found more"),
    ],
)
def test_a_document_with_one_fault_is_refused_with_its_place(folder: Path, text: str, why: str) -> None:
    (folder / "books" / "chess960.txt").write_text(text)
    refused(folder, why)


def test_what_is_no_text_or_is_not_there_is_refused(folder: Path) -> None:
    (folder / "books" / "chess960.txt").write_bytes(b"\xff\xfe")
    refused(folder, "expected a text in UTF-8")
    refused(folder, "expected chess960.txt or holdem.txt, found neither", plan({**SYSTEM, "documents": "elsewhere/"}))


def test_a_plan_that_says_more_or_less_than_its_folder_is_refused(folder: Path) -> None:
    refused(
        folder, "expected bm25: the documents in books/ have no vectors", plan({**SYSTEM, "retriever": "embeddings"})
    )
    texts = {"texts": {"chess960": DOCUMENT}}
    refused(folder, "expected none: the set basics", plan({**SYSTEM, "documents": "basics", **texts}))
    refused(folder, "expected the texts in books/, found none", plan({**SYSTEM, "texts": {}}))
    refused(
        folder,
        "expected one of basics, or a folder of your own with a slash: books/",
        plan({**SYSTEM, "documents": "books"}),
    )
    holdem = {"game": "holdem", "hands": 4}
    wished = plan()
    wished["matches"] = [{**{k: v for k, v in one.items() if k != "games"}, **holdem} for one in wished["matches"]]
    refused(folder, "books/ has no document", wished)
