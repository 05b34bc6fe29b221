# Everything a person or a machine does here; bare `make` lists it.

VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready
# One more than two cores: many tests wait for the processes that they start.
WORKERS ?= 3
PYTEST := $(BIN)/pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder
# Compiled sources are kept, also where the environment says otherwise: tests start many processes.
test test-quick: export PYTHONDONTWRITEBYTECODE =
SYSTEM_PACKAGES := postgresql openjdk-17-jre-headless chromium fonts-liberation

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-quick audit bench bench-scale bench-peers evaluation docs views format clean system-deps

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(STAMP) ## prepare the virtual environment; skipped when up to date

$(STAMP): pyproject.toml
	@echo "Setting up $(VENV)"
	@test -x $(BIN)/pip || python3 -m venv $(VENV)
	@$(BIN)/pip install -qq --disable-pip-version-check -e ".[dev]"
	@touch $@

demo: setup ## set up and show the main job: from made-up tables to a bundle, in build/demo
	@rm -rf build/demo
	@$(BIN)/leeward demo --out build/demo

test: setup ## set up, check format, lint and types, run the tests; NO_SKIPS=1 fails on a skip
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(PYTEST) $(if $(NO_SKIPS),--no-skips)

test-quick: setup ## check format and lint, run the tests that are not slow (two minutes on two cores)
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .
	@$(PYTEST) -m 'not slow'

audit: setup ## compute the true privacy loss of every mechanism
	@$(BIN)/leeward audit

bench: setup ## measure draws per second, a release against the bare query, the full evaluation
	@$(BIN)/python -m benchmarks.draws
	@$(BIN)/python -m benchmarks.release
	@$(BIN)/python -m benchmarks.evaluate

bench-scale: setup ## measure 1, 10 and 130 million jobs against the bare query (a quarter of an hour, 20 GB of disk)
	@$(BIN)/python -m benchmarks.scale build/scale.json
	@$(BIN)/python -m docs.performance

bench-peers: setup ## the same tables with other libraries, each in its own environment (half an hour)
	@$(BIN)/python benchmarks/peers/run.py --out build/peers.json
	@$(BIN)/python -m docs.performance

evaluation: setup ## the full evaluation of the documents, and its figures and tables (ten minutes)
	@rm -rf build/h17
	@$(BIN)/leeward evaluate --preset h17 --out build/h17
	@$(BIN)/python -m docs.evaluation build/h17

docs: setup ## compute the tables of the documents anew
	@$(BIN)/python -m docs.tables

views: setup ## take the pictures of the page and of a report for the documents, with Chromium
	@$(BIN)/python -m docs.views

format: setup ## rewrite the source in the one format
	@$(BIN)/ruff check --quiet --fix .
	@$(BIN)/ruff format .

clean: ## remove caches and built files; the virtual environment stays
	@rm -rf build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache
	@find src tests benchmarks -name __pycache__ -prune -exec rm -rf {} +

system-deps: ## install the Debian packages that let every test run (as root)
ifeq ($(strip $(SYSTEM_PACKAGES)),)
	@echo "No system packages are needed yet."
else
	@apt-get update -qq
	@apt-get install -y -qq --no-install-recommends $(SYSTEM_PACKAGES)
endif
