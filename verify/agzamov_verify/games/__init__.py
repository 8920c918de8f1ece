"""The games as scripts: rules, prompt text, and the generator that plays one."""
