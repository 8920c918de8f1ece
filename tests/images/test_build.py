"""Building: a function of its locked inputs, and an error that names the input that is not the locked one."""

import json
import os
import shutil
import tarfile
from pathlib import Path

import pytest

from agzamov_harness.containers import image_records
from agzamov_harness.containers.image_records import Different, ImageFault
from agzamov_images import declaration
from agzamov_images.build import build
from agzamov_images.cache import VARIABLE
from agzamov_images.compare import verify
from agzamov_images.status import State, image_rows
from images import small as making
from images.small import Small

EXPECTS = '[platforms.amd64.expects]\n"usr/bin/tool" = "{}"\n'
PAPERS = ("small.tar", "small.json", "small.cdx.json", "small.provenance.json")


def tree(checkout: Small) -> dict[str, tarfile.TarInfo]:
    """The files of all layers of the small image."""
    found = {}
    for path in sorted(checkout.built.glob("*/*.tar")):
        with tarfile.open(path) as archive:
            found |= {info.name: info for info in archive}
    return found


@pytest.mark.slow
def test_two_builds_are_equal_in_another_folder_umask_time_zone_and_language(made: Small, tmp_path: Path) -> None:
    other = Small(tmp_path / "elsewhere" / "deeper" / "checkout", made.cache)
    old = os.umask(0o077)
    shutil.copytree(made.checkout, other.checkout, copy_function=shutil.copy)
    os.umask(old)
    (other.folder / "small.conf").chmod(0o600)
    made.process("build", umask=0o022, TZ="UTC", LANG="C")
    other.process("build", umask=0o077, TZ="Asia/Tokyo", LANG="de_DE.UTF-8", SOURCE_DATE_EPOCH="1")
    for name in PAPERS:
        assert (made.built / name).read_bytes() == (other.built / name).read_bytes(), name


def test_the_image_holds_what_the_packages_hold_and_none_of_their_scripts(made: Small) -> None:
    build(made.workshop(), "small")
    found = tree(made)
    assert {"usr/bin/tool", "usr/lib/tool.so", "usr/share/doc/tool/copyright"} <= set(found)
    assert {"opt/site/mixed/__init__.py", "opt/site/plain/__init__.py", "opt/site/plain-2.0.dist-info/METADATA"} <= set(
        found
    )
    assert {"opt/node/node_modules/@of/thing/index.js", "opt/site/agzamov_verify/__init__.py"} <= set(found)
    assert "opt/site/agzamov_verify-9.9.dist-info/METADATA" in found
    unwanted = ("mixed/tests", "scripts", "setup.py", "__pycache__", "for-mac", "for-dev")
    assert [name for name in found if any(part in name for part in unwanted)] == []


def test_everything_in_it_belongs_to_root_has_one_time_and_one_of_few_modes(made: Small) -> None:
    build(made.workshop(), "small")
    found = tree(made)
    assert {(info.uid, info.gid, info.uname, info.mtime) for info in found.values()} == {(0, 0, "", 1_767_225_600)}
    files = {info.mode for info in found.values() if info.isreg()}
    assert files == {0o644, 0o755}
    assert found["usr/bin/tool"].mode == found["opt/node/node_modules/@of/thing/bin/thing"].mode == 0o755
    assert (found["tmp"].mode, found["tmp/of/small"].mode) == (0o1777, 0o700)


def test_a_file_beside_the_declaration_can_run_if_it_begins_as_a_program_does(made: Small) -> None:
    declared = (made.folder / "image.toml").read_text()
    files = '"etc/agz/small.conf" = "small.conf"'
    (made.folder / "image.toml").write_text(declared.replace(files, f'{files}, "opt/tool" = "tool"'))
    (made.folder / "tool").write_text("#!/usr/bin/tool\n")
    (made.folder / "tool").chmod(0o644)
    build(made.workshop(), "small")
    found = tree(made)
    assert (found["opt/tool"].mode, found["etc/agz/small.conf"].mode) == (0o755, 0o644)


def test_a_layer_above_leaves_the_directories_below_as_they_are(made: Small) -> None:
    build(made.workshop(), "small")
    with tarfile.open(made.built / "small" / "last.tar") as archive:
        assert sorted(archive.getnames()) == ["etc/agz", "etc/agz/small.conf", "tmp/of", "tmp/of/small"]


def test_the_tar_is_an_oci_layout_and_a_docker_archive_with_the_recorded_digests(made: Small) -> None:
    record = build(made.workshop(), "small")
    with tarfile.open(made.built / "small.tar") as archive:
        read = {name: archive.extractfile(name).read() for name in archive.getnames()}  # type: ignore[union-attr]
    for name, data in read.items():
        if name.startswith("blobs/"):
            assert name == f"blobs/sha256/{making.sha256(data)}"
    (index,) = json.loads(read["index.json"])["manifests"]
    (docker,) = json.loads(read["manifest.json"])
    manifest = json.loads(read[f"blobs/sha256/{record.manifest_digest}"])
    config = json.loads(read[f"blobs/sha256/{record.config_digest}"])
    layers = [f"sha256:{diff_id}" for diff_id in record.diff_ids]
    assert index["digest"] == f"sha256:{record.manifest_digest}"
    assert manifest["config"]["digest"] == f"sha256:{record.config_digest}"
    assert [layer["digest"] for layer in manifest["layers"]] == config["rootfs"]["diff_ids"] == layers
    assert docker["Config"] == f"blobs/sha256/{record.config_digest}"
    assert config["config"] == record.start
    assert record.start["Env"] == ["HOME=/tmp", "MORE=1", "PATH=/usr/bin"]
    assert docker["RepoTags"][0].startswith("localhost/")


def test_the_papers_name_every_package_and_no_time_or_machine(made: Small) -> None:
    record = build(made.workshop(), "small")
    bill = json.loads((made.built / "small.cdx.json").read_text())
    names = {component["name"] for component in bill["components"]}
    assert names == {"tool", "mixed", "plain", "@of/thing", "agzamov-verify"}
    assert "serialNumber" not in bill
    assert "timestamp" not in bill["metadata"]
    statement = json.loads((made.built / "small.provenance.json").read_text())
    assert statement["subject"][0] == {"name": "agzamov/small", "digest": {"sha256": record.manifest_digest}}
    resolved = statement["predicate"]["buildDefinition"]["resolvedDependencies"]
    locks = {row["name"]: row["digest"]["sha256"] for row in resolved if "name" in row}
    files = ("debs.amd64.lock.json", "package-lock.json", "requirements.txt")
    assert locks == {f"images/small/{name}": making.sha256((made.folder / name).read_bytes()) for name in files}
    used = [row["uri"] for row in resolved if "uri" in row]
    assert sorted(used) == sorted(component["purl"] for component in bill["components"])
    assert "pkg:deb/debian/tool@1:2%2Bb1?arch=amd64&distro=debian-12" in used


@pytest.mark.parametrize("name", ["tool_2_amd64.deb", "mixed-1.0-py3-none-any.whl", "of-thing-1.0.0.tgz"])
def test_one_changed_byte_in_a_package_is_refused_by_its_digest(made: Small, name: str) -> None:
    (path,) = made.cache.glob(f"*/{name}")
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))
    told = made.agzamov("build", "small", code=2)
    assert told.splitlines()[-1].startswith(f"error: small: {path}: expected sha")
    assert "remove the file and fetch it again" in told


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("debs.amd64.lock.json", '[{"name": "tool"}]', "debs.amd64.lock.json: Expected `object`, got `array`"),
        ("requirements.txt", "mixed==1.0\n", "requirements.txt: expected NAME==VERSION with --hash="),
        ("package-lock.json", '{"packages": {"node_modules/x": {"version": "1"}}}', "with integrity, found"),
        ("image.toml", making.SMALL_TOML.replace("licence", "license"), "image.toml: Object"),
        ("image.toml", making.SMALL_TOML.replace('name = "last"', 'name = "npm"'), "give one a name"),
        ("image.toml", making.SMALL_TOML.replace('"700"', '"rwx"'), "matching regex"),
        ("image.toml", making.SMALL_TOML.replace('"ground"', '"small"'), "small from small never ends"),
        ("image.toml", f'suite = "trixie"\n{making.SMALL_TOML}', "expected no suite, since ground lies below"),
        ("../ground/image.toml", f'suite = "sarge"\n{making.GROUND_TOML}', "expected one of bookworm, trixie, found"),
        ("../ground/image.toml", f'suite = "trixie"\n{making.GROUND_TOML}', "expected packages of debian-13, found"),
        ("image.toml", making.SMALL_TOML.replace("etc/agz/small.conf", "../out"), "expected a path inside the image"),
        ("image.toml", making.SMALL_TOML.replace('= "small.conf"', '= "none.conf"'), "none.conf: no such file"),
        ("image.toml", making.SMALL_TOML + EXPECTS.format("00"), "usr/bin/tool: expected sha256 00"),
    ],
)  # fmt: skip
def test_a_wrong_lock_or_declaration_is_one_line_that_names_it(made: Small, name: str, text: str, told: str) -> None:
    (made.folder / name).write_text(text)
    said = made.agzamov("build", "small", code=1 if "expects" in text else 2)
    assert told in said.splitlines()[-1]
    assert "Traceback" not in said


def test_an_expected_file_that_is_the_expected_one_is_no_fault(made: Small) -> None:
    path = made.folder / declaration.DECLARATION
    path.write_text(path.read_text() + EXPECTS.format(making.sha256(b"#!")))
    assert build(made.workshop(), "small").name == "small"


def test_what_has_not_changed_is_not_built_again(made: Small) -> None:
    made.agzamov("build", "small")
    before = {path: path.stat().st_mtime_ns for path in made.built.rglob("*.tar")}
    shutil.rmtree(made.cache)
    made.agzamov("build", "small")
    assert {path: path.stat().st_mtime_ns for path in made.built.rglob("*.tar")} == before


def test_a_changed_file_changes_its_layer_and_no_other(made: Small) -> None:
    before = build(made.workshop(), "small")
    (made.folder / "small.conf").write_text("other\n")
    after = build(made.workshop(), "small")
    changed = [left != right for left, right in zip(before.diff_ids, after.diff_ids, strict=True)]
    assert changed == [False] * 5 + [True]
    assert before.tree_digest != after.tree_digest


def test_another_name_of_the_image_below_is_a_change(made: Small) -> None:
    before = build(made.workshop(), "small")
    (made.checkout / "images" / "ground").rename(made.checkout / "images" / "floor")
    (made.folder / "image.toml").write_text(making.SMALL_TOML.replace('"ground"', '"floor"'))
    after = build(made.workshop(), "small")
    assert after.diff_ids == before.diff_ids
    assert after.config_digest != before.config_digest  # the history names the layers


def test_a_list_says_how_each_image_stands(made: Small) -> None:
    states = lambda: {row.name: row.state for row in image_rows(made.checkout, made.built)}  # noqa: E731 - asked often
    assert states() == {"ground": State.NOT_BUILT, "small": State.NOT_BUILT}
    made.agzamov("build", "--all")
    assert states() == {"ground": State.BUILT, "small": State.BUILT}
    assert made.agzamov("pin") == "pinned images/ground/pin.amd64.json\n"
    assert states() == {"ground": State.PINNED, "small": State.BUILT}
    (made.checkout / "verify" / "agzamov_verify" / "__init__.py").write_text("X = 2\n")
    assert states() == {"ground": State.PINNED, "small": State.STALE}
    (made.checkout / "images" / "ground" / "passwd").write_text("")
    made.agzamov("build", "--all")
    assert states() == {"ground": State.DIFFERENT, "small": State.BUILT}
    shown = {row["name"]: row for row in json.loads(made.agzamov("list", "--json"))}
    assert shown["ground"]["state"] == "DIFFERENT"
    assert shown["small"]["config_digest"] == image_records.load("small", made.built).config_digest


def test_an_image_of_others_is_listed_and_never_built(made: Small) -> None:
    external = 'about = "Theirs"\nlicence = "MIT"\n[external]\nrepository = "their/server"\n'
    (made.checkout / "images" / "theirs").mkdir()
    (made.checkout / "images" / "theirs" / "image.toml").write_text(external)
    told = made.agzamov("list")
    assert "theirs        external" in told
    assert "docker pull their/server@sha256:THE-DIGEST-YOU-TRUST" in told
    assert "published by others" in made.agzamov("build", "theirs", code=2)
    assert "theirs" not in made.agzamov("build", "--all")


def test_an_unknown_name_is_answered_with_those_there_are(made: Small) -> None:
    assert "no image 'smal'" in (told := made.agzamov("build", "smal", code=2))
    assert "ground, small" in told


def test_a_folder_without_images_is_no_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(image_records, "__file__", str(tmp_path / "installed" / "records.py"))
    with pytest.raises(ImageFault, match="go to a checkout"):
        image_records.checkout(tmp_path)


def test_a_layer_that_was_changed_since_it_was_built_is_refused(made: Small) -> None:
    build(made.workshop(), "small")
    (made.built / "small.json").unlink()
    path = made.built / "small" / "last.tar"
    path.write_bytes(path.read_bytes().replace(b"small\n", b"smell\n"))
    with pytest.raises(ImageFault, match=r"last\.tar: expected sha256 \w+, found other bytes"):
        build(made.workshop(), "small")


def test_a_cache_elsewhere_is_taken_from_the_environment(made: Small, tmp_path: Path) -> None:
    shutil.move(made.cache, tmp_path / "other-cache")
    made.agzamov("build", "small", **{VARIABLE: str(tmp_path / "other-cache")})


class TestSeveral:
    """What is built without a name, and what one that fails means for the others."""

    @pytest.fixture
    def three(self, made: Small) -> Small:
        """A checkout with an image of npm packages alone and one without any, both built by default."""
        for name, part in (("node", 'kind = "npm"'), ("plain", 'kind = "files"')):
            folder = made.checkout / "images" / name
            folder.mkdir()
            text = f'about = "x"\nlicence = "MIT"\nfrom = "ground"\ndefault = true\n[[layers]]\n{part}\n'
            (folder / declaration.DECLARATION).write_text(text)
        shutil.copy(made.folder / "package-lock.json", made.checkout / "images" / "node")
        return made

    def built_here(self, made: Small) -> list[str]:
        return sorted(path.stem for path in made.built.glob("*.tar"))

    def test_only_what_runs_need_is_built_and_the_rest_by_name_or_all(self, three: Small) -> None:
        three.agzamov("build")
        assert self.built_here(three) == ["node", "plain", "small"]
        three.agzamov("build", "--all")
        assert self.built_here(three) == ["ground", "node", "plain", "small"]

    def test_a_pin_by_name_is_of_that_image_alone(self, three: Small) -> None:
        three.agzamov("build", "--all")
        assert three.agzamov("pin", "node") == "pinned images/node/pin.amd64.json\n"
        assert sorted(path.parent.name for path in three.checkout.glob("images/*/pin.*")) == ["node"]

    def test_one_that_fails_keeps_no_other_from_being_built(self, three: Small) -> None:
        (path,) = three.cache.glob("*/of-thing-1.0.0.tgz")
        path.write_bytes(b"other")
        (three.checkout / "images" / "small" / "small.conf").unlink()
        told = three.agzamov("build", code=2).splitlines()
        assert self.built_here(three) == ["plain"]
        assert [line.split(":")[1] for line in told[-2:]] == [" node", " small"]
        assert f"error: node: {path}: expected sha512" in told[-2]

    def test_the_exit_code_is_1_where_nothing_was_missing(self, three: Small) -> None:
        path = three.folder / declaration.DECLARATION
        path.write_text(path.read_text() + EXPECTS.format("00"))
        assert three.agzamov("build", code=1).splitlines()[-1].startswith("error: small: small: usr/bin/tool: expected")

    @pytest.fixture
    def without_npm(self, three: Small, monkeypatch: pytest.MonkeyPatch) -> Small:
        """The packages of npm are not in the cache, and npm is not installed."""
        (path,) = three.cache.glob("*/of-thing-1.0.0.tgz")
        shutil.move(path, three.checkout.parent)
        monkeypatch.setenv("PATH", str(three.checkout / "no-programs"))
        return three

    def test_a_missing_npm_is_named_before_anything_starts(self, without_npm: Small) -> None:
        told = without_npm.agzamov("build", code=2).splitlines()
        assert told[0].startswith("node: cannot be built: it needs npm, which is not here: install npm (`apt-get")
        assert told[1].startswith("small: cannot be built: it needs npm")
        assert told[2] == "plain: ground/files"
        assert [line.split(",")[0] for line in told[-2:]] == ["error: node: it needs npm", "error: small: it needs npm"]
        assert self.built_here(without_npm) == ["plain"]

    def test_packages_that_are_brought_need_no_npm(self, without_npm: Small) -> None:
        without_npm.agzamov("build", "--packages-from", str(without_npm.checkout.parent))
        assert self.built_here(without_npm) == ["node", "plain", "small"]

    def test_other_packages_that_are_brought_are_not_taken(self, without_npm: Small) -> None:
        path = without_npm.checkout.parent / "of-thing-1.0.0.tgz"
        path.write_bytes(path.read_bytes()[:-1] + b"x")
        without_npm.agzamov("build", "--packages-from", str(path.parent), code=2)
        assert self.built_here(without_npm) == ["plain"]


class TestVerify:
    """`agzamov images verify` builds again from nothing and compares."""

    def test_equal_builds_pass(self, made: Small) -> None:
        made.agzamov("build", "--all")
        made.agzamov("pin")
        assert (
            made.agzamov("verify", "--all") == "ground: equal to its record and its pin\nsmall: equal to its record\n"
        )

    def test_a_second_clone_needs_only_the_pin(self, made: Small) -> None:
        made.agzamov("build", "--all")
        made.agzamov("pin")
        shutil.rmtree(made.built)
        told = made.agzamov("verify", "--all")
        assert told.splitlines()[0] == "ground: equal to its pin"
        assert told.splitlines()[1].startswith("small: equal to a second build")

    def test_the_first_differing_layer_and_file_are_named(self, made: Small) -> None:
        made.agzamov("build", "--all")
        (made.folder / "small.conf").write_text("other\n")
        told = made.agzamov("verify", "small", code=1)
        assert "small: layer 5 (small/last) is not that of its record: etc/agz/small.conf: expected file 0644" in told

    def test_a_pin_of_another_build_fails(self, made: Small) -> None:
        made.agzamov("build", "--all")
        made.agzamov("pin")
        path = made.checkout / "images" / "ground" / "pin.amd64.json"
        pin = json.loads(path.read_text())
        path.write_text(json.dumps({**pin, "diff_ids": ["0" * 64]}))
        told = made.agzamov("verify", "ground", code=1)
        assert (
            "ground: layer 0 (ground/files) is not that of images/ground/pin.amd64.json: expected sha256 00000000"
            in told
        )

    def test_another_way_to_start_is_told_apart_from_other_files(self, made: Small) -> None:
        made.agzamov("build", "--all")
        path = made.folder / "image.toml"
        path.write_text(path.read_text().replace("/usr/bin/tool", "/usr/bin/other"))
        told = made.agzamov("verify", "small", code=1)
        assert "small: equal layers, but not the configuration of its record" in told

    def test_a_layer_more_is_counted(self, made: Small) -> None:
        build(made.workshop(), "small")
        path = made.folder / "image.toml"
        path.write_text(path.read_text() + '[[layers]]\nkind = "files"\nname = "more"\n')
        with pytest.raises(Different, match="expected the 6 layers of its record, found 7"):
            verify(made.workshop(), "small", made.checkout / "build")
