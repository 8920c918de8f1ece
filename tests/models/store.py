"""An Ollama store on disk as Ollama lays it out: a manifest, and blobs named by their own SHA-256."""

import hashlib
import json
from pathlib import Path

TEMPLATE = "application/vnd.ollama.image.template"
WEIGHTS = "application/vnd.ollama.image.model"


def blob_path(store: Path, digest: str) -> Path:
    return store / "blobs" / f"sha256-{digest.removeprefix('sha256:')}"


def put_blob(store: Path, data: bytes) -> dict[str, object]:
    """Write a blob; the row under which a manifest names it."""
    digest = hashlib.sha256(data).hexdigest()
    path = blob_path(store, digest)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return {"digest": f"sha256:{digest}", "size": len(data)}


def put_model(store: Path, name: str, weights: bytes) -> tuple[str, int]:
    """Write a model of `weights`; its digest and its size, as /api/tags shows them."""
    config = put_blob(store, json.dumps({"model_format": "gguf", "name": name}).encode())
    layers = [
        {"mediaType": WEIGHTS, **put_blob(store, weights)},
        {"mediaType": TEMPLATE, **put_blob(store, b"{{ .Prompt }}")},
    ]
    manifest = {"schemaVersion": 2, "config": {"mediaType": "application/json", **config}, "layers": layers}
    data = json.dumps(manifest).encode() + b"\n"
    path = manifest_path(store, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    size = sum(int(str(row["size"])) for row in (config, *layers))
    return hashlib.sha256(data).hexdigest(), size


def manifest_path(store: Path, name: str) -> Path:
    base, _, tag = name.partition(":")
    return store / "manifests" / "registry.ollama.ai" / "library" / base / (tag or "latest")
