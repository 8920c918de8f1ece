"""Nothing here may start a program, open a connection, or write a file: a bundle is only ever read."""

import socket
import subprocess
from pathlib import Path
from typing import NoReturn

import pytest

from agzamov_harness.foundation import program_and_machine
from bundles.bundle_factory import Draft


@pytest.fixture
def draft(tiny: Path) -> Draft:
    """A small good bundle, taken apart."""
    return Draft.of(tiny)


@pytest.fixture
def contained() -> None:
    """Asked for by a test that itself starts a program."""


@pytest.fixture(autouse=True)
def _nothing_is_started(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Make starting a process or opening a socket fail the test."""

    def refuse(*arguments: object, **_: object) -> NoReturn:
        raise AssertionError(f"the verifier tried to run or to reach something: {arguments!r}")

    if "contained" not in request.fixturenames:
        monkeypatch.setattr(subprocess, "Popen", refuse)
    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(program_and_machine, "_git", lambda *_: None)  # the harness, which makes bundles here, asks git
