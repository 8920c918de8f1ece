"""manifests/ollama.yaml is a plan that needs nothing but its digest."""

from pathlib import Path

from agzamov_harness.run.plan_file import read_plan
from agzamov_verify.seats import Determinism, OllamaSeat

MANIFEST = Path(__file__).parents[2] / "manifests" / "ollama.yaml"


def test_the_ready_plan_is_strict_and_asks_for_the_digest_that_is_to_be_put_in() -> None:
    seat = read_plan(MANIFEST).seats["model"]
    assert isinstance(seat, OllamaSeat)
    assert (seat.determinism, seat.model_digest) == (Determinism.STRICT, "0" * 64)


def test_its_header_says_what_to_type() -> None:
    text = MANIFEST.read_text()
    for words in ("OLLAMA_FLASH_ATTENTION=0", "agzamov models pull", "agzamov models check", "agzamov run"):
        assert words in text
