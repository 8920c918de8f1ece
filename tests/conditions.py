"""Conditions of a plan as the tests of an augmentation write them."""


def arms_of(augmentation: str) -> dict[str, dict[str, str]]:
    """The three conditions of an augmentation by arm; its system has the same name."""
    return {
        "naked": {"augmentation": augmentation},
        "placebo": {"augmentation": augmentation, "arm": "placebo", "system": augmentation},
        "real": {"augmentation": augmentation, "arm": "real", "system": augmentation},
    }
