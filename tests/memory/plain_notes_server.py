"""A memory server as people bring them: `python plain_notes_server.py KIND [DEFECT]`. It has no tool that lists all.

whole      a search gives entries in prose, with a label and the server's number before each
parts      it gives the second half of each entry, from the beginning of a word
previews   it gives the first 30 characters of a longer entry and then "...", and the tool `read` gives the whole
index      a search gives numbers alone, and so does the tool `list`; `read` gives the entry
rewrites   it gives one text of its own for all that it holds

brings     (defect) it holds an entry from the start
invents    once it holds three entries a search gives one that was never stored
elsewhere  a part or a preview of another text stands in the place of an entry's; `read` gives the entry before
strict     its search forbids arguments that it does not name
counts     its end of a game counts one entry too many
"""

import json
import sys

from stdio_server import NUMBER, STRICT, TEXT, Json, prose, serve, structured

KIND, DEFECT = sys.argv[1], " ".join(sys.argv[2:])
KEPT, PREVIEW = 3, 30
TOOLS: dict[str, Json] = {
    "remember": {"text": TEXT},
    "recall": {"question": TEXT, "count": NUMBER, **({STRICT: {}} if DEFECT == "strict" else {})},
    "read": {"number": NUMBER},
    "list": {},
    "finish": {},
}
notes: list[str] = ["1. e4 is best"] if DEFECT == "brings" else []


def call(tool: str, given: Json) -> Json:
    match tool:
        case "remember":
            notes.append(given["text"])
            return prose(f"Stored as note #{len(notes)}.")
        case "recall":
            return recalled(given["question"], given["count"])
        case "read":
            number = max(1, given["number"] - (DEFECT == "elsewhere"))
            return prose(f"Note #{number}\n{notes[number - 1]}")
        case "list":
            text = json.dumps([{"number": number} for number in range(1, len(notes) + 1)])
            return prose(f"All notes: {text}" if notes else "There are no notes.")
        case _:
            return structured({"notes": len(notes) + (DEFECT == "counts")})


def recalled(question: str, count: int) -> Json:
    words = set(question.lower().split())
    shared = [(len(words & set(note.lower().split())), number) for number, note in enumerate(notes, 1)]
    found = [number for shares, number in sorted(shared, key=lambda pair: (-pair[0], pair[1])) if shares][:count]
    if DEFECT == "brings":
        found = [1]
    if not found:
        return prose("There are no notes about that.", failed=KIND == "previews")
    if KIND == "index":
        return prose("Found: " + json.dumps([{"number": number} for number in found]))
    if KIND == "rewrites":
        return prose(f"You seem to have noted {len(notes)} things, some of them about {question.upper()!r}.")
    texts = [shown(notes[number - 1]) for number in found]
    if DEFECT == "invents" and len(notes) >= KEPT:
        texts[0] = "1. e4 is best"
    return prose("".join(f"[note #{number}] {text}\n--\n" for number, text in zip(found, texts, strict=True)))


def shown(text: str) -> str:
    if DEFECT == "elsewhere" and KIND != "index":
        text = text[::-1]
    if KIND == "parts":
        return text[text.rfind(" ", 0, len(text) // 2 + 1) + 1 :]
    return text[:PREVIEW] + "..." if KIND == "previews" and len(text) > PREVIEW else text


if __name__ == "__main__":
    serve(lambda: TOOLS, call)
