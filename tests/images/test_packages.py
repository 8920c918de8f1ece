"""Packages of three ecosystems: which file is taken, what is taken out of it, and what is refused."""

import io
import json
import os
import stat
import tarfile
from pathlib import Path

import pytest

from agzamov_harness.containers.image_records import ImageFault
from agzamov_images import debs, npm, operations, wheels
from agzamov_images.architecture import ARCHITECTURES
from agzamov_images.cache import Cache, Digest, sha256
from agzamov_images.debs import Deb
from agzamov_images.package_managers import Apt, Superseded
from agzamov_images.suites import BOOKWORM, TRIXIE
from agzamov_images.wheels import Pin
from images import small
from images.small import Small

AMD64 = ARCHITECTURES["amd64"]
TOOL = Deb("tool", "2", "amd64", "0" * 64, 1)
APT = """#!/bin/sh
case "$*" in
*simulate*) echo 'Inst tool (2 Debian:12.1/stable [amd64])'; echo 'Inst libtool (1:3-1 Debian:12.1/stable [all]) []' ;;
*download*) echo "$@" > "$SEEN"; cp "$OFFER"/* . ;;
*show*) printf 'Package: x\\nArchitecture: amd64\\nSHA256: %064d\\nSize: 7\\n' 1 ;;
esac
"""


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of programs that stand before all others."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("OFFER", str(tmp_path / "offer"))
    monkeypatch.setenv("SEEN", str(tmp_path / "seen"))
    (tmp_path / "offer").mkdir()
    for name in ("apt-get", "apt-cache"):
        program(folder, name, APT)
    (tmp_path / "lists").mkdir()
    program(folder, "apt-config", f"#!/bin/sh\necho \"LISTS='{tmp_path}/lists/'\"\n")
    for name, day in (("main", "Thu, 01 Jan"), ("security", "Sat, 31 Jan")):
        text = f"Origin: Debian\nDate: {day} 2026 12:00:00 UTC\n"
        (tmp_path / "lists" / f"{name}_InRelease").write_text(text)
    (tmp_path / "lists" / "other_InRelease").write_text("Origin: Other\nDate: Sun, 01 Feb 2026 12:00:00 UTC\n")
    return folder


@pytest.fixture
def apt(tmp_path: Path) -> Apt:
    return Apt(AMD64, Cache(tmp_path / "cache"))


def program(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text)
    (folder / name).chmod(stat.S_IRWXU)


class TestDebs:
    def test_a_missing_package_is_fetched_by_apt_by_name_and_version(self, programs: Path, tmp_path: Path) -> None:
        data = small.deb({"./usr/bin/tool": b"#!"})
        (tmp_path / "offer" / "tool_2_amd64.deb").write_bytes(data)
        wanted = locked(data)
        (path,) = debs.fetch([wanted], Cache(tmp_path / "cache"), AMD64)
        assert path.read_bytes() == data
        assert "download tool:amd64=2" in (tmp_path / "seen").read_text()
        (tmp_path / "offer" / "tool_2_amd64.deb").unlink()
        assert debs.fetch([wanted], Cache(tmp_path / "cache"), AMD64) == [path]

    def test_another_package_under_the_locked_name_is_refused(self, programs: Path, tmp_path: Path) -> None:
        (tmp_path / "offer" / "tool_2_amd64.deb").write_bytes(small.deb({}))
        with pytest.raises(
            ImageFault, match=r"tool_2_amd64\.deb: expected sha256-0000.*the lock and the mirror disagree"
        ):
            debs.fetch([TOOL], Cache(tmp_path / "cache"), AMD64)
        assert not list((tmp_path / "cache").glob("sha256-*"))

    @pytest.mark.parametrize(
        ("said", "superseded"),
        [
            ("E: Version '2' for 'tool' was not found", True),
            ("E: Failed to fetch tool.deb  404  Not Found", True),
            ("E: Temporary failure resolving 'mirror'", False),
        ],
    )
    def test_a_superseded_version_is_told_from_a_mirror_that_does_not_answer(
        self, programs: Path, tmp_path: Path, said: str, superseded: bool
    ) -> None:
        program(programs, "apt-get", f'#!/bin/sh\necho "{said}" >&2; exit 100\n')
        with pytest.raises(ImageFault) as caught:
            debs.fetch([TOOL], Cache(tmp_path / "cache"), AMD64)
        assert said in str(caught.value)
        assert isinstance(caught.value, Superseded) is superseded
        assert ("agzamov images lock" in str(caught.value)) is superseded

    def test_a_machine_without_apt_is_told_that_a_cache_is_enough(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(ImageFault, match=r"no apt-get here; .*the cache folder must hold the package"):
            debs.fetch([TOOL], Cache(tmp_path / "cache"), AMD64)

    def test_a_lock_holds_what_apt_resolves_less_what_is_left_out_or_stands_below(
        self, programs: Path, apt: Apt
    ) -> None:
        lock = debs.resolve(apt, ["tool"], [], [])
        assert [(deb.name, deb.version) for deb in lock.packages] == [("libtool", "1:3-1"), ("tool", "2")]
        assert [deb.name for deb in debs.resolve(apt, ["tool"], ["libtool"], []).packages] == ["tool"]
        assert [deb.name for deb in debs.resolve(apt, ["tool"], [], ["libtool"]).packages] == ["tool"]
        with pytest.raises(ImageFault, match="nothing depends on typo: remove it from `without`"):
            debs.resolve(apt, ["tool"], ["typo"], [])

    def test_a_lock_names_the_release_and_the_newest_date_of_the_archives(
        self, programs: Path, apt: Apt, tmp_path: Path
    ) -> None:
        lock = debs.resolve(apt, ["tool"], [], [])
        assert (lock.architecture, lock.distribution, lock.snapshot) == ("amd64", "debian-12", "2026-01-31T12:00:00Z")
        for path in (tmp_path / "lists").iterdir():
            path.unlink()
        with pytest.raises(ImageFault, match="expected the release files of a Debian mirror, found none"):
            debs.resolve(apt, ["tool"], [], [])

    def test_packages_of_two_releases_are_not_locked_together(self, programs: Path, apt: Apt) -> None:
        both = "echo 'Inst tool (2 Debian:12.1/stable [amd64])'; echo 'Inst new (3 Debian:13.1/stable [amd64])'"
        program(programs, "apt-get", f"#!/bin/sh\n{both}\n")
        with pytest.raises(ImageFault, match=r"expected packages of Debian 12 \(bookworm\) alone, found 12, 13"):
            debs.resolve(apt, ["tool"], [], [])

    def test_another_suite_is_asked_of_the_machines_own_debian_mirrors_and_of_no_other(
        self, programs: Path, tmp_path: Path
    ) -> None:
        mirrors = "http://mirror/debian/\\tbookworm\\tmain\\nhttp://mirror/debian/\\tbookworm-updates\\tmain\\n"
        mirrors += "http://mirror/debian/\\tbookworm-backports\\tmain\\nhttp://safe/\\tbookworm-security\\tmain\\n"
        listed = f"*indextargets*) printf '{mirrors}' ;;\n*update*) ;;"
        shown = APT.replace('case "$*" in', f'echo "$@" >> "$SEEN"\ncase "$*" in\n{listed}').replace("12.1", "13.1")
        program(programs, "apt-get", shown)
        lock = debs.resolve(Apt(AMD64, Cache(tmp_path / "cache"), TRIXIE), ["tool"], [], [])
        assert lock.distribution == "debian-13"
        sources = tmp_path / "cache" / "apt-trixie-amd64" / "sources.list"
        assert sources.read_text().splitlines() == [
            "deb http://mirror/debian/ trixie main",
            "deb http://mirror/debian/ trixie-updates main",
            "deb http://safe/ trixie-security main",
        ]
        asked = [line for line in (tmp_path / "seen").read_text().splitlines() if "simulate" in line]
        assert all(f"Dir::Etc::sourcelist={sources}" in line for line in asked)
        with pytest.raises(ImageFault, match=r"expected packages of Debian 12 \(bookworm\) alone, found 13"):
            debs.resolve(Apt(AMD64, Cache(tmp_path / "cache")), ["tool"], [], [])

    def test_a_machine_without_a_debian_mirror_is_told_so(self, programs: Path, tmp_path: Path) -> None:
        with pytest.raises(ImageFault, match="expected a Debian mirror in this machine's apt sources, found none"):
            debs.resolve(Apt(AMD64, Cache(tmp_path / "cache"), TRIXIE), ["tool"], [], [])

    def test_a_lock_of_another_suite_is_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "debs.amd64.lock.json"
        path.write_text(small.lock_of(b"", "amd64"))
        assert debs.read_lock(path, AMD64).distribution == "debian-12"
        with pytest.raises(ImageFault, match="expected packages of debian-13, found debian-12"):
            debs.read_lock(path, AMD64, TRIXIE)

    def test_a_lock_of_another_architecture_is_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "debs.amd64.lock.json"
        path.write_text(small.lock_of(b"", "arm64"))
        with pytest.raises(ImageFault, match=r"expected packages for amd64, found arm64"):
            debs.read_lock(path, AMD64)

    def test_another_architecture_has_lists_of_its_own_that_are_renewed_when_a_version_is_gone(
        self, programs: Path, tmp_path: Path
    ) -> None:
        data = small.deb({"./usr/bin/tool": b"#!"})
        (tmp_path / "offer" / "tool_2_arm64.deb").write_bytes(data)
        gone = (
            f"*download*) test -e {tmp_path}/gone || {{ touch {tmp_path}/gone; echo 'was not found' >&2; exit 100; }}"
        )
        program(
            programs,
            "apt-get",
            f'#!/bin/sh\necho "$@" >> "$SEEN"\ncase "$*" in\n{gone}; cp "$OFFER"/* . ;;\nesac\n',
        )
        deb = Deb("tool", "2", "arm64", small.sha256(data), len(data))
        (path,) = debs.fetch([deb], Cache(tmp_path / "cache"), ARCHITECTURES["arm64"])
        assert path.read_bytes() == data
        asked = (tmp_path / "seen").read_text().splitlines()
        assert [line.split()[-1] for line in asked] == ["update", "tool:arm64=2", "update", "tool:arm64=2"]
        assert all("APT::Architecture=arm64" in line and "Dir::State::lists=" in line for line in asked)

    def test_a_lock_written_is_the_lock_read(self, programs: Path, made: Small) -> None:
        program(programs, "npm", "#!/bin/sh\n")
        written = [path.name for path in operations.lock(made.checkout / "images", "small", AMD64, Cache(made.cache))]
        assert written == ["debs.amd64.lock.json", "package-lock.json"]
        found = debs.read_lock(made.folder / "debs.amd64.lock.json", AMD64)
        assert [deb.name for deb in found.packages] == ["libtool", "tool"]

    def test_programs_stay_programs_and_other_rights_are_forgotten(self, tmp_path: Path) -> None:
        path = tmp_path / "x.deb"
        path.write_bytes(small.deb({"./bin/tool": b"#!", "./etc/x": b"x"}))
        assert [(entry.path, entry.mode) for entry in debs.unpacked([path])] == [
            ("usr/bin/tool", 0o755),
            ("etc/x", 0o644),
        ]

    def test_a_link_that_a_package_brings_from_the_root_to_usr_stays_where_it_is(self, tmp_path: Path) -> None:
        data = io.BytesIO()
        with tarfile.open(fileobj=data, mode="w") as tar:
            made = tarfile.TarInfo("./bin")
            made.type, made.linkname = tarfile.SYMTYPE, "usr/bin"
            tar.addfile(made)
        with tarfile.open(fileobj=io.BytesIO(data.getvalue())) as tar:
            (entry,) = debs._entries(tar, "x.deb")
        assert debs._merged(entry) == entry
        assert debs._merged(entry._replace(path="bin/sh")).path == "usr/bin/sh"

    @pytest.mark.parametrize("name", ["../../etc/x", "./a/../../x"])
    def test_a_package_cannot_write_outside_the_image(self, tmp_path: Path, name: str) -> None:
        path = tmp_path / "x.deb"
        path.write_bytes(small.deb({name: b"x"}))
        with pytest.raises(ImageFault, match="expected a path inside the image"):
            list(debs.unpacked([path]))

    @pytest.mark.parametrize("data", [b"PK\3\4", b"!<arch>\n", b""])
    def test_what_is_no_package_is_told(self, tmp_path: Path, data: bytes) -> None:
        path = tmp_path / "x.deb"
        path.write_bytes(data)
        with pytest.raises(ImageFault, match=r"x\.deb: expected a"):
            list(debs.unpacked([path]))


class TestSuperseded:
    """What a person can do when Debian has a newer version than the lock."""

    @pytest.fixture
    def newer(self, programs: Path, made: Small, tmp_path: Path) -> Small:
        """A checkout whose locked package is gone from the cache and from the mirror, which has a newer one."""
        (old,) = made.cache.glob("*/tool_2_amd64.deb")
        old.unlink()
        data = small.deb({"./usr/bin/tool": b"#! newer"})
        (tmp_path / "offer" / "tool_3_amd64.deb").write_bytes(data)
        gone = "*tool:amd64=1:2+b1*) echo \"E: Version '1:2+b1' for 'tool' was not found\" >&2; exit 100 ;;"
        simulated = "*simulate*) echo 'Inst tool (3 Debian:12.1/stable [amd64])' ;;"
        program(programs, "apt-get", APT.replace('case "$*" in', f'case "$*" in\n{gone}\n{simulated}'))
        shown = f"Architecture: amd64\\nSHA256: {small.sha256(data)}\\nSize: {len(data)}\\n"
        program(programs, "apt-cache", f"#!/bin/sh\nprintf 'Package: tool\\n{shown}'\n")
        program(programs, "npm", "#!/bin/sh\n")
        return made

    def test_the_build_says_what_is_gone_and_what_to_type(self, newer: Small) -> None:
        told = newer.agzamov("build", "small", code=2)
        assert "Version '1:2+b1' for 'tool' was not found" in told
        assert "agzamov images lock" in told

    def test_relock_takes_what_there_is_and_says_that_pins_no_longer_hold(self, newer: Small) -> None:
        told = newer.agzamov("build", "small", "--relock")
        assert "resolving anew, so that pins no longer hold" in told
        (deb,) = debs.read_lock(newer.folder / "debs.amd64.lock.json", AMD64).packages
        assert deb.version == "3"
        assert newer.agzamov("verify", "small") == "small: equal to its record\n"


def locked(data: bytes) -> Deb:
    return Deb("tool", "2", "amd64", small.sha256(data), len(data))


class TestWheels:
    def test_only_pins_for_the_images_python_are_taken(self, made: Small) -> None:
        assert [pin.name for pin in wheels.read_requirements(made.folder / "requirements.txt", AMD64)] == [
            "mixed",
            "plain",
        ]

    def test_the_most_specific_file_that_fits_is_taken(self, tmp_path: Path) -> None:
        names = [
            "x-1.0-py3-none-any.whl",
            "x-1.0-cp311-cp311-manylinux2014_x86_64.whl",
            "x-1.0-cp39-abi3-manylinux_2_28_x86_64.whl",
            "x-1.0-cp312-cp312-manylinux_2_17_x86_64.whl",
            "x-1.0-cp311-cp311-macosx_11_0_arm64.whl",
            "x-1.0-cp311-cp311-manylinux_2_39_x86_64.whl",
            "x-1.0.tar.gz",
        ]
        for name in names:
            small.put(tmp_path, name, name.encode())
        best = [1, 2, 0, 6]
        while best:
            pin = Pin("x", "1.0", frozenset(small.sha256(name.encode()) for name in names))
            (found,) = wheels.fetch([pin], [], Cache(tmp_path), AMD64)
            assert found.path.name == names[best.pop(0)]
            (tmp_path / str(sha256(small.sha256(found.path.name.encode()))) / found.path.name).unlink()

    def test_a_wheel_is_chosen_for_the_python_and_the_c_library_of_the_suite(self, tmp_path: Path) -> None:
        names = [
            "x-1.0-cp311-cp311-manylinux2014_x86_64.whl",
            "x-1.0-cp313-cp313-manylinux_2_41_x86_64.whl",
            "x-1.0-cp313-cp313-manylinux_2_42_x86_64.whl",
        ]
        for name in names:
            small.put(tmp_path, name, name.encode())
        pin = Pin("x", "1.0", frozenset(small.sha256(name.encode()) for name in names))
        for suite, expected in ((BOOKWORM, names[0]), (TRIXIE, names[1])):
            (found,) = wheels.fetch([pin], [], Cache(tmp_path), AMD64, suite)
            assert found.path.name == expected
        path = tmp_path / "requirements.txt"
        path.write_text(f'x==1.0 ; python_version >= "3.13" --hash=sha256:{"0" * 64}\n')
        assert [len(wheels.read_requirements(path, AMD64, suite)) for suite in (BOOKWORM, TRIXIE)] == [0, 1]

    def test_a_source_archive_whose_package_has_another_name_is_unpacked_by_the_declared_one(
        self, tmp_path: Path
    ) -> None:
        path = tmp_path / "tool3-1.0.tar.gz"
        path.write_bytes(small.tar({"tool3-1.0/PKG-INFO": b"x", "tool3-1.0/tool/a.py": b"1"}, "w:gz"))
        fetched = wheels.Fetched(Pin("tool3", "1.0", frozenset()), path, sha256("0" * 64))
        whole = [entry.path for entry in wheels.unpacked([fetched], "opt/site", {"tool3": "tool"})]
        assert whole == ["opt/site/tool3-1.0.dist-info/METADATA", "opt/site/tool/a.py"]
        assert len(list(wheels.unpacked([fetched], "opt/site"))) == 1

    def test_pip_is_asked_with_hashes_and_a_file_it_cannot_get_is_told(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PIP_NO_INDEX", "1")
        pin = Pin("agzamov-no-such-package", "1.0", frozenset({"0" * 64}))
        with pytest.raises(ImageFault, match=r"pip: .*agzamov-no-such-package.*the cache folder must hold the package"):
            wheels.download([pin], (), Cache(tmp_path), wheels._target(AMD64, BOOKWORM))

    def test_a_wheel_cannot_write_outside_the_image(self, tmp_path: Path) -> None:
        data = small.wheel({"../../etc/x": b"x"})
        path = small.put(tmp_path, "x-1.0-py3-none-any.whl", data)
        (found,) = wheels.fetch([Pin("x", "1.0", frozenset({small.sha256(data)}))], [], Cache(tmp_path), AMD64)
        assert found.path == path
        with pytest.raises(ImageFault, match="expected a path inside the image"):
            list(wheels.unpacked([found], "opt/site"))

    def test_what_is_no_wheel_is_told(self, tmp_path: Path) -> None:
        small.put(tmp_path, "x-1.0-py3-none-any.whl", b"no zip")
        found = wheels.fetch([Pin("x", "1.0", frozenset({small.sha256(b"no zip")}))], [], Cache(tmp_path), AMD64)
        with pytest.raises(ImageFault, match=r"x-1\.0-py3-none-any\.whl: File is not a zip file"):
            list(wheels.unpacked(found, "opt/site"))


class TestNpm:
    def test_a_missing_package_is_fetched_by_npm(self, programs: Path, tmp_path: Path) -> None:
        data = small.npm({"package/index.js": b"1"})
        (tmp_path / "offer" / "of-thing-1.0.0.tgz").write_bytes(data)
        told = json.dumps([{"name": "@of/thing", "version": "1.0.0", "filename": "of-thing-1.0.0.tgz"}])
        program(programs, "npm", f"#!/bin/sh\ncp \"$OFFER\"/* .\ncat <<'E'\n{told}\nE\n")
        digest = Digest("sha512", npm.integrity(small.integrity(data)).value)
        package = npm.Package("node_modules/@of/thing", "@of/thing", "1.0.0", digest)
        ((_, path),) = npm.fetch([package], Cache(tmp_path / "cache"))
        assert path.read_bytes() == data

    def test_other_bytes_than_the_locks_are_refused(self, programs: Path, tmp_path: Path) -> None:
        (tmp_path / "offer" / "of-thing-1.0.0.tgz").write_bytes(b"other")
        told = json.dumps([{"name": "@of/thing", "version": "1.0.0", "filename": "of-thing-1.0.0.tgz"}])
        program(programs, "npm", f"#!/bin/sh\ncp \"$OFFER\"/* .\ncat <<'E'\n{told}\nE\n")
        package = npm.Package("node_modules/@of/thing", "@of/thing", "1.0.0", Digest("sha512", "00"))
        with pytest.raises(ImageFault, match=r"of-thing-1\.0\.0\.tgz: expected sha512-00, fetched"):
            npm.fetch([package], Cache(tmp_path / "cache"))

    def test_a_package_goes_to_the_folder_that_the_lock_says(self, tmp_path: Path) -> None:
        path = tmp_path / "x.tgz"
        path.write_bytes(small.tar({"any-top/lib/a.js": b"1"}, "w:gz"))
        package = npm.Package("node_modules/a/node_modules/x", "x", "1", Digest("sha512", ""))
        (entry,) = npm.unpacked([(package, path)], "opt/node")
        assert entry.path == "opt/node/node_modules/a/node_modules/x/lib/a.js"


def test_no_committed_lock_names_where_packages_come_from() -> None:
    images = Path(__file__).parents[2] / "images"
    locks = [*images.glob("*/*.lock.json"), *images.glob("*/package-lock.json"), *images.glob("*/requirements.txt")]
    assert len(locks) > 5
    assert [path for path in locks if "://" in path.read_text() and "resolved" in path.read_text()] == []
    assert [path for path in locks if "pool/" in path.read_text()] == []
