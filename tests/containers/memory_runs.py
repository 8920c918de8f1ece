"""Plans of runs with a memory in containers: small careers between players of chance, which cost nothing."""

from typing import Any

from containers.runs import Json

CAREERS, SESSIONS = 2, 3


def match(arm: str, system: str = "", sessions: int = SESSIONS) -> Json:
    """One arm of a memory match, in sessions of two hands."""
    condition = {"augmentation": "memory", "arm": arm, **({"system": system} if system else {})}
    played: dict[str, Any] = {"hands": 2 * CAREERS * sessions, "careers": CAREERS, "condition": condition}
    return {"phase": 2, "game": "holdem", "a": "agent", "b": "foe", **played}


def memory_plan(*servers: str, sessions: int = SESSIONS, isolation: str = "container") -> Json:
    """Each server in the real arm, beside the naked one."""
    systems: Json = {system_name(server): {"kind": "memory", "server": server, "hits_max": 3} for server in servers}
    if "noisy" in systems:
        systems["noisy"]["noise_percent"] = 50
    return {
        "title": "A memory in a container",
        "isolation": isolation,
        "seats": {"agent": {"kind": "random"}, "foe": {"kind": "random", "patterns": ["folds_button_to_3bet"]}},
        "holdem": {"session_hands": 2},
        "systems": systems,
        "matches": [
            match("naked", sessions=sessions),
            *(match("real", system_name(server), sessions) for server in servers),
        ],
    }


def system_name(server: str) -> str:
    """The name of a server's system in these plans: names have no hyphens."""
    return server.replace("-", "_")
