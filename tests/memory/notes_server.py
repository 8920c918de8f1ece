"""The server of docs/add-a-memory.md: notes in a list, searched for words."""

from stdio_server import LIST, NUMBER, TEXT, Json, serve, structured

TOOLS = {"remember": {"text": TEXT, "labels": LIST}, "recall": {"question": TEXT, "count": NUMBER}, "everything": {}}
notes: list[Json] = []


def call(tool: str, given: Json) -> Json:
    match tool:
        case "remember":
            notes.append({"id": f"n{len(notes) + 1}", **given})
            return structured({"ok": True, "id": notes[-1]["id"]})
        case "recall":
            words = set(given["question"].lower().split())
            shared = [(len(words & set(note["text"].lower().split())), note) for note in notes]
            found = [note for count, note in sorted(shared, key=lambda pair: -pair[0]) if count]
            return structured({"notes": found[: given["count"]]})
        case _:
            return structured({"notes": notes})


if __name__ == "__main__":
    serve(lambda: TOOLS, call)
