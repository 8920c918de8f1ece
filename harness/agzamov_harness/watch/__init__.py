"""The live page of a run: reads the journals as they grow, and serves what it found to this machine's browsers."""
