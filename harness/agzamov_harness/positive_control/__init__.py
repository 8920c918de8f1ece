"""The positive control of memory: is what was planted found, and is nothing found where nothing was planted?"""
