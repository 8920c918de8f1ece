"""What every room stands on, and knows none of them: strict YAML, a container as a value, the machine, the version."""
