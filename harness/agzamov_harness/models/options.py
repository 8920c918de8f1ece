"""Options that several commands share."""

import click


def pair(_: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    """SEAT=VALUE options as a mapping."""
    pairs = [value.partition("=") for value in values]
    if not all(seat and value for seat, _, value in pairs):
        raise click.BadParameter("expected SEAT=VALUE", param=parameter)
    return {seat: value for seat, _, value in pairs}
