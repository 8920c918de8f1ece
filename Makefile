# make demo      install what running needs; memory against none between scripted players: play, verify, report
# make install   install what running needs
# make builder   install what building container images needs too: `agzamov images`
# make cluster   install what playing on a Dask cluster needs too: `agzamov run --cluster`, and its workers
# make local-models  install what playing GGUF files on this machine without containers needs too: llama.cpp
# make exports   install what `agzamov export --to sqlite` and `--to parquet` need too
# make beacon    install what checking a public beacon needs too: level V2 of registered runs
# make stamps    install what checking time-stamps needs too: a witness of registered runs
# make phone     install what showing a person's address as a QR code needs too: `--listen`
# make results   a leaderboard and reports of the bundles in results/, in build/results
# make test      install what testing needs too, lint, type-check, run the tests; SLOW=1 runs the slow ones too, as CI
#                does; SLOW=all also those at full size; TESTS=tests/verify runs those alone
# make wheels    the verifier's wheel and its pinned requirements, for machines without a clone, in build/wheels
# make lock      resolve the pins in requirements/ again
# make bench     the benchmarks, each as a ratio to something run beside it
# make calibrate the instrument against planted effects; SEED=text draws everything anew
# make audit     the paper's figures from the files that its authors published; DATA=folder with those files

PYTHON ?= python3
PLAN ?= manifests/demo.yaml
TESTS ?= tests
SLOW ?=
MARKS = $(if $(SLOW),,not slow and )not exhaustive
DATA ?=
VENV := .venv
BIN := $(VENV)/bin
# The tests start hundreds of processes: what one of them compiles, the next finds in __pycache__.
unexport PYTHONDONTWRITEBYTECODE
PIP := $(BIN)/pip install --quiet --no-compile --disable-pip-version-check

.PHONY: demo install builder cluster exports beacon stamps phone local-models results test check setup lock bench calibrate audit wheels schema glossary clean

demo: install
	@sh scripts/demo $(BIN) $(PLAN)

test: setup check
	$(BIN)/pytest -n auto --dist loadgroup --max-worker-restart=0 -q $(if $(filter all,$(SLOW)),,-m "$(MARKS)") $(TESTS)

check: setup
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/mypy bench/*.py
	$(BIN)/lint-imports
	cd imagebuilder && ../$(BIN)/lint-imports
	cd verify && ../$(BIN)/deptry .
	cd harness && ../$(BIN)/deptry .
	cd servers && ../$(BIN)/deptry .
	cd imagebuilder && ../$(BIN)/deptry .

# What running needs: .venv with requirements/run.txt. For tests, requirements/dev.txt comes on top.
install:
	@sh scripts/prerequisites $(PYTHON) run
	@$(MAKE) --no-print-directory $(VENV)/.installed

# For `agzamov images`: requirements/images.txt and the image builder come on top.
builder: install
	@$(MAKE) --no-print-directory $(VENV)/.builder

# For `agzamov run --cluster` and the workers of that cluster: requirements/cluster.txt comes on top.
cluster: install
	@$(MAKE) --no-print-directory $(VENV)/.cluster

# For `agzamov export --to sqlite` and `--to parquet`: requirements/export.txt comes on top.
exports: install
	@$(MAKE) --no-print-directory $(VENV)/.exports

# For level V2 of runs with a beacon seed: requirements/beacon.txt comes on top.
beacon: install
	@$(MAKE) --no-print-directory $(VENV)/.beacon

# For time-stamps (RFC 3161) of registered runs: requirements/stamps.txt comes on top.
stamps: install
	@$(MAKE) --no-print-directory $(VENV)/.stamps

# For the QR codes of `agzamov run --listen` and `play-me --listen`: requirements/phone.txt comes on top.
phone: install
	@$(MAKE) --no-print-directory $(VENV)/.phone

# For seats of kind gguf in a run without containers: requirements/local-models.txt comes on top.
local-models:
	@sh scripts/prerequisites $(PYTHON) models
	@$(MAKE) --no-print-directory $(VENV)/.local-models

# A leaderboard and the reports of the bundles that are kept in results/bundles, in build/results.
results: install
	$(BIN)/agzamov leaderboard build results/bundles --policy results/policy.yaml --out build/results

setup:
	@sh scripts/prerequisites $(PYTHON) test
	@$(MAKE) --no-print-directory $(VENV)/.ready

$(VENV)/.installed: requirements/run.txt verify/pyproject.toml harness/pyproject.toml servers/pyproject.toml
	@echo "installing requirements/run.txt into $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) --require-hashes -r requirements/run.txt
	@$(PIP) --no-deps --no-build-isolation -e verify -e harness -e servers
	@touch $@

$(VENV)/.builder: $(VENV)/.installed requirements/images.txt imagebuilder/pyproject.toml
	@echo "installing requirements/images.txt into $(VENV)"
	@$(PIP) --require-hashes -r requirements/images.txt
	@$(PIP) --no-deps --no-build-isolation -e imagebuilder
	@touch $@

$(VENV)/.cluster: $(VENV)/.installed requirements/cluster.txt
	@echo "installing requirements/cluster.txt into $(VENV)"
	@$(PIP) --require-hashes -r requirements/cluster.txt
	@touch $@

$(VENV)/.exports: $(VENV)/.installed requirements/export.txt
	@echo "installing requirements/export.txt into $(VENV)"
	@$(PIP) --require-hashes -r requirements/export.txt
	@touch $@

$(VENV)/.beacon: $(VENV)/.installed requirements/beacon.txt
	@echo "installing requirements/beacon.txt into $(VENV)"
	@$(PIP) --require-hashes -r requirements/beacon.txt
	@touch $@

$(VENV)/.stamps: $(VENV)/.installed requirements/stamps.txt
	@echo "installing requirements/stamps.txt into $(VENV)"
	@$(PIP) --require-hashes -r requirements/stamps.txt
	@touch $@

$(VENV)/.phone: $(VENV)/.installed requirements/phone.txt
	@echo "installing requirements/phone.txt into $(VENV)"
	@$(PIP) --require-hashes -r requirements/phone.txt
	@touch $@

$(VENV)/.local-models: $(VENV)/.installed requirements/local-models.txt
	@echo "installing requirements/local-models.txt into $(VENV)"
	@$(PIP) --require-hashes -r requirements/local-models.txt
	@touch $@

$(VENV)/.ready: $(VENV)/.installed requirements/dev.txt imagebuilder/pyproject.toml
	@echo "installing requirements/dev.txt into $(VENV)"
	@$(PIP) --require-hashes -r requirements/dev.txt
	@$(PIP) --no-deps --no-build-isolation -e imagebuilder
	@touch $@

lock: setup
	sh scripts/lock

bench: setup
	sh bench/run

calibrate: setup
	PYTHONPATH=studies $(BIN)/python -m calibration $(if $(SEED),--seed "$(SEED)")

audit: setup
	@PYTHONPATH=studies $(BIN)/python -m audits $(DATA)

wheels: install
	@sh scripts/wheels $(BIN) build/wheels

schema: setup
	$(BIN)/python scripts/write_schema.py
	$(BIN)/python scripts/write_formats.py
	$(BIN)/python scripts/write_vectors.py
	$(BIN)/python scripts/write_play_vectors.py

glossary: setup
	$(BIN)/python scripts/write_glossary.py

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
