"""The page itself: its HTML, style and scripts, what it runs in Python, and its lock of npm packages."""
