"""The system `semantic`: vectors that are known, the same on every kind of processor, and exact scores."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from agzamov_memory import embedding
from agzamov_memory.embedding import DIMENSIONS, SCALE, Embed, EmbeddingError, embedder, gelu
from agzamov_memory.entry import Entry
from agzamov_memory.postings import Integers
from agzamov_memory.systems import Settings, semantic
from memory.server_client import skip_without_weights

KERNELS = ("Prescott", "Sandybridge", "Haswell")
DIGEST = """
import hashlib
import numpy as np
from agzamov_memory.embedding import embedder
embed = embedder()
vectors = [embed(f"Folded to a 3-bet on the river: {number} of 9") for number in range(10)]
print(hashlib.sha256(np.array(vectors).tobytes()).hexdigest())
"""


@pytest.fixture(scope="module")
def embed() -> Embed:
    skip_without_weights("semantic")
    return embedder()


def drawn(text: str) -> Integers:
    """A vector that is drawn by the text."""
    vector = np.random.default_rng(list(hashlib.sha256(text.encode()).digest())).normal(size=DIMENSIONS)
    return np.rint(vector / np.sqrt(vector @ vector) * SCALE).astype(np.int64)


def test_texts_are_as_near_as_the_authors_of_the_model_say(embed: Embed) -> None:
    texts = ("That is a happy person", "That is a happy dog", "That is a very happy person", "Today is a sunny day")
    source, *others = (embed(text) for text in texts)
    assert [round(float(source @ other) / SCALE**2, 3) for other in others] == [0.695, 0.943, 0.257]


def test_every_kind_of_processor_gives_the_same_vectors(embed: Embed) -> None:
    digests = {
        subprocess.run(
            [sys.executable, "-c", DIGEST],
            env=os.environ | {"OPENBLAS_CORETYPE": kernel, "OPENBLAS_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        ).stdout
        for kernel in KERNELS
    }
    assert len(digests) == 1


def test_the_nearest_in_meaning_is_found_without_a_word_in_common(embed: Embed, tmp_path: Path) -> None:
    searched = semantic(Settings(tmp_path), embed)
    for number, content in enumerate(("Castles early", "Bluffs a lot", "The weather is fine"), 1):
        searched.store(Entry(f"e{number:05}", content, (number,), "observation"))
    assert searched.search("does this player bet with weak cards?", 1, 3)[0].entry == "e00002"
    assert searched.search("is it sunny?", 1, 3)[0].entry == "e00003"


def test_scores_are_products_of_integers(tmp_path: Path) -> None:
    texts = [f"note {number}" for number in range(600)]
    searched = semantic(Settings(tmp_path), drawn)
    for number, text in enumerate(texts, 1):
        searched.store(Entry(f"e{number:05}", text, (number,), "observation"))
    products = np.array([drawn(text) for text in texts]) @ drawn("note 77 or so")
    expected = [int(place) + 1 for place in np.lexsort((np.arange(600), -products)) if products[place] > 0]
    assert [int(entry.entry[1:]) for entry in searched.search("note 77 or so", 600, 600)] == expected


def test_gelu_is_right_to_seven_places() -> None:
    assert (
        np.abs(gelu(np.array([-2.0, -1.0, 0.0, 0.5, 3.0])) - [-0.0455003, -0.1586553, 0, 0.3457312, 2.9959502]).max()
        < 2e-7
    )


def test_weights_that_are_not_there_or_are_others_are_said_in_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(embedding, "PACKAGE", "no_such_package")
    with pytest.raises(EmbeddingError, match="expected the packages no_such_package and tokenizers; pip"):
        embedder()
    (tmp_path / "other_weights" / "model").mkdir(parents=True)
    (tmp_path / "other_weights" / "__init__.py").touch()
    for name in embedding.FILES_SHA256:
        (tmp_path / "other_weights" / "model" / name).write_bytes(b"other")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(embedding, "PACKAGE", "other_weights")
    monkeypatch.setattr(embedding, "TOKENIZERS", "json")
    with pytest.raises(EmbeddingError, match="with SHA-256 53aa51172d14…, found d9298a10d1b0…"):
        embedder()
