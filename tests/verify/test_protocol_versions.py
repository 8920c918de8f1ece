"""Protocol versions: a folder fits its types, a released one never changes, and a shape lacks what is later."""

import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agzamov_verify import protocols
from agzamov_verify.core.canon import NotCanonical
from agzamov_verify.experiment.matches import Match
from agzamov_verify.experiment.plan_fields import Problem
from agzamov_verify.games.chess.game import ChessMatch
from agzamov_verify.plan import manifest, plan_problems
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.plan.plan_problems import problems
from agzamov_verify.protocols import PROTOCOLS, RELEASED, documents, version_words
from agzamov_verify.protocols.document_shape import OutsideShape, shape_of, spelled
from agzamov_verify.protocols.opponents import (
    ANY_SEAT,
    RANDOM,
    SAME_MODEL,
    SAME_SEAT,
    OpponentRule,
    Table,
    of_kind,
    one_of,
)
from agzamov_verify.scoring.results import Results
from agzamov_verify.seats import NoviceSeat, RandomSeat, ReferenceSeat, Seat
from script_modules import script

ROOT = Path(__file__).parents[2]

GOLDEN = Path(__file__).parents[1] / "bundles" / "golden" / "agz-0.1"


@pytest.mark.parametrize("name", [name for name in PROTOCOLS if name not in RELEASED])
def test_the_formats_of_an_unreleased_protocol_are_those_of_the_types(name: str) -> None:
    version = PROTOCOLS[name]
    assert script("write_formats").formats_text(version) == version.data("formats.json"), "type: make schema"


def test_a_released_folder_is_as_it_was_released() -> None:
    assert {name: PROTOCOLS[name].folder_sha256 for name in RELEASED} == RELEASED


def test_the_formats_of_a_released_protocol_are_never_written() -> None:
    for name in RELEASED:
        with pytest.raises(SystemExit, match=f"{name} is released: its folder never changes"):
            script("write_formats").main([name])


def test_formats_of_drafts_are_written_and_released_ones_are_told_to_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for version in PROTOCOLS.values():
        (tmp_path / version.folder).mkdir()
    writer = script("write_formats")
    monkeypatch.setattr(writer, "FOLDER", tmp_path)
    writer.main([])
    drafts = {PROTOCOLS[name].folder for name in PROTOCOLS.keys() - RELEASED.keys()}
    assert {path.parent.name for path in tmp_path.glob("*/formats.json")} == drafts
    assert (
        f"not written, since their folders never change: formats.json of {', '.join(RELEASED)}"
        in capsys.readouterr().out
    )


def test_drafts_are_called_so_and_released_protocols_are_not() -> None:
    assert {name: version_words(name) for name in RELEASED} == {name: name for name in RELEASED}
    for name in PROTOCOLS.keys() - RELEASED.keys():
        assert version_words(name) == f"{name} (a draft: a later verifier may refuse its bundles)"
    assert version_words("of another program") == "of another program"


@pytest.mark.parametrize("file", ["__init__.py", "formats.json", "norms.json", "score.json", "quality.json"])
def test_a_change_of_any_file_of_a_folder_changes_its_digest(
    file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = PROTOCOLS["agz-0.1"]
    before = version.folder_sha256
    copied = tmp_path / version.folder
    shutil.copytree(Path(protocols.__file__).parent / version.folder, copied)
    monkeypatch.setattr("agzamov_verify.protocols.protocol_version.files", lambda _: tmp_path)
    assert version.folder_sha256 == before
    (copied / file).write_bytes((copied / file).read_bytes() + b" ")
    assert version.folder_sha256 != before


# --- shapes --------------------------------------------------------------------------------------


class Wheel(msgspec.Struct, frozen=True, tag="wheel"):
    spokes: int
    tubeless: bool = False


class Sail(msgspec.Struct, frozen=True, tag="sail"):
    area: int


class Vehicle(msgspec.Struct, frozen=True):
    parts: dict[str, Wheel | Sail]
    name: str = ""


OLD = {"": ("parts",), "parts.*:wheel": ("type", "spokes")}
"""The shape of a time that knew no name, no sail and no tubeless wheel."""


def test_the_shape_of_a_type_has_every_place_and_its_fields() -> None:
    assert shape_of(Vehicle) == {
        "": ("name", "parts"),
        "parts.*:sail": ("area",),
        "parts.*:wheel": ("spokes", "tubeless"),
    }


def test_a_later_field_at_its_default_is_left_out() -> None:
    assert spelled(Vehicle({"front": Wheel(32)}), OLD) == {"parts": {"front": {"type": "wheel", "spokes": 32}}}


@pytest.mark.parametrize(
    ("vehicle", "said"),
    [
        (Vehicle({}, "tandem"), "name: expected nothing, this format has no such field"),
        (Vehicle({"front": Wheel(32, tubeless=True)}), r"parts\.\*\.tubeless: expected nothing"),
        (Vehicle({"mast": Sail(9)}), r"parts\.\*: expected what this format knows, found sail"),
    ],
)
def test_a_wish_that_a_format_cannot_hold_is_refused(vehicle: Vehicle, said: str) -> None:
    with pytest.raises(OutsideShape, match=said):
        spelled(vehicle, OLD)


def test_a_later_figure_is_left_out_whatever_it_is() -> None:
    later = Vehicle({"front": Wheel(32, tubeless=True)}, "tandem")
    assert spelled(later, OLD, wished=False) == {"parts": {"front": {"type": "wheel", "spokes": 32}}}


# --- who may meet whom ---------------------------------------------------------------------------

MATCH: Match = ChessMatch(a="one", b="other", phase=1)
DICE, PLAYER, NOVICE = RandomSeat(), ReferenceSeat(), NoviceSeat()
BRIEFED = ReferenceSeat(briefing="It castles early.")


@pytest.mark.parametrize(
    ("rule", "allowed", "refused"),
    [
        (RANDOM, [DICE], [PLAYER, NOVICE]),
        (SAME_SEAT, [PLAYER], [BRIEFED, DICE]),
        (SAME_MODEL, [PLAYER, BRIEFED], [NOVICE, DICE]),
        (ANY_SEAT, [PLAYER, BRIEFED, NOVICE, DICE], []),
        (of_kind("novice", "a novice"), [NOVICE], [PLAYER, DICE]),
        (one_of(RANDOM, of_kind("novice", "a novice")), [NOVICE, DICE], [PLAYER]),
    ],
)
def test_each_rule_allows_these_opponents_of_a_reference_player(
    rule: OpponentRule, allowed: list[Seat], refused: list[Seat]
) -> None:
    assert [seat for seat in allowed if rule.problem(Table(MATCH, [PLAYER, seat]), 1)] == []
    assert [seat for seat in refused if not rule.problem(Table(MATCH, [PLAYER, seat]), 1)] == []


def test_a_protocol_may_have_a_rule_about_a_whole_table() -> None:
    def one_novice_at_most(table: Table, place: int) -> str:
        novices = [at for at, seat in enumerate(table.seats) if isinstance(seat, NoviceSeat)]
        return "one novice at most" if place in novices[1:] else ""

    table = Table(MATCH, [PLAYER, NOVICE, DICE, NOVICE])
    assert [one_novice_at_most(table, place) for place in range(4)] == ["", "", "", "one novice at most"]


def test_a_game_whose_claimed_figures_no_protocol_names_is_refused_before_it_is_played(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    match = {"phase": 1, "game": "chess960", "a": "agent", "b": "agent", "games": 2}
    plan = msgspec.convert({"title": "A game", "seats": {"agent": {"kind": "random"}}, "matches": [match]}, Plan)
    assert problems(plan) == []
    version = msgspec.structs.replace(PROTOCOLS[plan.protocol], claims={})
    monkeypatch.setattr(plan_problems, "PROTOCOLS", {plan.protocol: version})
    told = "protocols/agz_0_1 names no figures of chess960 in `claims`: add them there"
    assert problems(plan) == [Problem("matches[0]", told)]


@pytest.mark.parametrize(
    ("patterns", "told"),
    [
        (
            ["castles_early", "never_castles"],
            "patterns[1]: found never_castles, expected each once of a game of agz-0.1:",
        ),
        (["castles_early"] * 2_000, "patterns[1]: found castles_early again, expected each once of a game of agz-0.1:"),
    ],
)
def test_a_pattern_that_is_unknown_or_named_twice_is_told_once(patterns: list[str], told: str) -> None:
    match = {"phase": 1, "game": "chess960", "a": "agent", "b": "agent", "games": 2}
    seats = {"agent": {"kind": "reference", "patterns": patterns}}
    (problem,) = problems(msgspec.convert({"title": "Habits", "seats": seats, "matches": [match]}, Plan))
    assert str(problem).startswith(f"seats.agent.{told}")


@pytest.mark.parametrize("name", ["x" * 65, "Castles", "castles early", "", "castles\n"])
def test_the_name_of_a_pattern_is_short_and_plain(name: str) -> None:
    seats = {"agent": {"kind": "reference", "patterns": [name]}}
    with pytest.raises(msgspec.ValidationError, match="patterns"):
        msgspec.convert({"title": "Habits", "seats": seats, "matches": []}, Plan)


def test_a_manifest_that_its_protocol_cannot_read_is_refused_and_no_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    def renamed(document: dict[str, Any]) -> dict[str, Any]:
        return {**document, "plan": {"title": document["plan"]["name"]}}

    version = msgspec.structs.replace(PROTOCOLS["agz-0.1"], upgrade=renamed)
    monkeypatch.setattr(manifest, "PROTOCOLS", {"agz-0.1": version})
    with pytest.raises(manifest.ManifestError, match=r"expected a manifest of agz-0\.1"):
        manifest.load_manifest(b'{"plan":{"protocol":"agz-0.1"}}')


def test_a_document_of_another_protocol_is_not_canonical(monkeypatch: pytest.MonkeyPatch) -> None:
    def outside(*_: object) -> bytes:
        raise OutsideShape("matches[0].result", "expected what this format knows, found village")

    golden = (GOLDEN / "bundle" / "data" / "results" / "results.json").read_bytes()
    monkeypatch.setattr(documents, "written", outside)
    with pytest.raises(NotCanonical, match="found village"):
        documents.read("agz-0.1", documents.RESULTS, golden, Results)
