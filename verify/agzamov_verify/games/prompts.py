"""The digests of all prompt templates, so that a manifest pins the words a seat will read."""

import hashlib

from .chess960 import prompt as chess960
from .holdem import prompt as holdem
from .patterns import CHESS_PATTERNS, POKER_PATTERNS


def prompt_digests() -> dict[str, str]:
    """Template name to SHA-256 of its UTF-8 text."""
    patterns = {f"pattern/{name.value}": text for name, text in (CHESS_PATTERNS | POKER_PATTERNS).items()}
    texts = chess960.TEMPLATES | holdem.TEMPLATES | patterns
    return {name: hashlib.sha256(text.encode()).hexdigest() for name, text in sorted(texts.items())}
