"""What the machine's own files hold against a run is a warning on the first screen, and changes no level."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agzamov_harness.memory.adapter_file import adapter_from_yaml, sealed_text
from agzamov_verify import bundle
from agzamov_verify.checks.attested_warnings import MEMORY_MODELS_FILE, PREFLIGHT_FILE, SERVERS_WORD, attested_warnings
from agzamov_verify.checks.opened_bundle import Opened
from agzamov_verify.core import canon
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.scoring.call_records import CallTable, SeatCalls, Served
from agzamov_verify.scoring.inference.exact import Figure
from agzamov_verify.seats import EndpointSeat, GgufSeat
from agzamov_verify.show.seat_words import served_totals, served_warnings, served_words
from agzamov_verify.show.text import verdict_report
from bundles.bundle_factory import Draft, check, reseal
from memory.test_models_relay import adapter_with

PROXY_LOG = f"{bundle.LOGS_FOLDER}000/proxy.log"
ASKED = "CONNECT   Nov 22 02:16:57 [1]: Request (file descriptor 5): CONNECT {} HTTP/1.1\n"
SEATS = {"local": GgufSeat(weights="w.gguf"), "hosted": EndpointSeat(base_url="https://api.example/v1", model="m")}
GOOD_ROUND = {"how": "reversed", "texts_same": 3, "logprobs_same": 3, "largest_difference": "0"}
ANSWERS = "ab" * 32
OTHER_ANSWERS = "the same requests got other answers in the preflight, though the plan promises it (strict)"


class FakeSource:
    """The files of a bundle in memory."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.sizes = {name: len(data) for name, data in files.items()}


class FakeOpened:
    """As much of an opened bundle as warnings need."""

    def __init__(self, files: dict[str, bytes], *more: dict[str, Any], **systems: dict[str, Any]) -> None:
        matches = [{"phase": 1, "game": "holdem", "a": name, "b": name} for name in SEATS]
        written = {"title": "t", "seats": {}, "systems": systems, "matches": [*matches, *more]}
        plan = msgspec.convert({**written, "isolation": "container"}, Plan)
        self.manifest = type("M", (), {"plan": msgspec.structs.replace(plan, seats=SEATS)})()
        self.source, self.digests, self._files = FakeSource(files), dict.fromkeys(files, ""), files

    def payload(self, name: str) -> bytes:
        return self._files[name]


PROGRAM = {"commit": "ab" * 20, "harness": "0.3.0", "modified": False, "verify": "0.3.0"}


def honest() -> dict[str, Any]:
    measured = {"seats": {"local": {"answers_sha256": ANSWERS, "requests": 3, "rounds": [GOOD_ROUND]}}}
    once_more = {"seats": {"local": {"answers_sha256": ANSWERS, "requests": 3, "rounds": []}}}
    check = {"when": "before", "witness": {"local": "hashed here"}}
    return {
        bundle.ENVIRONMENT_FILE: {
            "containers": [{"image": "0" * 64, "name": "engine", "oom_killed": False, "part": "engine"}],
            "format": "agz-environment-1",
            "isolation": "container",
            "packed_by": {**PROGRAM},
            "sealed_by": {**PROGRAM},
        },
        PREFLIGHT_FILE: {"executions": [measured, once_more]},
        bundle.WEIGHTS_FILE: {"checks": [check]},
        PROXY_LOG: ASKED.format("api.example:443"),
    }


def warned(files: dict[str, Any]) -> tuple[str, ...]:
    raw = {name: value.encode() if isinstance(value, str) else canon.dumps(value) for name, value in files.items()}
    opened: Opened = FakeOpened(raw)  # type: ignore[assignment]
    return attested_warnings(opened)


def test_an_honest_machine_is_not_warned_of() -> None:
    assert warned(honest()) == ()


def oom(files: dict[str, Any]) -> None:
    files[bundle.ENVIRONMENT_FILE]["containers"][0]["oom_killed"] = True


def host_network(files: dict[str, Any]) -> None:
    files[bundle.ENVIRONMENT_FILE]["containers"][0]["network"] = "host"


def modified_at_seal(files: dict[str, Any]) -> None:
    files[bundle.ENVIRONMENT_FILE]["sealed_by"]["modified"] = True


def modified_at_pack(files: dict[str, Any]) -> None:
    files[bundle.ENVIRONMENT_FILE]["packed_by"]["modified"] = True


def modified_at_both(files: dict[str, Any]) -> None:
    modified_at_seal(files)
    modified_at_pack(files)


def no_preflight(files: dict[str, Any]) -> None:
    del files[PREFLIGHT_FILE]


def failed_preflight(files: dict[str, Any]) -> None:
    files[PREFLIGHT_FILE]["executions"][0]["seats"]["local"]["rounds"] = [{**GOOD_ROUND, "texts_same": 2}]


def other_answers_once_more(files: dict[str, Any]) -> None:
    files[PREFLIGHT_FILE]["executions"][1]["seats"]["local"]["answers_sha256"] = "cd" * 32


def other_answers_measured(files: dict[str, Any]) -> None:
    measured = files[PREFLIGHT_FILE]["executions"][0]["seats"]["local"]
    files[PREFLIGHT_FILE]["executions"][1]["seats"]["local"] = {**measured, "answers_sha256": "cd" * 32}


def no_requests(files: dict[str, Any]) -> None:
    for execution in files[PREFLIGHT_FILE]["executions"]:
        nothing = {**GOOD_ROUND, "texts_same": 0, "logprobs_same": 0}
        execution["seats"]["local"] |= {"requests": 0, "rounds": [nothing]}


def nothing_measured(files: dict[str, Any]) -> None:
    del files[PREFLIGHT_FILE]["executions"][0]


def servers_word(files: dict[str, Any]) -> None:
    files[bundle.WEIGHTS_FILE]["checks"][0]["witness"]["local"] = SERVERS_WORD


def another_host(files: dict[str, Any]) -> None:
    files[PROXY_LOG] += ASKED.format("evil.example:443")


def another_port(files: dict[str, Any]) -> None:
    files[PROXY_LOG] += ASKED.format("api.example:8443")


def unreadable(files: dict[str, Any]) -> None:
    files[PREFLIGHT_FILE] = "{"


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (oom, "container engine ran out of memory"),
        (host_network, "container engine was on the network of its host"),
        (modified_at_seal, "the program that sealed this run had changes that are in no commit (beside abababababab)"),
        (modified_at_pack, "the program that packed this run had changes that are in no commit"),
        (modified_at_both, "the program that sealed and packed this run had changes that are in no commit"),
        (no_preflight, "seat local: no preflight in the bundle"),
        (failed_preflight, OTHER_ANSWERS),
        (other_answers_once_more, OTHER_ANSWERS),
        (other_answers_measured, OTHER_ANSWERS),
        (no_requests, OTHER_ANSWERS),
        (nothing_measured, OTHER_ANSWERS),
        (servers_word, "seat local: the harness did not hash its weights"),
        (another_host, "names evil.example:443, which is the address of no seat"),
        (another_port, "names api.example:8443"),
        (unreadable, "a file of the machine cannot be read"),
    ],
    ids=lambda value: value.__name__ if callable(value) else "",
)
def test_one_thing_that_is_wrong_is_one_warning(spoil: Callable[[dict[str, Any]], None], words: str) -> None:
    files = honest()
    spoil(files)
    (found,) = warned(files)
    assert words in found


def test_a_memory_that_asks_models_is_warned_of_where_no_request_is_recorded() -> None:
    adapter = adapter_from_yaml(adapter_with("http://127.0.0.1:11434/v1").encode())
    system = {"kind": "memory", "server": "vectors.yaml", "adapter": sealed_text(adapter)}
    condition = {"augmentation": "memory", "arm": "real", "system": "vectors"}
    match = {"phase": 2, "game": "holdem", "a": "local", "b": "local", "condition": condition}

    def found(files: dict[str, bytes]) -> tuple[str, ...]:
        opened: Opened = FakeOpened(files, match, vectors=system)  # type: ignore[assignment]
        return tuple(line for line in attested_warnings(opened) if "models at" in line)

    files = {bundle.ENVIRONMENT_FILE: canon.dumps(honest()[bundle.ENVIRONMENT_FILE])}
    (line,) = found(files)
    assert line.startswith("system vectors: its server asks models at http://127.0.0.1:11434/v1, and no such request")
    assert found({**files, MEMORY_MODELS_FILE: b"{}\n"}) == ()


def test_a_warning_stands_on_the_first_screen_and_changes_no_level(tiny: Path, tmp_path: Path) -> None:
    draft = Draft.of(tiny)
    draft.files[PROXY_LOG] = ASKED.format("evil.example:443").encode()
    reseal(draft)
    verdict = check(draft.write(tmp_path))
    assert verdict.level == "V1"
    assert "! the proxy's log names evil.example:443" in verdict_report.text(verdict)


# --- which model answered ---------------------------------------------------------------------------

ZERO = Figure("0/1", "0.000000")


def table(*served: tuple[str, str, int], with_id: int = 0, ids: int = 0) -> CallTable:
    rows = tuple(Served(*one) for one in served)
    distinct = [len({one[at] for one in served if one[at]}) for at in (0, 1)]
    calls = SeatCalls(sum(one[2] for one in served), with_id, ids, rows, len(rows), *distinct, ZERO, ZERO, ZERO, ZERO)
    return CallTable("agz-calls-1", {"p1": {"hosted": calls}}, ())


@pytest.mark.parametrize(
    ("calls", "words"),
    [
        (table(("m", "fp", 9), with_id=9, ids=9), []),
        (table(("other", "fp", 9)), ['another model answered than the sealed "m": "other"']),
        (table(("m-2024-08-06", "fp", 9)), []),
        (table(("m:latest", "fp", 9)), []),
        (
            table(("m-2024-08-06", "fp", 5), ("m-2024-11-20", "fp", 4)),
            ['another model answered than the sealed "m": "m-2024-08-06", "m-2024-11-20"'],
        ),
        (table(("m", "fp1", 5), ("m", "fp2", 4)), ["fingerprint changed during the run, 2 were seen"]),
        (table(("m", "", 9), with_id=9, ids=1), ["gave 9 answers at most 1 distinct completion ids"]),
    ],
)
def test_what_a_server_says_of_itself_is_compared_with_the_plan(calls: CallTable, words: list[str]) -> None:
    found = list(served_warnings("hosted", SEATS["hosted"], served_totals("hosted", calls)))
    assert len(found) == len(words)
    assert all(part in whole for part, whole in zip(words, found, strict=True))


def test_the_name_of_a_gateway_in_the_plan_is_no_other_model() -> None:
    seat = msgspec.structs.replace(SEATS["hosted"], served_as="deployment-7")
    assert "served as" in seat.words("")
    for answered, count in (("deployment-7", 0), ("m", 0), ("deployment-8", 1)):
        found = list(served_warnings("hosted", seat, served_totals("hosted", table((answered, "", 9)))))
        assert len(found) == count, answered


def test_who_answered_is_named_with_counts_and_called_attested() -> None:
    told = served_words(served_totals("hosted", table(("m\N{RIGHT-TO-LEFT OVERRIDE}", "fp", 9))))
    assert told == 'Answered by (claimed): "m\\u202e" fingerprint "fp" (9 answers)'
    assert served_words(served_totals("hosted", None)) == ""
