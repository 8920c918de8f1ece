"""Logs of containers: complete, or marked where they are cut, whatever happens to whoever keeps them."""

from contextlib import closing
from pathlib import Path

import pytest

from agzamov_harness.containers import container_logs, image_records
from agzamov_harness.containers.container_engine import ContainerEngine
from agzamov_harness.containers.container_logs import LOG_HEAD_BYTES, LOG_TAIL_BYTES, ContainerLog, ContainerLogs
from agzamov_harness.foundation.container_spec import MIB, ContainerLimits, ContainerSpec
from agzamov_harness.run.execution_record import Log

KEY = "sk-a-key-of-a-provider"
PRINTS = "for n in range({}): print(f'line {{n:07}}', flush=True)"


def test_a_log_within_the_bound_is_kept_as_it_was_printed(tmp_path: Path) -> None:
    log = ContainerLog(tmp_path / "x.log", {})
    for piece in (b"one\ntw", b"o\nno line feed"):
        log.write(piece)
    assert log.close() == log.close() == Log(20, 20, cut=False)
    log.write(b"too late")
    assert (tmp_path / "x.log").read_bytes() == b"one\ntwo\nno line feed"


@pytest.mark.parametrize("over", [0, 1, LOG_TAIL_BYTES])
def test_a_log_over_the_bound_keeps_its_ends_and_says_what_lies_between(tmp_path: Path, over: int) -> None:
    size = LOG_HEAD_BYTES + LOG_TAIL_BYTES + over
    printed = (b"%015d\n" * (size // 16 + 1) % tuple(range(size // 16 + 1)))[:size]
    log = ContainerLog(tmp_path / "x.log", {})
    for at in range(0, size, 50_000):
        log.write(printed[at : at + 50_000])
    assert log.close() == Log(size, size - over, cut=over > 0)
    marker = f"\n[agzamov: cut here; {over} bytes left out]\n".encode() if over else b""
    assert (tmp_path / "x.log").read_bytes() == printed[:LOG_HEAD_BYTES] + marker + printed[-LOG_TAIL_BYTES:]


def test_a_log_whose_keeper_is_killed_says_that_its_end_is_missing(tmp_path: Path) -> None:
    log = ContainerLog(tmp_path / "x.log", {})
    log.write(b"x" * LOG_HEAD_BYTES + b"\nand more\n")
    assert (
        (tmp_path / "x.log").read_bytes().endswith(b"[agzamov: cut here; the log went on, and its end was not seen]\n")
    )


@pytest.mark.parametrize("split", range(1, len(KEY)))
def test_no_key_is_kept_however_it_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, split: int) -> None:
    monkeypatch.setattr(container_logs, "LINE_BYTES_MAX", 100)
    log = ContainerLog(tmp_path / "x.log", {"API_KEY": KEY})
    text = ("y" * 90 + KEY).encode()
    log.write(text[: 90 + split])
    log.write(text[90 + split :] + b"z" * 200)
    log.close()
    assert (tmp_path / "x.log").read_bytes() == b"y" * 90 + b"[API_KEY]" + b"z" * 200


def test_a_real_container_that_prints_more_than_the_bound_loses_nothing_unseen(
    engine: ContainerEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Docker's own log of one file of 1 MiB was emptied here without a word."""
    monkeypatch.setattr(container_logs, "LOG_HEAD_BYTES", 2**17)
    monkeypatch.setattr(container_logs, "LOG_TAIL_BYTES", 2**17)
    monkeypatch.setattr(container_logs, "READ_S_MAX", 300)
    lines, labels = 100_000, {"test": f"logs-{tmp_path.name}"}
    box = ContainerSpec("printer", "harness", ContainerLimits(256 * MIB, 64, 1), command=("-c", PRINTS.format(lines)))
    image = image_records.load("harness").reference
    made = engine.make_container(box, image, "agz-test-", labels)
    options = engine.client.api.inspect_container(made)["HostConfig"]
    engine.remove(made)
    probe = engine.client.api.create_container(
        image, ["-c", PRINTS.format(lines)], entrypoint=["/usr/bin/python3.11"], labels=labels, host_config=options
    )["Id"]
    try:
        logs = ContainerLogs(tmp_path, {})
        logs.follow("printer", engine.attach(probe, stdin=False))
        engine.start(probe)
        assert engine.client.api.wait(probe)["StatusCode"] == 0
        found = logs.close()["printer"]
    finally:
        engine.remove_all(labels)
    assert found == Log(lines * 13, 2**18, cut=True)
    kept = (tmp_path / "printer.log").read_text()
    assert kept.startswith("line 0000000\n")
    assert f"\n[agzamov: cut here; {lines * 13 - 2**18} bytes left out]\n" in kept
    assert f"line {lines - 1:07}\n" in kept[-200:]


def test_a_container_that_fails_at_once_is_heard(engine: ContainerEngine, tmp_path: Path) -> None:
    labels = {"test": f"logs-{tmp_path.name}"}
    box = ContainerSpec("model", "model", ContainerLimits(256 * MIB, 64, 1))
    made = engine.make_container(box, image_records.load("model-server").reference, "agz-test-", labels)
    try:
        logs = ContainerLogs(tmp_path, {})
        with closing(engine.attach(made, stdin=False)) as attached:
            logs.follow("model", attached)
            engine.start(made)
            assert engine.client.api.wait(made)["StatusCode"] == 1
            logs.close()
    finally:
        engine.remove_all(labels)
    assert "error: no model at /models/model.gguf" in (tmp_path / "model.log").read_text()
