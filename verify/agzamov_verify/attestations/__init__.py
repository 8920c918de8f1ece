"""Signed statements about a bundle by others than its submitter: its games asked again, its plan executed again."""
