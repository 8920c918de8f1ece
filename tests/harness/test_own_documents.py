"""Documents of one's own: read with the plan, sealed whole, told as the shipped ones are, and refused where wrong."""

import os
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from agzamov_harness.run.plan_file import plan_from, read_plan
from agzamov_harness.run.seal import seal
from agzamov_verify.checks.steps import Verdict
from agzamov_verify.core.dice import Dice
from agzamov_verify.documents.library import CHARACTERS_MAX
from agzamov_verify.experiment.matches import Arm
from agzamov_verify.plan.manifest import ManifestError, Plan
from agzamov_verify.show.text.answer_words import answer_lines
from agzamov_verify.show.text.answers import Played
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
    assert "documents of the plan's own (SHA-256 chess960 " in system.words(["chess960"])
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


def answers(verdict: Verdict) -> list[str]:
    assert verdict.manifest
    assert verdict.results
    return answer_lines(Played(verdict.manifest, verdict.results, verdict.analysis, verdict.blocks))


def test_a_run_with_them_is_verified_without_the_folder_and_its_answer_says_whose_they_are(folder: Path) -> None:
    wished = plan({**SYSTEM, "texts": {"chess960": DOCUMENT}})
    verdict = check(make(wished, folder))
    assert verdict.level == "V1", told(verdict)
    assert "No result for documents that the submitter chose of random" in answers(verdict)[0]


def test_the_answer_about_documents_that_are_shipped_has_no_such_word(folder: Path) -> None:
    (line,) = answers(check(make(plan({"kind": "rag"}), folder)))
    assert line.startswith("No result for documents of random")


FAULTS = [
    ("Only a title\n", "found no line --- between two of them"),
    (HEAD, "found no line --- between two of them"),
    (f"{HEAD}{ROOKS}\n\n{ROOKS}\n", "expected passages that differ, found one twice"),
    (f"{HEAD}{ROOKS}\n\nToo short.\n", 'passage 2, "Too short.": expected a length of which the placebo has 8 texts'),
    (HEAD + "pawn " * 420, 'passage 1, "pawn pawn pawn pawn ": expected at most 2,000 bytes with its mark (bytes_max)'),
    (HEAD + "pawn " * 111, "expected at most 550 characters, found 554"),
    (HEAD + "xyz " * 70, "expected words of a search, as opening, middlegame, endgame, found none"),
    (f"{HEAD}{ROOKS[:-1]}\x07\n", "expected plain ASCII text, found U+0007 in line 4"),
    (f"{HEAD}{ROOKS}\u00ad\n", "expected plain ASCII text, found byte 0xc2 in line 4"),
    ("x" * (CHARACTERS_MAX + 1), "expected at most 100,000 characters, found more"),
]


@pytest.mark.parametrize(("text", "why"), FAULTS, ids=[why for _, why in FAULTS])
def test_a_document_with_one_fault_is_refused_in_one_line_with_its_place(folder: Path, text: str, why: str) -> None:
    (folder / "books" / "chess960.txt").write_text(text)
    refused(folder, why)
    with pytest.raises(ManifestError) as raised:
        read(folder)
    assert str(raised.value).count("\n") == 0


def test_at_most_five_passages_are_named(folder: Path) -> None:
    (folder / "books" / "chess960.txt").write_text(HEAD + "\n\n".join(f"King {number}." for number in range(400)))
    with pytest.raises(ManifestError) as raised:
        read(folder)
    assert str(raised.value).count("\n") == 4


def test_a_folder_without_a_text_of_a_game_is_refused(folder: Path) -> None:
    refused(folder, "elsewhere: expected a folder below that of the plan", plan({**SYSTEM, "documents": "elsewhere/"}))
    (folder / "books" / "chess960.txt").rename(folder / "books" / "chess.txt")
    refused(folder, "expected chess960.txt or holdem.txt, found chess.txt")
    os.mkfifo(folder / "books" / "holdem.txt")
    refused(folder, "holdem.txt: expected a file")


@pytest.mark.parametrize("documents", ["/etc/", "../books/", "books/../books/", "~/books/", "my books/", "./books/"])
def test_a_folder_that_is_not_below_that_of_the_plan_is_refused(folder: Path, documents: str) -> None:
    refused(folder, "systems.mine.documents: ", plan({**SYSTEM, "documents": documents}))


@pytest.mark.parametrize("linked", ["books", "books/chess960.txt"])
def test_a_link_out_of_the_plans_folder_is_refused_and_nothing_of_its_target_is_told(
    folder: Path, linked: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """What looks like a document would be sealed and published, and its beginning stood in the error."""
    outside = tmp_path_factory.mktemp("outside")
    (outside / "chess960.txt").write_text("SECRET\n")
    (folder / "books" / "chess960.txt").unlink()
    if linked == "books":
        (folder / "books").rmdir()
    (folder / linked).symlink_to(outside if linked == "books" else outside / "chess960.txt")
    with pytest.raises(ManifestError) as raised:
        read(folder)
    assert f"{folder / linked}: expected a place in the plan's folder, found a link that leads out" in str(raised.value)
    assert "SECRET" not in str(raised.value)


def test_a_link_within_the_plans_folder_is_followed(folder: Path) -> None:
    (folder / "books" / "chess960.txt").rename(folder / "mine.txt")
    (folder / "books" / "chess960.txt").symlink_to("../mine.txt")
    assert read(folder)


def test_a_plan_that_says_more_or_less_than_its_folder_is_refused(folder: Path) -> None:
    refused(folder, "expected bm25: the documents in books/ have", plan({**SYSTEM, "retriever": "embeddings"}))
    texts = {"texts": {"chess960": DOCUMENT}}
    refused(folder, "systems.mine.texts: expected none: the texts are read from books/", plan({**SYSTEM, **texts}))
    refused(folder, "expected none: basics is the name", plan({**SYSTEM, "documents": "basics", **texts}))
    named = plan({**SYSTEM, "documents": "books"})
    refused(folder, "expected one of basics, or a folder of your own with a slash: books/", named)
    holdem = {"game": "holdem", "hands": 4}
    wished = plan()
    wished["matches"] = [{**{k: v for k, v in one.items() if k != "games"}, **holdem} for one in wished["matches"]]
    refused(folder, "books/ has no document", wished)


@pytest.mark.parametrize(
    ("texts", "why"),
    [
        ({}, "systems.unused.texts: expected the texts in books/, found none"),
        ({"go": DOCUMENT}, "systems.unused.texts: expected texts for chess960 and holdem, found one for go"),
        ({"chess960": HEAD}, "systems.unused.texts.chess960: expected title and sources"),
    ],
)
def test_texts_that_were_written_into_a_sealed_plan_are_checked_though_nothing_plays_them(
    texts: dict[str, str], why: str
) -> None:
    wished = plan({**SYSTEM, "texts": texts})
    wished["systems"] = {"mine": {"kind": "rag"}, "unused": wished["systems"]["mine"]}
    with pytest.raises(ManifestError, match=re.escape(why)):
        plan_from(wished)


def test_a_plan_whose_documents_are_too_large_together_is_refused_before_it_is_sealed(folder: Path) -> None:
    passages = [f"King {number}. {KINGS}" for number in range(300)]
    (folder / "books" / "chess960.txt").write_text(HEAD + "\n\n".join(passages))
    wished = plan()
    wished["systems"] |= {f"more{number}": {**SYSTEM} for number in range(12)}
    refused(folder, "expected a plan of at most 983,040 bytes with its adapters and documents", wished)


def test_two_documents_never_have_one_name(folder: Path) -> None:
    first, _ = seal(read(folder), "ab" * 32, None)
    (name,) = [name for name in first.prompts_sha256 if name.startswith("documents/own/")]
    assert len(name.rpartition("/")[2]) == 48
    assert first.prompts_sha256[name].startswith(name.rpartition("/")[2])
