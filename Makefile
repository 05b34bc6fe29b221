# Everything a person or a machine does here; bare `make` lists it.

VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready
PLAIN := $(VENV)/.plain
PIP := pip install -qq --disable-pip-version-check
# What a lock lists and nothing else, packages without a wheel by the build tools that are there.
LOCKED := $(PIP) --require-hashes --no-build-isolation
# Tools that are not for tests have environments of their own.
TOOLS := build/tools
SITE := build/site-tools
WHEEL := build/wheel
COMPILE := $(TOOLS)/bin/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --custom-compile-command "make lock" --output-file
# One more than two cores: many tests wait for the processes that they start.
WORKERS ?= 3
PYTEST := $(BIN)/pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder
# Compiled sources are kept, also where the environment says otherwise: tests start many processes.
test test-quick: export PYTHONDONTWRITEBYTECODE =
SYSTEM_PACKAGES := postgresql default-jre-headless chromium fonts-liberation
POSTGRESQL := /usr/lib/postgresql

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-quick test-system wheel-test lock sbom site audit bench bench-scale bench-peers bench-synth bench-peers-synth bench-peers-local evaluation docs views format clean system-deps types suite

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-17s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(STAMP) ## prepare the virtual environment; skipped when up to date

$(STAMP): pyproject.toml locks/build.lock locks/all.lock
	@echo "Setting up $(VENV)"
	@test -x $(BIN)/pip || python3 -m venv $(VENV)
	@$(BIN)/$(LOCKED) -r locks/build.lock
	@$(BIN)/$(LOCKED) -r locks/all.lock
	@$(BIN)/$(PIP) --no-deps --no-build-isolation -e .
	@touch $(PLAIN) $@

$(PLAIN): pyproject.toml locks/build.lock requirements.lock
	@echo "Setting up $(VENV) with the plain package"
	@test -x $(BIN)/pip || python3 -m venv $(VENV)
	@$(BIN)/$(LOCKED) -r locks/build.lock -r requirements.lock
	@$(BIN)/$(PIP) --no-deps --no-build-isolation -e .
	@touch $@

demo: $(PLAIN) ## show the main job, from made-up tables to a bundle (build/demo)
	@rm -rf build/demo
	@$(BIN)/leeward demo --out build/demo

# Types are checked beside the first tests: mypy needs one core, for a minute where it has no cache.
test: setup test-system ## check format, lint and types, run all tests (NO_SKIPS=1)
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(MAKE) --no-print-directory -j 2 types suite

types:
	@$(BIN)/mypy

suite:
	@$(PYTEST) $(if $(NO_SKIPS),--no-skips --durations=50)

test-quick: setup ## check format and lint, run tests that are not slow
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .
	@$(PYTEST) -m 'not slow'

# As root on Debian what is missing is installed; elsewhere, or if that fails, one line names it.
test-system:
	@missing=""; found() { command -v "$$1" > /dev/null; }; \
	found initdb || ls $(POSTGRESQL)/*/bin/initdb > /dev/null 2>&1 || missing="$$missing postgresql"; \
	found "$${JAVA_HOME:+$$JAVA_HOME/bin/}java" || missing="$$missing default-jre-headless"; \
	found chromium || found chromium-browser || found google-chrome || \
		missing="$$missing chromium fonts-liberation"; \
	if [ -n "$$missing" ] && [ "$$(id -u)" = 0 ] && found apt-get; then \
		echo "Installing$$missing"; \
		$(MAKE) -s system-deps SYSTEM_PACKAGES="$$missing" && missing=""; \
	fi; \
	if [ -n "$$missing" ]; then \
		echo "Not installed:$$missing (names of Debian's packages). Tests that need them are skipped."; \
	fi

$(TOOLS)/.ready: locks/tools.lock
	@test -x $(TOOLS)/bin/pip || python3 -m venv $(TOOLS)
	@$(TOOLS)/bin/$(LOCKED) -r locks/tools.lock
	@touch $@

wheel-test: $(TOOLS)/.ready ## build the wheel, run its demonstration in an empty environment
	@rm -rf $(WHEEL) && mkdir -p $(WHEEL)
	@$(TOOLS)/bin/python -m build --no-isolation --outdir $(WHEEL)/dist . > $(WHEEL)/build.log
	@python3 -m venv $(WHEEL)/venv
	@$(WHEEL)/venv/bin/$(LOCKED) -r requirements.lock
	@$(WHEEL)/venv/bin/$(PIP) --no-deps $(WHEEL)/dist/leeward-*.whl
	@$(WHEEL)/venv/bin/pip check --disable-pip-version-check
	@cd $(WHEEL) && venv/bin/leeward demo --out demo
	@cd $(WHEEL) && venv/bin/leeward verify demo/bundle --ledger demo/ledger.sqlite

# locks/ has all extras, what builds, tools and the site. One version of a package in all of them:
# each keeps to those before it.
lock: $(TOOLS)/.ready ## write requirements.lock and locks/: packages with hashes
	@$(COMPILE) requirements.lock pyproject.toml
	@$(COMPILE) locks/all.lock --constraint requirements.lock --all-extras --group build pyproject.toml
	@for group in build tools site; do \
		$(COMPILE) locks/$$group.lock --constraint locks/all.lock --group $$group || exit 1; \
	done

sbom: wheel-test ## list what the plain package consists of, in CycloneDX
	@$(TOOLS)/bin/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible \
		--output-format JSON --output-file build/leeward.cdx.json $(WHEEL)/venv/bin/python
	@echo "Written: build/leeward.cdx.json"

$(SITE)/.ready: locks/site.lock
	@test -x $(SITE)/bin/pip || python3 -m venv $(SITE)
	@$(SITE)/bin/$(LOCKED) -r locks/site.lock
	@touch $@

site: $(SITE)/.ready ## write the documentation for reading without a network (build/site)
	@rm -rf build/site build/site-pages
	@$(SITE)/bin/python docs/site.py build/site-pages
	@NO_MKDOCS_2_WARNING=1 $(SITE)/bin/python -m mkdocs build --quiet --strict --config-file mkdocs.yml
	@echo "Written: build/site/index.html"

audit: setup ## compute every mechanism's privacy loss; try single rows on readers
	@$(BIN)/leeward audit
	@$(BIN)/pytest -q -n 0 --hypothesis-profile=long tests/publishing/engines/test_one_row.py tests/publishing/engines/spark/test_one_row.py \
		tests/publishing/plan/test_more_epsilon.py

BENCH ?= draws start release products earnings percentiles commuting local sums evaluate
bench: setup ## measure the speed of each part (BENCH=release measures one)
	@for part in $(BENCH); do $(BIN)/python -m benchmarks.$$part || exit 1; done

bench-scale: setup ## measure 1 to 130 million jobs (15 minutes, 20 GB)
	@$(BIN)/python -m benchmarks.scale build/scale.json
	@$(BIN)/python -m docs.performance

bench-synth: setup ## compare synthetic tables with a file (DATA=FILE DOMAIN=FILE)
	@$(BIN)/python -m benchmarks.synth $(DATA) $(DOMAIN)
	@$(BIN)/python -m benchmarks.synth

bench-peers: setup ## make the same tables with other libraries (30 minutes)
	@$(BIN)/python benchmarks/peers/run.py --out build/peers.json
	@$(BIN)/python -m docs.performance

bench-peers-synth: setup ## make synthetic tables with other libraries (DATA=FILE DOMAIN=FILE)
	@$(BIN)/python benchmarks/peers/synthesizers.py "$(DATA)" "$(DOMAIN)" --out build/peers-synth.json

bench-peers-local: setup ## run a survey with Leeward and with pure-ldp (10 minutes)
	@$(BIN)/python benchmarks/peers/surveys.py

evaluation: setup ## run the evaluations of the documents (15 minutes)
	@rm -rf build/h17 build/h15 && mkdir -p build
	@$(BIN)/leeward evaluate --preset h17 --out build/h17
	@$(BIN)/leeward evaluate --preset h15 --out build/h15
	@$(BIN)/python -m docs.evaluation build/h17 build/h15

docs: setup ## compute tables of documents and the certificate's schema
	@$(BIN)/python -m docs.tables

views: setup ## take the pictures of the documents with Chromium
	@$(BIN)/python -m docs.views

format: setup ## rewrite the source in the one format
	@$(BIN)/ruff check --quiet --fix .
	@$(BIN)/ruff format .

clean: ## remove caches and built files; the virtual environment stays
	@rm -rf build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache
	@find src tests benchmarks -name __pycache__ -prune -exec rm -rf {} +

system-deps: ## install the Debian packages that tests need (as root)
	@apt-get update -qq
	@DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(SYSTEM_PACKAGES)
