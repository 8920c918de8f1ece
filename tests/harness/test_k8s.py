"""`agzamov k8s`: an Indexed Job that Kubernetes would take, and whose pods, as plain processes, play the run."""

from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
import yaml
from click.testing import CliRunner

from agzamov_harness.cli import main
from agzamov_harness.cluster.kubernetes_job import JobSettings, job_of
from agzamov_harness.run import signing_keys
from harness.commands import Commands, Ended
from harness.sealed_runs import checked, finish, journals, twin

SHARES = 3
PLAN: dict[str, Any] = {
    "title": "Shares",
    "seats": {"agent": {"kind": "random"}, "dice": {"kind": "random"}},
    "chess960": {"adjudication": {"policy": "none"}, "plies_max": 12},
    "holdem": {"session_hands": 4},
    "matches": [
        {"phase": 1, "game": "chess960", "a": "agent", "b": "agent", "games": 14, "block_games": 2},
        {"phase": 1, "game": "holdem", "a": "agent", "b": "agent", "hands": 40, "block_hands": 4},
    ],
}
ENDPOINT: dict[str, Any] = {
    "kind": "openai",
    "model": "m",
    "base_url": "https://models.example/v1",
    "api_key_env": "EXAMPLE_KEY",
}


def fields(required: str, **properties: object) -> dict[str, Any]:
    """Schema of an object with these fields and no other."""
    schema = {"type": "object", "properties": properties, "required": required.split(), "additionalProperties": False}
    return {**schema, "minProperties": 1}


def many(items: object) -> dict[str, Any]:
    return {"type": "array", "items": items, "minItems": 1}


TEXT, WHOLE, YES = {"type": "string", "minLength": 1}, {"type": "integer", "minimum": 0}, {"type": "boolean"}
NAME = {"type": "string", "pattern": r"^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$"}
LABELS = {"type": "object", "additionalProperties": {"type": "string", "pattern": r"^[a-z][-a-z0-9]{0,62}$"}}
QUANTITY = {"type": "object", "additionalProperties": {"type": "string", "pattern": r"^[0-9]+(m|Ki|Mi|Gi)?$"}}
SECRET_KEY = fields("name key", name=NAME, key={"type": "string", "pattern": r"^[-._a-zA-Z0-9]+$"})
SOURCE = fields("", fieldRef=fields("fieldPath", fieldPath=TEXT), secretKeyRef=SECRET_KEY)
CONTAINER = fields(
    "name image args",
    name=NAME,
    image=TEXT,
    args=many(TEXT),
    env=many(fields("name valueFrom", name={"type": "string", "pattern": r"^[A-Za-z_]\w*$"}, valueFrom=SOURCE)),
    resources=fields("", requests=QUANTITY, limits=QUANTITY),
    securityContext=fields(
        "",
        allowPrivilegeEscalation=YES,
        readOnlyRootFilesystem=YES,
        capabilities=fields("drop", drop=many(TEXT)),
    ),
    volumeMounts=many(fields("name mountPath", name=NAME, mountPath={"type": "string", "pattern": "^/[^:]+$"})),
)
POD = fields(
    "restartPolicy containers volumes",
    restartPolicy={"const": "Never"},  # a podFailurePolicy asks for it
    terminationGracePeriodSeconds=WHOLE,
    automountServiceAccountToken=YES,
    enableServiceLinks=YES,
    securityContext=fields(
        "",
        runAsUser=WHOLE,
        runAsGroup=WHOLE,
        runAsNonRoot=YES,
        seccompProfile=fields("type", type={"const": "RuntimeDefault"}),
    ),
    containers=many(CONTAINER),
    volumes=many(
        fields(
            "name",
            name=NAME,
            persistentVolumeClaim=fields("claimName", claimName=NAME),
            emptyDir={"type": "object", "maxProperties": 0},
        )
    ),
)
CODES = fields(
    "operator values",
    containerName=NAME,
    operator={"enum": ["In", "NotIn"]},
    values=many({"type": "integer", "minimum": 1}),
)
RULE = fields(
    "action",
    action={"enum": ["FailJob", "FailIndex", "Ignore", "Count"]},
    onExitCodes=CODES,
    onPodConditions=many(fields("type status", type=TEXT, status={"enum": ["True", "False", "Unknown"]})),
)
JOB = fields(
    "apiVersion kind metadata spec",
    apiVersion={"const": "batch/v1"},
    kind={"const": "Job"},
    metadata=fields("name", name=NAME, labels=LABELS),
    spec=fields(
        "completionMode completions parallelism backoffLimitPerIndex podFailurePolicy template",
        completionMode={"const": "Indexed"},
        completions={"type": "integer", "minimum": 1, "maximum": 100_000},
        parallelism={"type": "integer", "minimum": 1, "maximum": 100_000},
        backoffLimitPerIndex=WHOLE,  # FailIndex asks for it
        podFailurePolicy=fields("rules", rules={**many(RULE), "maxItems": 20}),
        template=fields("spec", metadata=fields("", labels=LABELS), spec=POD),
    ),
)
"""What of batch/v1 Job (Kubernetes 1.31, API reference) a Job of ours may have, and no other key."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to type commands in, with a key, and a home of its own for the hosts that are allowed a key."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    signing_keys.generate(tmp_path / "key.pem")
    return tmp_path


def typed(*words: object) -> Ended:
    done = CliRunner().invoke(main, [str(word) for word in words])
    return Ended(done.exit_code, done.stdout, done.stderr)


def k8s(what: Path | str = "plan.yaml", *more: object) -> Ended:
    always = ("--shares", SHARES, "--image", "registry.example/agzamov:1", "--claim", "agzamov-runs")
    return typed("k8s", what, "--key", "key.pem", *always, *more)


def sealed(folder: Path, **changes: object) -> Path:
    written(folder, **changes)
    return folder / typed("seal", "plan.yaml", "--key", "key.pem").out.strip()


def written(folder: Path, **changes: object) -> None:
    (folder / "plan.yaml").write_text(yaml.safe_dump({**PLAN, **changes}))


def pod_arguments(job: dict[str, Any], index: int, volume: Path) -> list[str]:
    """What the pod of an index is started with, where `volume` is what is mounted."""
    (container,) = job["spec"]["template"]["spec"]["containers"]
    (variable,) = [one["name"] for one in container["env"] if "fieldRef" in one["valueFrom"]]
    mount = container["volumeMounts"][0]["mountPath"]
    words = [word.replace(f"$({variable})", str(index)) for word in container["args"]]
    return [f"{volume}{word.removeprefix(mount)}" if word.startswith(mount) else word for word in words]


@pytest.mark.slow
def test_the_pods_of_the_job_as_plain_processes_leave_the_bytes_of_one_local_run(folder: Path) -> None:
    written(folder)
    made = k8s()
    assert made.code == 0, made
    job = yaml.safe_load(made.out)
    run = folder / made.err.splitlines()[0].removeprefix("run: ")
    calm = twin(run)
    with Commands(folder) as commands:
        pods = [commands.start(*pod_arguments(job, index, run.parent), cwd=folder) for index in range(SHARES)]
        for index, pod in enumerate(pods):
            ended = pod.ended()
            assert (ended.code, ended.err) == (0, f"share {index}/{SHARES}: played\n")
        claims = finish(commands, calm)
    packed = typed("pack", run, "--key", "key.pem", "--json")
    assert packed.code == 0, packed
    assert checked(run, packed) == claims
    assert len(journals(run)) == 17
    assert journals(run) == journals(calm)
    for name in ("results.json", "analysis.json", "index.json"):
        one, other = (next(path.rglob(name)) for path in (folder / "bundles", calm.parents[1] / "bundles"))
        assert one.read_bytes() == other.read_bytes()


def test_a_pack_before_all_shares_are_played_is_refused(folder: Path) -> None:
    run = sealed(folder)
    assert typed("play", run, "--share", "1/3").code == 0
    ended = typed("pack", run, "--key", "key.pem")
    assert (ended.code, "is not played to its end" in ended.err) == (4, True)


def test_the_job_has_the_shape_that_kubernetes_takes(folder: Path) -> None:
    run = sealed(folder, seats={"agent": ENDPOINT, "dice": {"kind": "random"}})
    made = k8s(run, "--allow-key", "EXAMPLE_KEY=models.example", "--secret", "model-keys")
    assert made.code == 0, made
    job = yaml.safe_load(made.out)
    jsonschema.validate(job, JOB)
    assert "&id" not in made.out, "an anchor that some readers of YAML do not take"
    spec = job["spec"]
    assert spec["completions"] == spec["parallelism"] == SHARES
    (container,) = spec["template"]["spec"]["containers"]
    assert container["args"][-2:] == ["--allow-key", "EXAMPLE_KEY=models.example"]
    assert container["env"][1]["valueFrom"] == {"secretKeyRef": {"name": "model-keys", "key": "EXAMPLE_KEY"}}
    volumes = {volume["name"] for volume in spec["template"]["spec"]["volumes"]}
    assert {mount["name"] for mount in container["volumeMounts"]} == volumes
    assert (folder / "key.pem").read_text().splitlines()[1] not in made.out
    assert (run / "secret").read_text() not in made.out


@pytest.mark.parametrize(
    "defect",
    [
        lambda job: job["spec"].pop("backoffLimitPerIndex"),
        lambda job: job["spec"]["template"]["spec"].update(restartPolicy="OnFailure"),
        lambda job: job["spec"].update(completionmode="Indexed"),
        lambda job: job["metadata"].update(name="Agzamov_1"),
        lambda job: job["metadata"]["labels"].update(run="12345678901234e5"),
    ],
)
def test_the_shape_that_is_compared_with_refuses_a_defect(defect: Any) -> None:
    job = job_of(JobSettings("12345678901234e5", 3, "image:1", "claim", "/runs", 1000, 1000))
    jsonschema.validate(job, JOB)
    defect(job)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(job, JOB)


def test_a_pod_is_given_the_time_of_a_models_reply_to_stop() -> None:
    settings = JobSettings("12345678901234e5", 3, "image:1", "claim", "/runs", 1000, 1000)
    for reply_s_max, grace_s in ((0, 30), (600, 630)):
        job = job_of(msgspec.structs.replace(settings, reply_s_max=reply_s_max))
        assert job["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] == grace_s


def test_what_one_machine_must_play_and_keys_without_a_secret_are_refused(folder: Path) -> None:
    written(folder, isolation="container")
    refused = k8s()
    assert (refused.code, "isolation: expected process, found container" in refused.err) == (2, True)
    assert not (folder / "runs").exists(), "nothing was sealed"
    run = sealed(folder, seats={"agent": ENDPOINT, "dice": {"kind": "random"}})
    for more, message in (
        ((), "--allow-key EXAMPLE_KEY=models.example"),
        (("--allow-key", "EXAMPLE_KEY=models.example"), "--secret: expected the Kubernetes secret that has the keys"),
        (("--secret", "Not_A_Name"), "expected lower-case letters, digits, hyphens and dots"),
    ):
        refused = k8s(run, *more)
        assert (refused.code, message in refused.err) == (2, True), refused


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--mount", "relative"),
        ("--mount", ""),
        ("--mount", "/tmp"),  # noqa: S108 - of a pod
        ("--mount", "/runs/../etc"),
        ("--mount", "/a:b"),
        ("--cpu", "abc"),
        ("--cpu", "0"),
        ("--memory", "2 gigs"),
        ("--memory", "2gi"),
        ("--image", "bad image: x"),
        ("--image", "agzamov:"),
        ("--image", "Registry/Upper/Case"),
        ("--image", "Agzamov:1"),
    ],
)
def test_a_setting_that_kubernetes_refuses_is_refused_here(folder: Path, option: str, value: str) -> None:
    written(folder)
    refused = k8s("plan.yaml", option, value)
    assert (refused.code, option in refused.err, f"found {value!a}" in refused.err) == (2, True, True), refused
    assert not (folder / "runs").exists(), "nothing was sealed"


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--mount", "/mnt/runs.d"),
        ("--cpu", "500m"),
        ("--cpu", "1.5"),
        ("--memory", "512Mi"),
        ("--image", "localhost:5000/team/agzamov_run:0.3@sha256:" + "0" * 64),
        ("--image", "my_agzamov:0.3"),
    ],
)
def test_a_setting_as_kubernetes_takes_it_is_in_the_job(folder: Path, option: str, value: str) -> None:
    written(folder)
    assert value in k8s("plan.yaml", option, value).out


@pytest.mark.parametrize("address", ["http://127.0.0.1:8000/v1", "http://localhost:8000/v1", "http://[::1]:8000/v1"])
def test_a_model_on_this_machine_is_no_model_of_a_pod(folder: Path, address: str) -> None:
    seat = {"kind": "openai", "model": "m", "base_url": address}
    written(folder, seats={"agent": seat, "dice": {"kind": "random"}})
    refused = k8s()
    assert (refused.code, f"expected an address that pods reach, found {address}" in refused.err) == (2, True)
    assert not (folder / "runs").exists(), "nothing was sealed"


def test_a_share_that_cannot_be_is_refused(folder: Path) -> None:
    run = sealed(folder)
    for share in ("3/3", ""):
        refused = typed("play", run, "--share", share)
        assert (refused.code, "expected I/N with I from 0 to N - 1" in refused.err) == (2, True)
