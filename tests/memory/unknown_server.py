"""Servers whose use has to be found out: `unknown_server.py KIND`.

structured  results with structured content, and a tool that gives everything
json        JSON as text, names that are numbers, no tool that gives everything, prose where nothing was found
prose       prose with beginnings of long notes; a second tool gives one whole
parts       a search gives a long note twice, once for each part of it that was found; a second tool gives one whole
framed      refuses texts of less than 50 characters
no-search   no tool that searches
no-store    no tool that stores
named       each note has a name of its own (handle); a name that is taken is refused, and that is no error
silent      the tools are there, but nothing that was stored is ever found
"""

import json
import sys

from stdio_server import NUMBER, TEXT, Json, prose, serve, structured

KIND = sys.argv[1]
PREVIEW = 60
notes: list[str] = []
handles = set[str]()
STORE: Json = {"save_note": {"content": TEXT}}
TOOLS: dict[str, dict[str, Json]] = {
    "structured": {**STORE, "search_notes": {"query": TEXT, "limit": NUMBER}, "list_notes": {}},
    "json": {**STORE, "find_notes": {"question": TEXT}},
    "prose": {**STORE, "search_notes": {"query": TEXT}, "get_note": {"note_id": TEXT}},
    "parts": {**STORE, "search_notes": {"query": TEXT}, "get_note": {"note_id": TEXT}},
    "framed": {**STORE, "search_notes": {"query": TEXT}},
    "named": {"save_note": {"content": TEXT, "handle": TEXT}, "search_notes": {"query": TEXT}},
    "no-search": STORE,
    "no-store": {"search_notes": {"query": TEXT}},
    "silent": {**STORE, "search_notes": {"query": TEXT}},
}


def call(tool: str, given: Json) -> Json:
    match tool:
        case "save_note":
            return stored(given)
        case "get_note":
            number = int(given["note_id"].removeprefix("n"))
            return structured({"note": {"id": f"n{number}", "body": notes[number - 1]}})
        case "list_notes":
            return structured({"all": [{"id": f"n{n}", "text": text} for n, text in enumerate(notes, 1)]})
        case _:
            found = [] if KIND == "silent" else search(given.get("query") or given["question"])
            return answer(found[: given.get("limit", 10)])


def stored(given: Json) -> Json:
    if KIND == "framed" and len(given["content"]) < 50:
        return prose("content must be at least 50 characters", failed=True)
    if given.get("handle") in handles:
        return structured({"success": False, "reason": f"{given['handle']} is already stored"})
    handles.update([given["handle"]] if "handle" in given else [])
    notes.append(given["content"])
    if KIND == "prose":
        return prose(f"Note saved. ID: n{len(notes)}")
    value = {"success": True, "id": len(notes) if KIND == "json" else f"n{len(notes)}"}
    return prose(json.dumps(value)) if KIND == "json" else structured(value)


def search(query: str) -> list[int]:
    """Numbers of the notes that share a word of four letters with a query, those that share most first."""
    words = {word for word in query.lower().split() if len(word) > 3}
    shared = {n: len(words & set(text.lower().split())) for n, text in enumerate(notes, 1)}
    return sorted((n for n in shared if shared[n]), key=lambda n: (-shared[n], n))[:10]


def answer(found: list[int]) -> Json:
    if KIND == "json":
        rows = [{"id": n, "score": 0.5 / n, "note": {"text": notes[n - 1]}} for n in found]
        return prose(json.dumps({"results": rows}) if rows else "Nothing was found.")
    if KIND == "prose":
        lines = [f"{place}. [n{n}] {cut(notes[n - 1])}\n   score 0.{n}7" for place, n in enumerate(found, 1)]
        return prose("\n\n".join([f"Found {len(found)} notes:", *lines]))
    if KIND == "parts":
        pieces = [(n, cut(notes[n - 1])) for n in found for _ in range(1 + (len(notes[n - 1]) > PREVIEW))]
        return structured({"hits": [{"id": f"n{n}", "text": text} for n, text in pieces]})
    return structured({"hits": [{"id": f"n{n}", "text": notes[n - 1]} for n in found]})


def cut(text: str) -> str:
    return text if len(text) <= PREVIEW else f"{text[:PREVIEW]}..."


if __name__ == "__main__":
    serve(lambda: TOOLS[KIND], call)
