"""Writes model.onnx: the sentence encoder all-MiniLM-L6-v2 as a graph in the format ONNX, without its weights.

The weights are those of model.safetensors, which lies beside it in the image: a tensor of ONNX may name a file, an
offset and a length, and safetensors keeps its tensors as they are, one after another. So nothing is converted, and
the graph has 30 kB. `python images/memory-minilm/model_graph.py` writes it again, to the same bytes.
"""

import struct
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from math import prod, sqrt
from pathlib import Path
from typing import NamedTuple

WEIGHTS, GRAPH = "model.safetensors", "model.onnx"
HEADER_BYTES = 8 + 11408
"""Of model.safetensors: the length of the header, and the header."""
POSITIONS, HIDDEN, INNER, HEADS, LAYERS = 512, 384, 1536, 12, 6
NORM_EPSILON = 1e-12
MASKED = -1e9
"""Added to the score of a token that is none: its share is then 0."""
IR_VERSION, OPSET = 9, 20
FLOAT, INT64 = 1, 7
AS_FLOAT, AS_INT, AS_INTS = 1, 2, 7
EXTERNAL = 1
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
OUTPUT = "last_hidden_state"

Value = int | float | Sequence[int]


# The wire format of protocol buffers: a number of a field and its kind, then its value.
def varint(value: int) -> bytes:
    """A number of any size; negative ones in 64 bits."""
    value &= 2**64 - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field: int, value: int) -> bytes:
    """A field with an integer."""
    return varint(field << 3) + varint(value)


def real(field: int, value: float) -> bytes:
    """A field with a number of 32 bits."""
    return varint(field << 3 | 5) + struct.pack("<f", value)


def message(field: int, content: bytes | str) -> bytes:
    """A field with a text, bytes or a message."""
    content = content.encode() if isinstance(content, str) else content
    return varint(field << 3 | 2) + varint(len(content)) + content


class Tensor(NamedTuple):
    """A tensor of the weights' file."""

    name: str
    shape: tuple[int, ...]


def tensors() -> list[Tensor]:
    """The tensors of 32-bit numbers, in the order of the file: by name."""
    norms = ["embeddings"]
    found = [
        Tensor("embeddings.position_embeddings.weight", (POSITIONS, HIDDEN)),
        Tensor("embeddings.token_type_embeddings.weight", (2, HIDDEN)),
        Tensor("embeddings.word_embeddings.weight", (30522, HIDDEN)),
    ]
    linear = {"pooler.dense": (HIDDEN, HIDDEN)}
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}"
        norms += [f"{name}.attention.output", f"{name}.output"]
        linear |= {f"{name}.attention.self.{part}": (HIDDEN, HIDDEN) for part in ("query", "key", "value")}
        linear |= {f"{name}.attention.output.dense": (HIDDEN, HIDDEN)}
        linear |= {f"{name}.intermediate.dense": (INNER, HIDDEN), f"{name}.output.dense": (HIDDEN, INNER)}
    found += [Tensor(f"{name}.LayerNorm.{part}", (HIDDEN,)) for name in norms for part in ("bias", "weight")]
    for name, shape in linear.items():
        found += [Tensor(f"{name}.bias", shape[:1]), Tensor(f"{name}.weight", shape)]
    return sorted(found)


def places() -> Iterator[tuple[Tensor, int, int]]:
    """Each tensor of the weights' file, with its offset and its length in bytes. The first is one of integers."""
    found = tensors()
    lengths = [4 * prod(tensor.shape) for tensor in found]
    offsets = accumulate([HEADER_BYTES + 8 * POSITIONS, *lengths])
    return zip(found, offsets, lengths, strict=False)


def external(tensor: Tensor, offset: int, length: int) -> bytes:
    """A tensor that lies in the weights' file."""
    pairs = {"location": WEIGHTS, "offset": str(offset), "length": str(length)}
    place = b"".join(message(13, message(1, key) + message(2, value)) for key, value in pairs.items())
    dims = b"".join(number(1, size) for size in tensor.shape)
    return dims + number(2, FLOAT) + message(8, tensor.name) + place + number(14, EXTERNAL)


def constant(name: str, value: float | Sequence[int]) -> bytes:
    """A number of 32 bits, or a list of integers."""
    if isinstance(value, float):
        return number(2, FLOAT) + message(8, name) + message(9, struct.pack("<f", value))
    packed = b"".join(struct.pack("<q", one) for one in value)
    return number(1, len(value)) + number(2, INT64) + message(8, name) + message(9, packed)


def shaped(name: str, kind: int, shape: Iterable[str | int]) -> bytes:
    """An input or the output; a text in its shape is the name of a size."""
    dims = (message(1, number(1, size) if isinstance(size, int) else message(2, size)) for size in shape)
    tensor = number(1, kind) + message(2, b"".join(dims))
    return message(1, name) + message(2, message(1, tensor))


def attribute(name: str, value: Value) -> bytes:
    """An attribute of a node."""
    match value:
        case float():
            return message(1, name) + real(2, value) + number(20, AS_FLOAT)
        case int():
            return message(1, name) + number(3, value) + number(20, AS_INT)
        case _:
            return message(1, name) + b"".join(number(8, one) for one in value) + number(20, AS_INTS)


class Graph:
    """The nodes and constants so far. Each node has one output, whose name is returned."""

    def __init__(self) -> None:
        self.nodes: list[bytes] = []
        self.constants: list[bytes] = []

    def node(self, kind: str, *inputs: str, output: str = "", **attributes: Value) -> str:
        output = output or f"{kind}_{len(self.nodes)}"
        content = b"".join(message(1, name) for name in inputs) + message(2, output) + message(3, output)
        content += message(4, kind) + b"".join(message(5, attribute(*each)) for each in attributes.items())
        self.nodes.append(content)
        return output

    def constant(self, value: float | Sequence[int]) -> str:
        name = f"constant_{len(self.constants)}"
        self.constants.append(constant(name, value))
        return name

    def linear(self, states: str, name: str) -> str:
        weight = self.node("Transpose", f"{name}.weight", perm=(1, 0))
        return self.node("Add", self.node("MatMul", states, weight), f"{name}.bias")

    def norm(self, states: str, name: str, output: str = "") -> str:
        scale, bias = f"{name}.LayerNorm.weight", f"{name}.LayerNorm.bias"
        return self.node("LayerNormalization", states, scale, bias, output=output, axis=-1, epsilon=NORM_EPSILON)

    def embedded(self) -> str:
        """The states before the first layer."""
        ids, _, types = INPUTS
        words = self.node("Gather", "embeddings.word_embeddings.weight", ids)
        kinds = self.node("Gather", "embeddings.token_type_embeddings.weight", types)
        length = self.node("Shape", ids, start=1, end=2)
        first, axis = self.constant((0,)), self.constant((0,))
        order = self.node("Slice", "embeddings.position_embeddings.weight", first, length, axis)
        return self.norm(self.node("Add", self.node("Add", words, kinds), order), "embeddings")

    def mask(self) -> str:
        """What is added to scores: 0 for tokens, MASKED for what fills up a shorter text."""
        mask = self.node("Unsqueeze", self.node("Cast", INPUTS[1], to=FLOAT), self.constant((1, 2)))
        return self.node("Mul", self.node("Sub", self.constant(1.0), mask), self.constant(MASKED))

    def attention(self, states: str, mask: str, layer: str) -> str:
        heads = self.constant((0, 0, HEADS, HIDDEN // HEADS))
        parts = {
            part: self.node("Reshape", self.linear(states, f"{layer}.attention.self.{part}"), heads)
            for part in ("query", "key", "value")
        }
        query, value = (self.node("Transpose", parts[part], perm=(0, 2, 1, 3)) for part in ("query", "value"))
        key = self.node("Transpose", parts["key"], perm=(0, 2, 3, 1))
        scale = self.constant(1 / sqrt(HIDDEN // HEADS))
        scores = self.node("Mul", self.node("MatMul", query, key), scale)
        shares = self.node("Softmax", self.node("Add", scores, mask), axis=-1)
        mixed = self.node("Transpose", self.node("MatMul", shares, value), perm=(0, 2, 1, 3))
        together = self.node("Reshape", mixed, self.constant((0, 0, HIDDEN)))
        return self.linear(together, f"{layer}.attention.output.dense")


def model() -> bytes:
    """The file."""
    graph = Graph()
    states, mask = graph.embedded(), graph.mask()
    for number_of_layer in range(LAYERS):
        name, last = f"encoder.layer.{number_of_layer}", number_of_layer == LAYERS - 1
        attention = graph.attention(states, mask, name)
        states = graph.norm(graph.node("Add", states, attention), f"{name}.attention.output")
        inner = graph.node("Gelu", graph.linear(states, f"{name}.intermediate.dense"))
        mixed = graph.node("Add", states, graph.linear(inner, f"{name}.output.dense"))
        states = graph.norm(mixed, f"{name}.output", OUTPUT if last else "")
    used = (place for place in places() if not place[0].name.startswith("pooler"))
    initializers = [*graph.constants, *(external(*place) for place in used)]
    content = b"".join(message(1, node) for node in graph.nodes) + message(2, "all-MiniLM-L6-v2")
    content += b"".join(message(5, one) for one in initializers)
    content += b"".join(message(11, shaped(name, INT64, ("texts", "tokens"))) for name in INPUTS)
    content += message(12, shaped(OUTPUT, FLOAT, ("texts", "tokens", HIDDEN)))
    opset = message(1, "") + number(2, OPSET)
    return number(1, IR_VERSION) + message(2, "agzamov") + message(7, content) + message(8, opset)


if __name__ == "__main__":
    Path(__file__).with_name(GRAPH).write_bytes(model())
