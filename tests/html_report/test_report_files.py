"""The files of a report: what is in them, that they are the same each time, and what is refused."""

import base64
import gzip
import hashlib
import html
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

from agzamov_verify.bundle import MANIFEST_FILE
from agzamov_verify.checks.check_log import CheckLog
from agzamov_verify.checks.opened_bundle import open_bundle
from agzamov_verify.checks.steps import Verdict
from agzamov_verify.cli import main
from agzamov_verify.core.questions import Chat, Reply
from agzamov_verify.plan.manifest import load_manifest
from agzamov_verify.show.games_of_bundle import games_told, outcome
from agzamov_verify.show.html_report.report_page import Contents, page
from agzamov_verify.show.html_report.site import write_report
from agzamov_verify.show.html_report.stream_data import PART_CHARACTERS, chunk, sheet_names
from agzamov_verify.show.text.answers import Played
from agzamov_verify.show.text.first_screen import sure_words
from bundles.bundle_factory import TINY, check, make
from bundles.make_golden import GOLDEN
from html_report.packed_values import values

BUNDLE = GOLDEN / "bundle"
SHEET = re.compile(r'#chunk\{--data:"([A-Za-z0-9+/=]+)"\}\n')


def reported(bundle: Path, out: Path) -> Result:
    return CliRunner().invoke(main, ["report", str(bundle), "--out", str(out), "--jobs", "1"])


@pytest.fixture(scope="module")
def verdict() -> Verdict:
    return check(BUNDLE)


def written(verdict: Verdict, out: Path) -> Path:
    return write_report(open_bundle(BUNDLE, CheckLog()), verdict, out, "agzamov-verify check bundle", 1)


@pytest.fixture(scope="module")
def folder(verdict: Verdict, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(verdict, tmp_path_factory.mktemp("report") / "site").parent


def site_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="site">(.*?)</script>', page)
    assert found
    site: dict[str, Any] = json.loads(found[1])
    return site


def read(folder: Path, reference: list[Any]) -> Any:
    """A chunk as the page reads it: from its style sheets, by its digest."""
    name, parts, sha256 = reference
    texts = []
    for part in range(parts):
        sheet = SHEET.fullmatch((folder / "data" / f"{name}-{part}.css").read_text("ascii"))
        assert sheet
        texts.append(sheet[1])
    packed = base64.b64decode("".join(texts))
    assert packed.startswith(bytes.fromhex("1f8b08000000000002ff"))  # RFC 1952: no time, no system
    assert hashlib.sha256(packed).hexdigest() == sha256
    return json.loads(gzip.decompress(packed))


def test_every_game_is_in_the_data_with_its_words_and_its_result(folder: Path) -> None:
    opened, site = open_bundle(BUNDLE, CheckLog()), site_of((folder / "index.html").read_text("utf-8"))
    by_id = {match["id"]: match for match in site["matches"]}
    assert sum(match["count"] for match in site["matches"]) > 20
    for match in opened.manifest.plan.matches:
        if match.id not in by_id:
            continue
        index = read(folder, by_id[match.id]["index"])
        games = [game for _, _, at in index["groups"] for game in values(read(folder, at))]
        letter, digits = by_id[match.id]["letter"], by_id[match.id]["digits"]
        for number, (played, game) in enumerate(zip(games_told(opened, match), games, strict=True)):
            assert f"{match.id}-{letter}{number:0{digits}}" == played.record.game
            assert game["won"] == outcome(played) == {"+": "won", "=": "drawn", "-": "lost"}[index["won"][number]]
            chats = [(question, answer) for question, answer in played.asked if isinstance(question, Chat)]
            told = [one for one in game["asked"] if one["kind"] == "chat"]
            assert len(told) == len(chats)
            for (question, answer), one in zip(chats, told, strict=True):
                prompts = ["\n".join(text) for _, text, *_ in one["prompt"]]
                assert prompts == [message.content for message in question.messages]
                if isinstance(answer, Reply) and not answer.tool_calls:
                    assert "\n".join(one["reply"]).rstrip("\n") == answer.text.rstrip("\n")
                assert 0 <= one["at"] < len(game["frames"])
                if "declared" in one:
                    assert ":" in one["reply"][one["declared"]]
            told_unusable = sum(count for _, _, count, _ in index["unusable"].get(str(number), []))
            assert told_unusable == len(game["unusable"])
            assert index["length"][number] == sum(frame["by"] >= 0 for frame in game["frames"])
            assert index["amount"][number] == played.record.outcomes[index["place"][number]]
            assert index["thumbnails"][number]


def test_the_command_verifies_and_writes_a_report(tmp_path: Path) -> None:
    bundle = make(TINY, tmp_path)
    result = reported(bundle, tmp_path / "site")
    assert result.exit_code == 0, result.output
    assert result.output.endswith(f"report: {tmp_path / 'site' / 'index.html'}\n")
    page = (tmp_path / "site" / "index.html").read_text("utf-8")
    assert 'class="badge empty">No result; record consistent (level V1; V4 is the highest)<' in page
    assert f"agzamov-verify check {bundle.name} --key KEY.pub" in page


def test_the_same_verdict_gives_the_same_bytes(verdict: Verdict, folder: Path, tmp_path: Path) -> None:
    written(verdict, tmp_path / "again")
    first, second = (
        {str(file.relative_to(root)): file.read_bytes() for file in root.rglob("*") if file.is_file()}
        for root in (folder, tmp_path / "again")
    )
    assert first == second
    assert len(first) > 5


def test_one_file_holds_the_same_data_in_elements_that_do_not_run(
    verdict: Verdict, folder: Path, tmp_path: Path
) -> None:
    written(verdict, tmp_path / "one.html")
    assert [file.name for file in tmp_path.iterdir()] == ["one.html"]
    text = (tmp_path / "one.html").read_text("utf-8")
    inside = dict(re.findall(r'<script type="text/plain" id="([^"]+)">([^<]*)</script>', text))
    sheets = {str(file.relative_to(folder / "data"))[:-4]: file for file in (folder / "data").rglob("*.css")}
    assert inside.keys() == sheets.keys()
    for name, file in sheets.items():
        assert file.read_text("ascii") == f'#chunk{{--data:"{inside[name]}"}}\n'
    assert "style-src 'sha256-" in text
    assert "'self'" not in re.findall(r'content="(default-src[^"]*)"', text)[0]


def test_the_policy_names_the_one_script_and_the_one_style_sheet(folder: Path) -> None:
    page = (folder / "index.html").read_text("utf-8")
    policy = re.findall(r'content="(default-src[^"]*)"', page)[0]
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    styles = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    assert (len(scripts), len(styles)) == (1, 1)
    for text in (*scripts, *styles):
        assert f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" in policy
    assert "unsafe" not in policy
    assert set(re.findall(r"\bhttps?:[^\s\"']+", page)) == {"http://www.w3.org/2000/svg"}
    assert "style=" not in page


def test_a_bundle_that_fails_its_check_gets_no_report(tmp_path: Path) -> None:
    bad = tmp_path / "bad"
    shutil.copytree(BUNDLE, bad)
    results = bad / "data" / "results" / "results.json"
    results.write_bytes(results.read_bytes() + b" ")
    result = reported(bad, tmp_path / "site")
    assert result.exit_code == 1
    assert "step 2 data/results/results.json: expected sha256" in result.output
    assert result.output.rstrip().endswith("no report is written of what does not hold")
    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize("name", ["site", "one.html"])
def test_what_is_there_is_not_written_over(name: str, verdict: Verdict, tmp_path: Path) -> None:
    there = tmp_path / name
    if name.endswith(".html"):
        there.write_text("mine")
    else:
        there.mkdir()
        (there / "mine").write_text("mine")
    with pytest.raises(FileExistsError, match="exists already"):
        written(verdict, there)
    assert (there if there.is_file() else there / "mine").read_text() == "mine"
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_a_check_that_its_limits_end_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agzamov_verify.commands.report_command.verify", lambda *_: Verdict([], []))
    result = reported(BUNDLE, tmp_path / "site")
    assert (result.exit_code, "allow it more by --time-max" in result.output) == (3, True)


def test_a_place_that_is_taken_is_told_before_the_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("agzamov_verify.commands.report_command.verify")
    (tmp_path / "one.html").write_text("mine")
    result = reported(BUNDLE, tmp_path / "one.html")
    assert result.exit_code == 2
    assert "it exists already; name another with --out, or remove it" in result.output


def test_the_folder_of_an_earlier_report_is_told_before_the_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr("agzamov_verify.commands.report_command.verify")
    monkeypatch.chdir(tmp_path)
    earlier = Path(f"report-{load_manifest((BUNDLE / MANIFEST_FILE).read_bytes()).run_id}")
    earlier.mkdir()
    (earlier / "index.html").write_text("mine")
    result = CliRunner().invoke(main, ["report", str(BUNDLE)])
    assert result.exit_code == 2
    assert f"{earlier}: it exists already; name another with --out, or remove it" in result.output


def test_a_large_document_is_cut_into_parts_that_a_browser_takes() -> None:
    noise = "".join(hashlib.sha256(number.to_bytes(4, "big")).hexdigest() for number in range(60_000))
    made = chunk("match/index", {"noise": noise})
    assert len(made.parts) > 2
    assert all(len(part) <= PART_CHARACTERS for part in made.parts)
    assert json.loads(gzip.decompress(base64.b64decode("".join(made.parts)))) == {"noise": noise}
    assert [name for name, _ in sheet_names(made)][:2] == ["match/index-0.css", "match/index-1.css"]


LOOK_ALIKES = {
    "gpt-4\N{CYRILLIC SMALL LETTER O}": "gpt-4\\u043e",
    "gpt\N{NON-BREAKING HYPHEN}4o": "gpt\\u20114o",
    "gpt-4o\N{BRAILLE PATTERN BLANK}": "gpt-4o\\u2800",
}


@pytest.mark.parametrize("name", LOOK_ALIKES)
def test_names_that_look_like_others_are_spelled_out(name: str) -> None:
    """Title, model and warnings; replies and prompts stay as they were given, in data that no page shows by itself."""
    verdict = check(GOLDEN / "systems")
    assert verdict.manifest
    assert verdict.analysis
    plan = replace(verdict.manifest.plan, title=name)
    deltas = tuple(replace(delta, model=name) for delta in verdict.analysis.deltas)
    verdict = replace(
        verdict,
        manifest=replace(verdict.manifest, plan=plan),
        analysis=replace(verdict.analysis, deltas=deltas),
        warnings=(f"{name} answered",),
    )
    told = page(Contents(verdict, {"matches": []}, "check", sheets=False))
    shown = LOOK_ALIKES[name]
    assert f"<title>{shown} - " in told
    assert f"<h1>{shown}</h1>" in told
    assert f"<li>{shown} answered</li>" in told
    assert told.count(shown) > 6  # the charts and tables of its effects
    assert name not in told


def test_help_that_no_decision_had_is_told_under_the_cards(verdict: Verdict) -> None:
    """It stood among the warnings alone, below a figure that it makes empty."""
    told = "at 8 of 8 decisions the seat proposed no legal move, so the tool had no effect there"
    shown, other = (
        page(Contents(replace(verdict, warnings=(warning,)), {"matches": []}, "check", sheets=False))
        for warning in (f"tools: {told}", told)
    )
    sentence = f"<strong>But {told}.</strong>"
    assert sentence in shown.partition("What to believe")[0]
    assert sentence not in other


def test_under_the_cards_stands_how_sure_the_figures_are(verdict: Verdict) -> None:
    """In the words of the terminal: a placebo and Phase 0 were named on the page and explained nowhere in sight."""
    first = page(Contents(verdict, {"matches": []}, "check", sheets=False)).partition("What to believe")[0]
    told = html.unescape(first.partition("<strong>How sure</strong>")[2].partition("</p>")[0])
    assert verdict.manifest
    assert verdict.results
    words = sure_words(Played(verdict.manifest, verdict.results, verdict.analysis, verdict.blocks))
    assert told.replace("\N{NO-BREAK SPACE}", " ").strip() == " ".join(words)
    assert "Phase 0 (the entry test: " in told


def test_three_warnings_are_in_sight_and_more_are_behind_the_line(verdict: Verdict) -> None:
    """One was, so that a common one hid what was measured."""
    none = page(Contents(verdict, {"matches": []}, "check", sheets=False)).count('class="warning"')
    warnings = tuple(f"warning {number}" for number in range(5 - none))
    told = page(Contents(replace(verdict, warnings=warnings), {"matches": []}, "check", sheets=False))
    assert told.count('class="warning"') == 3
    assert told.count("<li>warning ") == len(warnings)


def test_a_round_of_an_arena_shows_what_each_player_took_and_no_card_without_a_result(tmp_path: Path) -> None:
    """It had a card for each pairing, which said that one unit is too few."""
    bundle = GOLDEN.parent / "arena-0.1" / "bundle"
    verdict = check(bundle)
    text = write_report(open_bundle(bundle, CheckLog()), verdict, tmp_path / "site", "", 1).read_text()
    first = text.partition('<h2 id="more"')[0]
    assert "One round shows nothing by itself." in first
    assert "No result" not in first
    (badge,) = re.findall(r'class="badge \w+">([^<]*)<', first)
    assert "no result" not in badge.lower()
    cards = re.findall(r'<article class="answer">.*?</article>', first)
    assert verdict.results
    ids = {row.match for row in verdict.results.matches}
    assert {link for card in cards for link in re.findall(r'href="#m=([^"]+)"', card)} == ids
    assert len(cards) == len({row.game for row in verdict.results.matches}) == 6
    draughts = next(card for card in cards if "English draughts" in card)
    points = [float(value) for value in re.findall(r">(\d\.\d\d)<", draughts)]
    assert sum(points) == 1.0
