"""Write a checkpoint as a GGUF, the same bytes each time: `python export.py RUN/checkpoint.pt tinymodel.gguf`."""

import argparse
import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, Protocol

import gguf
import numpy as np
import torch
from llama import Llama, Shape
from torch import Tensor, nn
from vocabulary import ANSWER, BYTES, CONTROL, END, TOKENS

HERE = Path(__file__).parent


class Exported(Protocol):
    """A model as it is exported: `head` has a row for each token that it may write, and last one for all others."""

    head: Tensor
    norm: Tensor
    layers: nn.ModuleList

    def table(self) -> Tensor:
        """The embedding of every token."""


def tensors(model: Exported, tokens: int, answer: list[int]) -> Iterator[tuple[str, Tensor]]:
    """The tensors by the names that llama.cpp gives them. `answer`: those of the tokens that the model may write."""
    head = model.head[-1].repeat(tokens, 1)
    head[answer] = model.head[:-1]
    yield "token_embd.weight", model.table()
    yield "output_norm.weight", model.norm
    yield "output.weight", head
    yield from of_layers(model.layers)


def of_layers(layers: Iterable[nn.Module]) -> Iterator[tuple[str, Tensor]]:
    """The tensors of the layers."""
    for at, layer in enumerate(layers):
        named = dict(layer.named_parameters())
        for ours, theirs in NAMES.items():
            yield f"blk.{at}.{theirs}.weight", named[ours]


NAMES = {
    "attn_norm": "attn_norm",
    "q": "attn_q",
    "k": "attn_k",
    "v": "attn_v",
    "out": "attn_output",
    "ffn_norm": "ffn_norm",
    "gate": "ffn_gate",
    "up": "ffn_up",
    "down": "ffn_down",
}


class Sizes(Protocol):
    """The sizes of a model, as a llama has them."""

    width: int
    layers: int
    heads: int
    inner: int
    context: int
    rope_base: float
    epsilon: float


class Described(NamedTuple):
    """What a file says of itself besides its weights: its name, tokens (control and bytes first) and chat template."""

    name: str
    tokens: list[str]
    template: str


def describe(writer: gguf.GGUFWriter, shape: Sizes, of: Described) -> None:
    """Sizes, tokens and the chat template."""
    writer.add_name(of.name)
    writer.add_license("MIT")
    writer.add_context_length(shape.context)
    writer.add_embedding_length(shape.width)
    writer.add_block_count(shape.layers)
    writer.add_feed_forward_length(shape.inner)
    writer.add_head_count(shape.heads)
    writer.add_head_count_kv(shape.heads)
    writer.add_layer_norm_rms_eps(shape.epsilon)
    writer.add_rope_dimension_count(shape.width // shape.heads)
    writer.add_rope_freq_base(shape.rope_base)
    writer.add_vocab_size(len(of.tokens))
    writer.add_tokenizer_model("llama")
    writer.add_token_list(of.tokens)
    writer.add_token_scores([0.0] * len(of.tokens))
    kinds = [gguf.TokenType.UNKNOWN, *[gguf.TokenType.CONTROL] * 2, *[gguf.TokenType.BYTE] * len(BYTES)]
    writer.add_token_types([*kinds, *[gguf.TokenType.USER_DEFINED] * (len(of.tokens) - len(kinds))])
    writer.add_bos_token_id(CONTROL.index("<s>"))
    writer.add_eos_token_id(END)
    writer.add_unk_token_id(CONTROL.index("<unk>"))
    writer.add_add_bos_token(False)
    writer.add_add_space_prefix(False)
    writer.add_chat_template(of.template)


def write(
    path: Path,
    shape: Sizes,
    of: Described,
    weights: Iterable[tuple[str, Tensor]],
    kind: gguf.GGMLQuantizationType,
) -> None:
    """The whole file; matrices are quantised to `kind`. The digest is recorded beside it."""
    new = path.with_suffix(".new")
    writer = gguf.GGUFWriter(new, "llama")
    describe(writer, shape, of)
    for name, tensor in weights:
        values = tensor.detach().numpy().astype(np.float32)
        if values.ndim == 1:
            writer.add_tensor(name, values)
        else:
            writer.add_tensor(name, gguf.quants.quantize(values, kind), raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    new.replace(path)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    path.with_name(path.name + ".sha256").write_text(f"{digest}  {path.name}\n")
    print(path.stat().st_size, "bytes", digest)


def main() -> None:
    """Export, and record the digest beside the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("gguf", type=Path)
    parser.add_argument("--type", choices=("Q8_0", "F16", "F32"), default="Q8_0")
    options = parser.parse_args()
    saved = torch.load(options.checkpoint)
    model = Llama(Shape(**saved["shape"]))
    model.load_state_dict(saved["model"])
    print("step", saved["step"])
    of = Described("agzamov-tinymodel", TOKENS, (HERE / "template.jinja").read_text())
    write(options.gguf, model.shape, of, tensors(model, len(TOKENS), ANSWER), gguf.GGMLQuantizationType[options.type])


if __name__ == "__main__":
    main()
