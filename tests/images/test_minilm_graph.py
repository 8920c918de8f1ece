"""The encoder of the memory servers' images: a graph beside the weights, whose places it names."""

import runpy
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "images" / "memory-minilm"
WEIGHTS_BYTES = 90_868_376


def test_the_graph_is_what_its_program_writes() -> None:
    program = runpy.run_path(str(FOLDER / "model_graph.py"))
    assert program["model"]() == (FOLDER / "model.onnx").read_bytes(), "python images/memory-minilm/model_graph.py"


def test_the_tensors_fill_the_file_of_the_weights_to_its_end() -> None:
    program = runpy.run_path(str(FOLDER / "model_graph.py"))
    places = list(program["places"]())
    ends = [offset + length for _, offset, length in places]
    assert [offset for _, offset, _ in places[1:]] == ends[:-1]
    assert ends[-1] == WEIGHTS_BYTES
