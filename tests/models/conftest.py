"""The babbler as a GGUF file and in an Ollama store, for every test here that needs a live model."""

from pathlib import Path
from typing import NamedTuple

import pytest

from models.store import put_model

NAME = "babbler:latest"


class Babbler(NamedTuple):
    """A model of random, quantised weights: its file, and where an Ollama store holds it."""

    gguf: Path
    store: Path
    digest: str
    size: int


@pytest.fixture(scope="session")
def babbler(tmp_path_factory: pytest.TempPathFactory) -> Babbler:
    from models.babbler import write_model  # noqa: PLC0415 - skips where llama.cpp is missing

    folder = tmp_path_factory.mktemp("babbler")
    gguf, store = folder / "babbler.gguf", folder / "store"
    write_model(gguf, quantised=True)
    return Babbler(gguf, store, *put_model(store, NAME, gguf.read_bytes()))
