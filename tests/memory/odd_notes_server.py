"""The notes of notes_server.py with one declared peculiarity: `python odd_notes_server.py ODD`.

refuses      it takes no text that it holds already
shuffles     the order of what a search gives depends on the process
merges       at the end of a game it makes one entry of all that it holds
merges_blind as merges, and what it makes names no sources
"""

import os
import sys

from stdio_server import LIST, NUMBER, TEXT, Json, serve, structured

ODD = sys.argv[1]
SALT = os.getpid()
TOOLS = {
    "remember": {"text": TEXT, "labels": LIST},
    "recall": {"question": TEXT, "count": NUMBER},
    "finish": {"game": NUMBER},
    "everything": {},
}
notes: list[Json] = []
made = 0


def call(tool: str, given: Json) -> Json:
    match tool:
        case "remember":
            return structured(remember(given["text"], given["labels"]))
        case "recall":
            found = sorted(notes, key=lambda note: hash((SALT, note["id"]))) if ODD == "shuffles" else notes
            return structured({"notes": found[: given["count"]]})
        case "finish":
            if ODD.startswith("merges"):
                merge()
            return structured({"count": len(notes)})
        case _:
            return structured({"notes": notes})


def remember(text: str, labels: list[str]) -> Json:
    if ODD == "refuses" and any(note["text"] == text for note in notes):
        return {"ok": False, "why": "there already"}
    notes.append({"id": labels[0], "text": text, "labels": labels, "from": []})
    return {"ok": True, "why": ""}


def merge() -> None:
    global made  # noqa: PLW0603 - one server, one count
    made += 1
    sources = [note["id"] for note in notes]
    games = [label for note in notes for label in note["labels"] if label.startswith("g")]
    text = "\n".join(note["text"] for note in notes)[-400:]
    notes[:] = [{"id": f"m{made}", "text": text, "labels": games, "from": [] if ODD == "merges_blind" else sources}]


if __name__ == "__main__":
    serve(lambda: TOOLS, call)
