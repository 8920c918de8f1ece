"""`python -m audits`: the audit on the command line."""

from .command import audit_command

audit_command(prog_name="python -m audits")
