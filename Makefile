# make demo    set up, run the quickstart, verify its bundle
# make test    set up, lint, type-check, run all tests
# make lock    resolve the pins in requirements/ again
# make bench   the benchmarks, each as a ratio to something run beside it
# make calibrate   the instrument against planted effects; SEED=text draws everything anew

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
KEY := keys/demo.pem

.PHONY: demo test check setup prerequisites lock bench calibrate schema clean

demo: setup
	@test -f $(KEY) || $(BIN)/agzamov keygen $(KEY)
	@set -e; bundle=$$($(BIN)/agzamov run manifests/quickstart.yaml --key $(KEY) | tee /dev/stderr | sed -n 's/^bundle: //p'); \
	$(BIN)/agzamov verify "$$bundle"; \
	echo; echo "Look next:"; \
	echo "  $(BIN)/agzamov show $$bundle --game p1-chess960-naked-reference-g00000   one game as its seats saw it"; \
	echo "  sh docs/check-by-hand.sh $$bundle $(KEY).pub                             the signature without our code"; \
	echo "  docs/architecture.md                                                    how it hangs together"

test: setup check
	$(BIN)/pytest -n auto --dist loadgroup -q

check: setup
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	cd verify && ../$(BIN)/deptry .
	cd harness && ../$(BIN)/deptry .

setup: prerequisites $(VENV)/.ready

$(VENV)/.ready: requirements/dev.txt verify/pyproject.toml harness/pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e verify -e harness
	@touch $@

prerequisites:
	@sh scripts/prerequisites $(PYTHON)

lock:
	sh scripts/lock

bench: setup
	sh bench/run

calibrate: setup
	$(BIN)/python calibration/run.py $(if $(SEED),--seed "$(SEED)")

schema: setup
	$(BIN)/python scripts/write_schema.py

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
