"""The form of margins that a command line gives: a unit, and a number that is not negative."""

from collections.abc import Mapping

import msgspec

from agzamov_verify.experiment.plan_fields import DecimalText
from agzamov_verify.plan.manifest import ManifestError
from agzamov_verify.registration.trust_policy import Unit


def require_form(margins: Mapping[str, str]) -> None:
    """Raises ManifestError for a unit or a number that no registration can declare."""
    for unit, margin in margins.items():
        try:
            msgspec.convert({unit: margin}, dict[Unit, DecimalText])
        except msgspec.ValidationError as error:
            raise ManifestError(f"--margin {unit}={margin}: expected a unit as bb/100 and a number as 0.05") from error
