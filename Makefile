# eddyline: `make demo` shows it, `make test` proves it. Needs Python >= 3.11, Java 17 and make.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
# dbt and mypy need different versions of one package, so the clients have a venv of their own.
INTEROP := .venv-interop
export SPARK_LOCAL_IP := 127.0.0.1

.PHONY: help setup demo check test test-interop test-slow update-plans update-docs lint format jar \
        test-jar bench clean

help: ## show the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "%-12s %s\n", $$1, $$2}'

setup: $(STAMP) jar ## make .venv and the jar

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "eddyline: Python 3.11 or newer is needed, but $(PYTHON) is $$($(PYTHON) -V): make PYTHON=…"; exit 1; }
	@command -v "$${JAVA_HOME:+$$JAVA_HOME/bin/}java" >/dev/null \
	  || { echo "eddyline: Java is missing: install Java 17 and set JAVA_HOME."; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[dev]'
	@touch $@

jar: $(STAMP) ## build the jar, if anything changed
	@$(BIN)/python jvm-shim/build.py

test-jar: $(STAMP) ## build the jar and the jar of the tests' Scala classes
	@$(BIN)/python jvm-shim/build.py --tests

demo: setup ## run the demo on the flights of 2013
	@$(BIN)/eddyline demo

check: lint test-jar ## what needs no Spark session: lint, layout, language, lowering, doctests
	$(BIN)/python -m pytest -q tests/meta tests/unit/test_lowering.py python/eddyline

test: setup test-jar ## all tests but the slow and the interop ones
	$(BIN)/python -m pytest -m 'not slow and not interop'

$(INTEROP)/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(INTEROP)
	$(INTEROP)/bin/pip install --quiet --constraint constraints.txt --editable '.[interop]'
	@touch $@

test-interop: setup test-jar $(INTEROP)/.installed ## every client against a real server
	$(INTEROP)/bin/python -m pytest tests/interop -m interop

test-slow: setup test-jar ## the long random and fault tests
	$(BIN)/python -m pytest -m slow

update-plans: setup test-jar ## write tests/plans as Spark plans them now; read the difference
	UPDATE_PLANS=1 $(BIN)/python -m pytest -q tests/test_plans.py

update-docs: setup ## write the tables of docs/ that come from the code
	UPDATE_DOCS=1 $(BIN)/python -m pytest -q tests/meta/test_docs_tables.py

lint: setup ## ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: setup ## let ruff format and mend
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: setup ## print the benchmarks' tables
	@for name in parser cogroup emit global_table global_table_lag global_table_costs assume; do $(BIN)/python benchmarks/$$name.py || exit 1; done

clean: ## remove everything that was built
	rm -rf $(VENV) $(INTEROP) build dist target python/eddyline/jars/*.jar python/eddyline/jars/*.sha256
