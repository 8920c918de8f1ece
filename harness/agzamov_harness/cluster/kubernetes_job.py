"""An Indexed Job of Kubernetes that plays a run in shares: each index is one share."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

CONTAINER, VOLUME, SCRATCH = "share", "runs", "tmp"
INDEX_VARIABLE = "AGZ_SHARE_INDEX"
INDEX_ANNOTATION = "batch.kubernetes.io/job-completion-index"
GRACE_S = 30
"""For a stop, beyond the time that a reply may take: `agzamov play` waits for the replies in flight."""
NOT_AGAIN = (1, 2)


class JobSettings(msgspec.Struct, frozen=True):
    """Settings of a Job. `user` and `group` own the run's folder; `arguments` are those of each share.

    `reply_s_max`: the longest time that a model's reply may take.
    """

    run_id: str
    shares: int
    image: str
    claim: str
    mount: str
    user: int
    group: int
    secret: str = ""
    variables: Sequence[str] = ()
    arguments: Sequence[str] = ()
    reply_s_max: int = 0
    retries: int = 6
    cpu: str = "2"
    memory: str = "2Gi"


def job_of(settings: JobSettings) -> dict[str, Any]:
    """The Job as plain values."""
    name = f"agzamov-{settings.run_id}"
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "labels": _labels(name)},
        "spec": {
            "completionMode": "Indexed",
            "completions": settings.shares,
            "parallelism": settings.shares,  # shares wait for each other, so all of them must run
            "backoffLimitPerIndex": settings.retries,
            "podFailurePolicy": {"rules": _failure_rules()},
            "template": {"metadata": {"labels": _labels(name)}, "spec": _pod(settings)},
        },
    }


def _labels(name: str) -> dict[str, str]:
    """Labels, none of which any reader of YAML may take for a number."""
    return {"app.kubernetes.io/name": "agzamov", "app.kubernetes.io/instance": name}


def _failure_rules() -> list[dict[str, Any]]:
    codes = {"containerName": CONTAINER, "operator": "In", "values": list(NOT_AGAIN)}
    return [
        {"action": "FailIndex", "onExitCodes": codes},
        {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]},
    ]


def _pod(settings: JobSettings) -> dict[str, Any]:
    return {
        "restartPolicy": "Never",
        "terminationGracePeriodSeconds": GRACE_S + settings.reply_s_max,
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "securityContext": {
            "runAsUser": settings.user,
            "runAsGroup": settings.group,
            "runAsNonRoot": settings.user != 0,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "containers": [_container(settings)],
        "volumes": [
            {"name": VOLUME, "persistentVolumeClaim": {"claimName": settings.claim}},
            {"name": SCRATCH, "emptyDir": {}},
        ],
    }


def _container(settings: JobSettings) -> dict[str, Any]:
    share = f"$({INDEX_VARIABLE})/{settings.shares}"
    resources: Mapping[str, str] = {"cpu": settings.cpu, "memory": settings.memory}
    return {
        "name": CONTAINER,
        "image": settings.image,
        "args": ["play", f"{settings.mount}/{settings.run_id}", "--share", share, *settings.arguments],
        "env": [
            {
                "name": INDEX_VARIABLE,
                "valueFrom": {"fieldRef": {"fieldPath": f"metadata.annotations['{INDEX_ANNOTATION}']"}},
            },
            *(
                {"name": name, "valueFrom": {"secretKeyRef": {"name": settings.secret, "key": name}}}
                for name in settings.variables
            ),
        ],
        "resources": {"requests": dict(resources), "limits": {"memory": settings.memory}},
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        },
        "volumeMounts": [{"name": VOLUME, "mountPath": settings.mount}, {"name": SCRATCH, "mountPath": "/tmp"}],  # noqa: S108 - of the pod
    }
