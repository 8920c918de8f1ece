PYTHON ?= python3.11
