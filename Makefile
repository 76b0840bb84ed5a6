# Every target sets up what it needs in .venv; nothing outside this folder is touched.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: help setup demo test test-real test-slow test-browser test-fuzz test-attack lint bench clean

help:            ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/  /'

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev,bench]'
	touch $@

setup: $(READY)  ## install the package and its tools into .venv

demo: $(READY)   ## the whole story on the built-in synthetic world
	$(BIN)/kakehashi demo

test: $(READY)   ## the default test suite: no network, no data beside the clone
	$(BIN)/python -m pytest -n 2 -m "not real and not slow and not browser and not fuzz and not attack" --durations=25  tests

test-real: $(READY) ## tests that need the Debian archive or the data folder beside the clone
	$(BIN)/python -m pytest -m real tests

test-slow: $(READY) ## long tests: kill -9 of writers and of the service, 10^5 fuzzed inputs
	$(BIN)/python -m pytest -m slow tests

test-browser: $(READY) ## the page in a real browser: Debian's chromium at /usr/bin/chromium, or CHROMIUM
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[browser]'
	$(BIN)/python -m pytest -m browser tests

test-fuzz: $(READY) ## requests to the API that its description allows, or does not, made up by schemathesis
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[fuzz]'
	$(BIN)/python -m pytest -m fuzz tests

test-attack: $(READY) ## a minute of attacks of every class, with counts; ATTACK="--seed 7 --cases 10000" for more
	$(BIN)/python -m tests.attack $(ATTACK)

lint: $(READY)   ## ruff and mypy --strict
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(READY)  ## every benchmark, each printing ratios to a peer in the same run
	$(BIN)/kakehashi bench all

clean:           ## remove the virtual environment and caches
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis
