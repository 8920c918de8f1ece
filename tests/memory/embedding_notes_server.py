"""A memory server that needs a model: notes are ranked by embeddings that the API at MODELS_URL makes."""

import json
import os
import urllib.request

from stdio_server import NUMBER, TEXT, Json, prose, serve, structured

TOOLS = {"remember": {"text": TEXT}, "recall": {"question": TEXT, "count": NUMBER}, "everything": {}}
notes: list[Json] = []


def embedded(text: str) -> list[float]:
    """The vector of a text. Raises URLError."""
    body = json.dumps({"input": text, "model": "words-64"}).encode()
    headers = {"Content-Type": "application/json", "Authorization": "Bearer of-the-server"}
    asked = urllib.request.Request(f"{os.environ['MODELS_URL']}/embeddings", body, headers)  # noqa: S310 - the relay is HTTP
    with urllib.request.urlopen(asked) as answer:  # noqa: S310
        return list(json.load(answer)["data"][0]["embedding"])


def call(tool: str, given: Json) -> Json:
    try:
        match tool:
            case "remember":
                notes.append({"text": given["text"], "vector": embedded(given["text"])})
                return structured({"ok": True})
            case "recall":
                vector = embedded(given["question"])
                close = [(sum(a * b for a, b in zip(vector, note["vector"], strict=True)), note) for note in notes]
                found = [note for dot, note in sorted(close, key=lambda pair: -pair[0]) if dot]
                return structured({"notes": [{"text": note["text"]} for note in found[: given["count"]]]})
            case _:
                return structured({"notes": [{"text": note["text"]} for note in notes]})
    except OSError as error:
        return prose(f"no embedding: {error}", failed=True)


if __name__ == "__main__":
    serve(lambda: TOOLS, call)
