# Each task of a developer is one word. `make` lists them.
PYTHON ?= python3
BIN := .venv/bin
PORT ?= 8000
# Not taken from the environment: some shells keep the name of the machine in HOST.
HOST := 127.0.0.1
PYTEST_WORKERS ?= 3
# The tests of a file in one process; files in a random order, since those with few tests take longest.
SPREAD := --dist loadfile --no-loadscope-reorder
# More, since the slow tests wait for processes.
THOROUGH_WORKERS ?= 4

# Python prints a traceback where Ctrl-C comes while it starts. So it starts deaf to it, and our programs then listen.
QUIETLY := trap '' INT; HEED_CTRL_C=1 exec

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup run test test-thorough test-database check bench bench-scale chaos fmt lock local-model

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "%-15s %s\n", $$1, $$2}'

.venv/.run: requirements.txt
	@echo "Installing what the board needs into .venv: 0.7 GB, one to five minutes the first time."
	@$(QUIETLY) $(PYTHON) scripts/set_up.py install requirements.txt $@

.venv/.dev: requirements-dev.txt .venv/.run
	@echo "Installing what the tests need into .venv."
	@$(QUIETLY) $(PYTHON) scripts/set_up.py install requirements-dev.txt $@

setup: .venv/.run ## install what the board needs and write a .env for development
	@$(QUIETLY) $(PYTHON) scripts/set_up.py env
	@mkdir -p var
	@$(QUIETLY) $(BIN)/python manage.py migrate --verbosity 0

run: setup ## start the board on http://127.0.0.1:8000 (PORT=... for another port, HOST=0.0.0.0 for other machines)
	@$(QUIETLY) $(BIN)/python manage.py serve --host '$(HOST)' --port '$(PORT)' --with-starter

test: .venv/.dev ## run the tests (about seven minutes on two cores)
	$(BIN)/python -m pytest -n $(PYTEST_WORKERS) $(SPREAD) -m "not thorough"

test-thorough: .venv/.dev ## run the slow tests
	$(BIN)/python -m pytest -n $(THOROUGH_WORKERS) $(SPREAD) -m thorough

test-database: .venv/.dev ## run the tests that use the database again, on DATABASE_URL
	$(BIN)/python -m pytest -n $(PYTEST_WORKERS) $(SPREAD) -m "database and not thorough"

check: .venv/.dev ## check style, types, imports between packages, and migrations
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/djade --check --target-version 5.2 $$(git ls-files 'templates/*.html')
	$(BIN)/mypy evaluation leaderboard tests
	$(BIN)/lint-imports
	DEBUG=true SECRET_KEY=check $(BIN)/python manage.py makemigrations --check --dry-run

bench: .venv/.dev ## measure speed on a quiet machine: status 1 where a goal is missed, 2 where the machine is busy
	$(BIN)/python -m tests.bench

bench-scale: .venv/.dev ## measure workers and the database at 1.7 million results (RUNS=... queued runs)
	$(BIN)/python -m tests.bench.scale workers --runs $(or $(RUNS),40)
	$(BIN)/python -m tests.bench.scale database

chaos: .venv/.dev ## test the 15 reliability rules with processes killed, on SQLite and PostgreSQL (LONG=1, SEEDS=... from SEED=..., ON=..., ONLY=...)
	$(BIN)/python -m tests.chaos $(if $(LONG),--long) $(if $(SEEDS),--seeds $(SEEDS)) $(if $(SEED),--seed $(SEED)) $(if $(ON),--on $(ON)) $(if $(ONLY),--only $(ONLY))

fmt: .venv/.dev ## format code and templates
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .
	@# It ends with 1 where it has changed a file, and with 0 where all is in order.
	$(BIN)/djade --target-version 5.2 $$(git ls-files 'templates/*.html') || $(BIN)/djade --check --target-version 5.2 $$(git ls-files 'templates/*.html')

local-model: ## compile and serve a small real model on http://127.0.0.1:8103/v1 (needs cmake and a C++ compiler)
	@$(PYTHON) scripts/local_model.py

lock: .venv/.dev ## write the lock files again from pyproject.toml (needs uv on the PATH)
	uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --no-header --quiet -o requirements.txt
	uv pip compile pyproject.toml --group dev --universal --python-version 3.11 --generate-hashes --no-header --quiet -c requirements.txt -o requirements-dev.txt
