"""The committed images, built another way: elsewhere, by Docker, for another processor; and their bytecode."""

import os
import shutil
import subprocess
from pathlib import Path

import docker
import pytest

from agzamov_harness.containers import image_records
from agzamov_harness.containers.image_records import ImageFault
from agzamov_images import build_order, engine, image_files
from agzamov_images.architecture import ARCHITECTURES, elf_machine
from agzamov_images.bytecode import compiled
from agzamov_images.layers import tar_of
from agzamov_images.suites import BOOKWORM
from agzamov_images.tree import file, read_tar
from containers.built_images import AGZAMOV, BUILD_S, RELOCKED
from containers.engines import ROOT

pytestmark = pytest.mark.slow


def test_a_second_clone_with_another_umask_and_time_zone_gets_the_pinned_images(built: str, tmp_path: Path) -> None:
    if RELOCKED in built:
        pytest.skip("Debian has superseded a locked package: renew the locks and the pins")
    clone = tmp_path / "clone"
    for name in ("images", "verify", "harness", "servers", "requirements"):
        shutil.copytree(ROOT / name, clone / name, ignore=shutil.ignore_patterns("__pycache__", "tinymodel"))
    done = subprocess.run(
        [AGZAMOV, "images", "verify", "stockfish", "proxy"],
        cwd=clone,
        env={**os.environ, "TZ": "Asia/Tokyo", "LANG": "de_DE.UTF-8", image_records.VARIABLE: str(tmp_path / "built")},
        umask=0o077,
        capture_output=True,
        text=True,
        timeout=BUILD_S,
        check=False,
    )
    assert done.stdout == "stockfish: equal to its pin\nproxy: equal to its pin\n", done.stderr


@pytest.mark.parametrize("target", [pytest.param("harness", marks=pytest.mark.exhaustive), "verify"])
def test_plain_docker_build_gives_the_same_tree_and_starts_the_same(
    built: str, client: docker.DockerClient, target: str
) -> None:
    image, _ = client.images.build(path=str(ROOT), target=target, rm=True, forcerm=True)
    try:
        record = image_records.load(target)
        assert engine.tree_in(client, str(image.id)) == record.tree_digest
        config = image.attrs["Config"]
        assert sorted(config["Env"]) == record.start["Env"]
        for field in ("User", "Entrypoint", "Cmd", "WorkingDir"):
            assert (config[field] or None) == record.start.get(field), field
    finally:
        client.images.remove(str(image.id), force=True)


@pytest.mark.parametrize(
    "names", [("stockfish", "proxy"), pytest.param(("verify",), marks=pytest.mark.exhaustive)], ids=" and ".join
)
def test_the_engine_and_the_verifier_for_arm64_are_built_here_without_running_anything_of_it(
    built: str, names: tuple[str, ...]
) -> None:
    """How an extension is compiled for it is in test_extension too."""
    command = [AGZAMOV, "images", "build", *names, "--arch", "arm64"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=BUILD_S, check=False)
    if done.returncode and ("must reach" in done.stderr or "no longer offered" in done.stderr):
        pytest.skip(done.stderr.splitlines()[-1])
    assert done.returncode == 0, done.stderr
    arm64 = ARCHITECTURES["arm64"]
    folder = image_files.build_folder(arm64)
    for name in names:
        record = image_records.load(name, folder)
        pin = image_files.read_pin(ROOT / "images", name, arm64.name)
        assert pin == (None if name == "verify" else record.pin)
        stack = build_order.stacked(ROOT / "images", name)
        programs = [elf_machine(entry.content) for one in stack for entry in read_tar(tar_of(folder, one))]
        assert set(programs) == {None, arm64.elf_machine}


def test_bytecode_is_the_same_each_time_and_names_the_place_in_the_image(built: str) -> None:
    system = list(read_tar(image_records.default_folder() / "python" / "debs.tar"))
    system += read_tar(image_records.default_folder() / "ground" / "debs.tar")
    sources = [
        file("opt/site/one.py", b"X = {None, 'a', 1}\ndef f(): return X\n"),
        file("opt/site/p/two.py", b"import one\n"),
    ]
    first, second = (list(compiled(system, sources, "opt/site", BOOKWORM)) for _ in range(2))
    assert first == second
    assert [entry.path.rpartition("/")[2] for entry in first] == ["one.cpython-311.pyc", "two.cpython-311.pyc"]
    assert b"/opt/site/one.py" in first[0].content
    with pytest.raises(ImageFault, match="opt/site: expected Python files that compile, found"):
        list(compiled(system, [file("opt/site/bad.py", b"def")], "opt/site", BOOKWORM))
