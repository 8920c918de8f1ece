"""A GGUF of a llama with 0.2 M random parameters and a tokenizer of its own, made in a moment.

Some of its tokens are whole lines such as "MOVE: e2e4", so that it sometimes declares a move, at times a legal one.
Others are words of our prompts, which it reads and never says: a prompt of bytes alone has four times the tokens, and
takes ten times as long to read.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agzamov_verify.games.chess.game_script import ChessRules
from agzamov_verify.games.chess.prompt import system_message as of_chess
from agzamov_verify.games.holdem.prompt import PokerTerms
from agzamov_verify.games.holdem.prompt import system_message as of_holdem

WHY = "no llama.cpp server here: pip install xllamacpp gguf (wheels exist for Linux on x86-64)"
gguf: Any = pytest.importorskip("gguf", reason=WHY)
pytest.importorskip("xllamacpp", reason=WHY)
np: Any = pytest.importorskip("numpy")

WIDTH, LAYERS, HEADS, INNER = 64, 2, 4, 128
SLOT_TOKENS = 8192
STEPS = ("23", "24", "34", "56", "75", "76")
MOVES = [f"\nMOVE: {file}{rank}{file}{to}\n" for file in "abcdefgh" for rank, to in STEPS]
SPECIAL = ["<unk>", "<s>", "</s>"]
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
BLANK = "\u2581"
PROMPTS = f"{of_chess((), ChessRules().terms(512)).content} {of_holdem((), PokerTerms(10_000)).content}"
BEGUN = {f"{BLANK}{word[:end]}" for word in PROMPTS.split() for end in range(1, len(word) + 1)}
READ = sorted({BLANK, *(f"{BLANK}{chr(byte)}" for byte in range(33, 127)), *BEGUN}, key=lambda text: (len(text), text))
"""A blank with the beginnings of a word after it, for a tokenizer puts two tokens together at a time."""
CHAT = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}assistant:"


def write_model(path: Path, seed: int = 1, *, quantised: bool = False, chat: str = CHAT) -> None:
    """A GGUF of a llama with random weights, which `seed` draws, and the chat template `chat`; in F32, or as Q8_0."""
    writer = gguf.GGUFWriter(path, "llama")
    tokens = [*SPECIAL, *BYTES, *MOVES, *READ]
    kinds = [gguf.TokenType.UNKNOWN, *[gguf.TokenType.CONTROL] * 2, *[gguf.TokenType.BYTE] * 256]
    writer.add_context_length(SLOT_TOKENS)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([-float(rank) for rank in range(len(tokens))])
    writer.add_token_types([*kinds, *[gguf.TokenType.NORMAL] * len([*MOVES, *READ])])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_chat_template(chat)
    for name, values in weights(len(tokens), seed):
        if quantised and values.ndim == 2:
            kind = gguf.GGMLQuantizationType.Q8_0
            writer.add_tensor(name, gguf.quants.quantize(values.astype(np.float32), kind), raw_dtype=kind)
        else:
            writer.add_tensor(name, values.astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def weights(tokens: int, seed: int) -> Iterator[tuple[str, Any]]:
    rng = np.random.default_rng(seed)

    def matrix(rows: int, columns: int) -> Any:
        return rng.normal(0, columns**-0.5, (rows, columns))

    yield "token_embd.weight", matrix(tokens, WIDTH)
    yield "output.weight", matrix(tokens, WIDTH) * said_aloud(tokens)
    yield "output_norm.weight", np.ones(WIDTH)
    for layer in range(LAYERS):
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            yield f"blk.{layer}.{name}.weight", matrix(WIDTH, WIDTH)
        for name in ("ffn_gate", "ffn_up"):
            yield f"blk.{layer}.{name}.weight", matrix(INNER, WIDTH)
        yield f"blk.{layer}.ffn_down.weight", matrix(WIDTH, INNER)
        for name in ("attn_norm", "ffn_norm"):
            yield f"blk.{layer}.{name}.weight", np.ones(WIDTH)


def said_aloud(tokens: int) -> Any:
    """1 for each token that the babbler may well say; 0, which leaves it far behind, for a word and for no letter."""
    loud = np.ones((tokens, 1))
    for at in range(len(SPECIAL), len(SPECIAL) + 256):
        loud[at] = 32 <= at - len(SPECIAL) < 127
    loud[tokens - len(READ) :] = 0
    return loud
