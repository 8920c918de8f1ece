"""Real memory servers as they were seen to answer, for tests: `python recorded_servers.py NAME DATA`.

What is written here are the calls and answers of real servers, word by word; how they search is not.
"""

import hashlib
import json
import sys
import uuid
from pathlib import Path
from typing import Any

from stdio_server import LIST, NUMBER, OBJECT, TEXT, Json, prose, serve, structured

NAME, DATA = sys.argv[1], Path(sys.argv[2])
TOOLS: dict[str, dict[str, Json]] = {
    "server-memory": {
        "create_entities": {"entities": LIST},
        "add_observations": {"observations": LIST},
        "search_nodes": {"query": TEXT},
        "open_nodes": {"names": LIST},
        "read_graph": {},
    },
    "mcp-memory-service": {
        "memory_store": {"content": TEXT, "metadata": OBJECT},
        "memory_search": {"query": TEXT, "limit": NUMBER},
        "memory_list": {"page": NUMBER, "page_size": NUMBER},
    },
    "basic-memory": {
        "write_note": {
            "title": TEXT,
            "content": TEXT,
            "directory": TEXT,
            "tags": LIST,
            "metadata": OBJECT,
            "output_format": TEXT,
        },
        "search_notes": {"query": TEXT, "page_size": NUMBER, "output_format": TEXT},
        "export_notes": {},
    },
    "chroma-mcp": {
        "chroma_create_collection": {"collection_name": TEXT},
        "chroma_add_documents": {"collection_name": TEXT, "documents": LIST, "ids": LIST, "metadatas": LIST},
        "chroma_query_documents": {"collection_name": TEXT, "query_texts": LIST, "n_results": NUMBER},
        "chroma_get_documents": {"collection_name": TEXT, "limit": NUMBER},
    },
    "mem0": {
        "add": {"content": TEXT, "metadata": OBJECT},
        "search": {"query": TEXT, "limit": NUMBER},
        "export": {},
    },
    "brainops": {
        "memory_store": {"content": TEXT, "type": TEXT, "tags": LIST, "importance": NUMBER, "source": TEXT},
        "memory_search": {"query": TEXT, "limit": NUMBER},
        "memory_list": {"offset": NUMBER, "limit": NUMBER},
    },
}
held: list[Json] = []


def found(query: str, limit: int = 1000) -> list[Json]:
    """The entries with most words of the query; each keeps its text under `content`."""
    words = set(query.lower().split())
    shared = [(len(words & set(one["content"].lower().split())), one) for one in held]
    return [one for count, one in sorted(shared, key=lambda pair: -pair[0]) if count][:limit]


def call(tool: str, given: Json) -> Json:
    answer: Json = globals()[f"{NAME.replace('-', '_')}_{tool}"](**given)
    return answer


def server_memory_create_entities(entities: list[Json]) -> Json:
    held.extend({"content": one["observations"][0], "entity": one} for one in entities)
    return structured({"entities": entities})


def server_memory_search_nodes(query: str) -> Json:
    entities = [one["entity"] for one in held if query.lower() in json.dumps(one["entity"]).lower()]
    return structured({"entities": entities, "relations": []})


def server_memory_read_graph() -> Json:
    return structured({"entities": [one["entity"] for one in held], "relations": []})


def mcp_memory_service_memory_store(content: str, metadata: Json) -> Json:
    digest = hashlib.sha256(content.encode()).hexdigest()
    if any(one["content_hash"] == digest for one in held):
        return prose("Error storing memory: Duplicate content detected (exact match)", failed=True)
    held.append({"content": content, "content_hash": digest, "metadata": metadata})
    return prose(f"Memory stored successfully (hash: {digest[:12]}...)")


def mcp_memory_service_memory_search(query: str, limit: int) -> Json:
    hits = found(query, limit)
    if not hits:
        return prose("No memories found")
    lines = [f"{number}. {one['content']}\n   Hash: {one['content_hash']}" for number, one in enumerate(hits, 1)]
    return prose(f"Found {len(hits)} memories (mode: semantic):\n\n" + "\n\n".join(lines))


def mcp_memory_service_memory_list(page: int, page_size: int) -> Json:
    memories = held[(page - 1) * page_size : page * page_size]
    pages = -(-len(held) // page_size)
    listed = {"memories": memories, "page": page, "page_size": page_size, "total": len(held), "total_pages": pages}
    return prose(json.dumps({**listed, "has_more": page < pages}))


def basic_memory_write_note(title: str, content: str, metadata: Json, directory: str, **_: Any) -> Json:
    held.append({"content": content, "title": title, "head": {**metadata, "title": title}})
    path = DATA / "notes" / directory / f"{title}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    front = "".join(f"{name}: {value}\n" for name, value in metadata.items())
    path.write_text(f"---\ntitle: {title}\ntype: note\n{front}permalink: main/{directory}/{title}\n---\n\n{content}")
    done = {"title": title, "permalink": f"main/{directory}/{title}", "checksum": None, "action": "created"}
    return structured({"result": {**done, "file_path": f"{directory}/{title}.md"}})


def basic_memory_search_notes(query: str, page_size: int, **_: Any) -> Json:
    return structured({"result": {"results": found(query, page_size)}})


def basic_memory_export_notes() -> Json:
    return structured({"notes": held})


def chroma_mcp_chroma_create_collection(collection_name: str) -> Json:
    return prose(f"Successfully created Chroma collection: {collection_name}")


def chroma_mcp_chroma_add_documents(collection_name: str, documents: Any, ids: Any, metadatas: Any) -> Json:
    held.extend({"content": a, "id": b, "metadata": c} for a, b, c in zip(documents, ids, metadatas, strict=True))
    return prose(f"Successfully added {len(ids)} documents to collection {collection_name}, result is None")


def chroma_mcp_chroma_query_documents(query_texts: list[str], n_results: int, **_: Any) -> Json:
    hits = found(query_texts[0], n_results)
    rows = {"ids": [[one["id"] for one in hits]], "documents": [[one["content"] for one in hits]]}
    return prose(json.dumps(rows))


def chroma_mcp_chroma_get_documents(**_: Any) -> Json:
    columns = {"ids": "id", "documents": "content", "metadatas": "metadata"}
    return prose(json.dumps({name: [one[key] for one in held] for name, key in columns.items()}))


def mem0_add(content: str, metadata: Json) -> Json:
    one = {"id": str(uuid.uuid4()), "memory": content, "metadata": metadata, "content": content}
    held.append(one)
    return structured({"results": [{"id": one["id"], "memory": content, "event": "ADD", "role": "user"}]})


def mem0_search(query: str, limit: int) -> Json:
    return structured({"results": found(query, limit)})


def mem0_export() -> Json:
    return structured({"results": held})


def brainops_memory_store(content: str, tags: list[str], type: str, **_: Any) -> Json:  # noqa: A002 - its own word
    held.append({"id": str(uuid.uuid4()), "content": content, "tags": tags, "type": type})
    return structured({"id": held[-1]["id"]})


def brainops_memory_search(query: str, limit: int) -> Json:
    return structured({"memories": found(query, limit)})


def brainops_memory_list(offset: int, limit: int) -> Json:
    return structured({"memories": held[offset : offset + limit], "has_more": offset + limit < len(held)})


if __name__ == "__main__":
    serve(lambda: TOOLS[NAME], call)
