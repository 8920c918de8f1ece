"""What the verify page runs in its worker gives the verdict of the command."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from agzamov_harness.run import signing_keys
from agzamov_images.verify_page.parts.check_bundle import NO_ENGINE
from agzamov_images.verify_page.parts.check_bundle import check as check_bundle
from agzamov_verify import cli
from bundles.bundle_factory import STRANGER, SUBMITTER, Draft
from bundles.make_golden import GOLDEN


@pytest.fixture
def no_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agzamov_verify.engines.uci_engine.PLACES", ())


def by_command(path: Path) -> tuple[int, str]:
    """Exit code and verdict of the command."""
    done = CliRunner().invoke(cli.main, ["check", str(path), "--json", "--jobs", "1"])
    return done.exit_code, done.stdout


def unheard(_: str) -> None:
    """Nobody is told."""


@pytest.mark.usefixtures("no_engine")
def test_the_page_gives_the_verdict_of_the_command(tiny: Path) -> None:
    lines: list[str] = []
    code, _, text, details, verdict = check_bundle(str(tiny), b"", lines.append)
    assert (code, verdict) == by_command(tiny)
    assert json.loads(verdict)["level"] in text
    assert "Steps of the check" in details
    assert any("of" in line for line in lines)


@pytest.mark.slow
@pytest.mark.usefixtures("no_engine")
def test_the_page_advises_what_can_be_done_on_the_page() -> None:
    """It told who sat before a browser to apt-get an engine, and to type options."""
    code, _, text, details, verdict = check_bundle(str(GOLDEN / "bundle"), b"", unheard)
    assert (code, verdict) == by_command(GOLDEN / "bundle")
    assert "apt-get" in verdict
    for words in (" ".join(text.split()), " ".join(details.split())):
        assert "apt-get" not in words
        assert NO_ENGINE in words
        assert not re.findall(r"\(--[a-z]+", words)
    assert re.search(r"signed by key [0-9a-f]{16} \(choose its key above to see whose it is\)", text)


@pytest.mark.usefixtures("no_engine")
def test_the_page_says_whether_the_chosen_key_signed(tiny: Path) -> None:
    assert "(the key that you chose)" in check_bundle(str(tiny), signing_keys.public_pem(SUBMITTER), unheard).text
    by_another = check_bundle(str(tiny), signing_keys.public_pem(STRANGER), unheard).text
    assert "(the key that you chose)" not in by_another
    assert "if you took the wrong .pub file" in by_another


@pytest.mark.usefixtures("no_engine")
def test_a_bad_bundle_fails_there_too(tiny: Path, tmp_path: Path) -> None:
    draft = Draft.of(tiny)
    draft.files["data/environment.json"] += b" "
    bad = draft.write(tmp_path)
    told = check_bundle(str(bad), b"", unheard)
    assert (told.code, told.verdict) == by_command(bad)
    assert told.code == 1


def test_another_key_is_told_apart_and_a_file_that_is_none_refused(tiny: Path) -> None:
    codes = [check_bundle(str(tiny), signing_keys.public_pem(key), unheard)[0] for key in (SUBMITTER, STRANGER)]
    assert codes == [0, 1]
    told = check_bundle(str(tiny), b"no key", unheard)
    assert (told.code, told.text) == (2, "The key file: expected a public key in PEM, found something else")


def test_what_is_no_bundle_is_refused_in_a_line(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("notes")
    told = check_bundle(str(path), b"", unheard)
    assert (told.code, told.verdict) == (2, "")
    assert "found a file of another kind" in told.text
