"""What somebody who holds the signing key could write, so that verification would fall over or seem to speak for it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from agzamov_verify import bundle
from agzamov_verify.checks import attested_warnings
from agzamov_verify.checks.limits import VerificationLimits
from agzamov_verify.checks.opened_bundle import Opened
from agzamov_verify.cli import main
from agzamov_verify.core.columns import item, paragraph, quoted, row, table
from agzamov_verify.plan.manifest import Plan, Seed
from agzamov_verify.plan.plan_problems import problems
from agzamov_verify.scoring.call_records import CallTable, SeatLog, call_table
from agzamov_verify.seats import EndpointSeat, OllamaSeat
from agzamov_verify.show.seat_words import sealed_words, served_totals, served_warnings, served_words
from agzamov_verify.show.text import verdict_report
from bundles.bundle_factory import Draft, check, reseal

ESCAPE = "\x1b[2J\x1b]0;owned\x07\N{RIGHT-TO-LEFT OVERRIDE}"
LIES = 'm", weights hashed (level V4). "'
BAD_ADDRESSES = ("http://127.0.0.1:99999", "http://[abc", "")


def is_plain(text: str) -> bool:
    return all(" " <= character <= "~" or character == "\n" for character in text)


def ollama(url: str) -> OllamaSeat:
    return OllamaSeat(base_url=url, model="m", model_digest="3" * 64)


# --- addresses -----------------------------------------------------------------------------------


@pytest.mark.parametrize("url", BAD_ADDRESSES)
def test_ollama_without_a_host_and_a_port_is_no_plan_and_has_words_all_the_same(url: str) -> None:
    plan = Plan("p", {"m": ollama(url)}, ())
    assert [one.path for one in problems(plan) if one.path.startswith("seats")] == ["seats.m.base_url"]
    manifest = type("M", (), {"plan": plan, "models": {}})()
    assert "at an unnamed host" in sealed_words("m", plan.seats["m"], manifest)


def test_ollama_at_a_good_address_is_named_by_it() -> None:
    plan = Plan("p", {"m": ollama("http://127.0.0.1:11434")}, ())
    assert [one for one in problems(plan) if one.path.startswith("seats")] == []
    assert "at 127.0.0.1:11434," in sealed_words("m", plan.seats["m"], type("M", (), {"plan": plan, "models": {}})())


# --- words that are not the verifier's -----------------------------------------------------------


def test_nothing_between_quotation_marks_closes_them() -> None:
    assert quoted('a" b\\') == '"a\\" b\\\\"'
    assert quoted("\N{CYRILLIC SMALL LETTER A}\x1b") == '"\\u0430\\x1b"'


def test_a_models_name_digest_and_fingerprint_stand_in_quotation_marks() -> None:
    seat = EndpointSeat(base_url="https://api.example/v1", model=LIES, model_digest=LIES)
    told = sealed_words("m", seat, None)  # type: ignore[arg-type]
    assert told.count(quoted(LIES)) == 2
    assert seat.kind_words == f"model {quoted(LIES)}"
    calls = called({(LIES, LIES): 3})
    assert served_words(served_totals("m", calls)).count(quoted(LIES)) == 2


@pytest.mark.parametrize(("value", "is_good"), [("2026-05/a:b_c.d", True), ('2026", V4', False), ("a" * 65, False)])
def test_the_value_of_a_season_is_a_plain_token(value: str, is_good: bool) -> None:
    try:
        msgspec.convert({"origin": "season", "value": value}, Seed)
    except msgspec.ValidationError:
        assert not is_good
    else:
        assert is_good


@pytest.mark.parametrize(
    "lines",
    [
        lambda: paragraph(ESCAPE, ESCAPE),
        lambda: row(ESCAPE, ESCAPE),
        lambda: item(ESCAPE, ESCAPE),
        lambda: table([ESCAPE], [[ESCAPE]]),
    ],
)
def test_every_line_that_is_laid_out_is_printable_ascii(lines: Callable[[], Any]) -> None:
    found = "".join(lines())
    assert "\\x1b" in found
    assert is_plain(found)


def spoiled(value: Any, keys: tuple[str, ...]) -> int:
    """Put escapes into every text of these keys; how many there were."""
    found = 0
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        if key in keys and isinstance(inner, str | list) and not isinstance(key, int):
            value[key] = ESCAPE if isinstance(inner, str) else [ESCAPE]
            found += 1
        else:
            found += spoiled(inner, keys)
    return found


@pytest.mark.parametrize(
    ("name", "key"),
    [(bundle.RESULTS_FILE, "not_played"), (bundle.ANALYSIS_FILE, "unit"), (bundle.ANALYSIS_FILE, "note")],
)
def test_claimed_figures_reach_a_terminal_without_escapes(name: str, key: str, tiny: Path, tmp_path: Path) -> None:
    draft = Draft.of(tiny)
    value = draft.json(name)
    assert spoiled(value, (key,))
    draft.put_json(name, value)
    reseal(draft)
    told = CliRunner().invoke(main, ["show", str(draft.write(tmp_path)), "--details"], color=True)
    assert (told.exit_code, told.exception) == (0, None)
    assert is_plain(told.output)


# --- who answered --------------------------------------------------------------------------------


def called(pairs: dict[tuple[str, str], int]) -> CallTable:
    log = SeatLog(us=[5] * sum(pairs.values()))
    log.served.update(pairs)
    return call_table({"p1": {"m": log}})


def test_another_model_does_not_hide_behind_many_fingerprints() -> None:
    calls = called({("m", f"fp{number}"): 9 for number in range(40)} | {("small", ""): 1})
    seat = EndpointSeat(base_url="https://api.example/v1", model="m")
    assert len(calls.matches["p1"]["m"].served) == 20
    assert list(served_warnings("m", seat, served_totals("m", calls))) == [
        'seat m: another model answered than the sealed "m": "small"',
        "seat m: the server's fingerprint changed during the run, 40 were seen",
    ]


def test_of_one_model_and_one_fingerprint_nothing_is_warned() -> None:
    seat = EndpointSeat(base_url="https://api.example/v1", model="m")
    assert list(served_warnings("m", seat, served_totals("m", called({("m", "fp"): 9})))) == []


# --- what the machine's own files may cost -------------------------------------------------------


def with_log(tiny: Path, tmp_path: Path, log: bytes) -> Path:
    draft = Draft.of(tiny)
    draft.files[f"{bundle.LOGS_FOLDER}000/proxy.log"] = log
    reseal(draft)
    return draft.write(tmp_path)


def test_a_log_of_very_many_requests_is_read_to_a_maximum(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attested_warnings, "REQUESTS_MAX", 100)
    verdict = check(with_log(tiny, tmp_path, b"CONNECT a:1\n" * 101))
    assert verdict.warnings == (
        "the proxy's log names a:1, which is the address of no seat",
        "the proxy's logs name more than 100 requests: the others were not read",
    )


def test_a_log_of_many_strange_hosts_is_read_as_far_as_it_is_told(tiny: Path, tmp_path: Path) -> None:
    log = b"".join(b"CONNECT h%d:1\n" % number for number in range(1000))
    assert len(check(with_log(tiny, tmp_path, log)).warnings) == attested_warnings.WARNINGS_MAX


def test_no_memory_for_the_machines_files_is_no_traceback(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def greedy(_: Opened) -> tuple[str, ...]:
        raise MemoryError

    monkeypatch.setattr("agzamov_verify.checks.steps.attested_warnings", greedy)
    verdict = check(tiny)
    assert (verdict.level, verdict.failed) == ("V0", False)
    assert "out of memory" in verdict.steps[1].remark


# --- the report ----------------------------------------------------------------------------------


def test_the_report_for_programs_has_the_warnings_of_the_screen(tiny: Path) -> None:
    verdict = check(tiny)
    assert verdict.manifest
    plan = msgspec.structs.replace(verdict.manifest.plan, title="\N{CYRILLIC SMALL LETTER A}")
    verdict.manifest = msgspec.structs.replace(verdict.manifest, plan=plan)
    (found,) = json.loads(verdict_report.json(verdict))["warnings"]
    assert "characters beyond ASCII" in found
    assert found in " ".join(verdict_report.text(verdict).split())


def test_a_sample_of_replies_is_called_a_sample_where_one_decides_what_to_believe(tiny: Path) -> None:
    told = " ".join(verdict_report.text(check(tiny, limits=VerificationLimits(seat_replies_max=1))).split())
    believe = told[told.index("Checked") : told.index("Claimed")]
    assert "sample" in believe
