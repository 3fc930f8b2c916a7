# Every developer act is one word. `make` lists them.
PYTHON ?= python3
BIN := .venv/bin
PORT ?= 8000
PYTEST_WORKERS ?= 3

.DEFAULT_GOAL := help
.PHONY: help setup run test test-thorough test-database check bench bench-scale chaos fmt lock local-model

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "%-15s %s\n", $$1, $$2}'

.venv/.run: requirements.txt
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed; name it with PYTHON=...")'
	@echo "Installing what the board needs into .venv; the first time this takes a minute or two."
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt
	@touch $@

.venv/.dev: requirements-dev.txt .venv/.run
	@echo "Installing what the tests need into .venv."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.txt
	@touch $@

.env:
	@echo "Writing .env with development settings and fresh secrets."
	@$(PYTHON) -c 'import base64, secrets; print("# Development only: production sets these in its environment.\nDEBUG=true\nSECRET_KEY=" + secrets.token_urlsafe(50) + "\nENDPOINT_KEYS=" + base64.urlsafe_b64encode(secrets.token_bytes(32)).decode())' > $@
	@chmod 600 $@

setup: .venv/.run .env ## install what the board needs and write a .env for development
	@mkdir -p var
	@$(BIN)/python manage.py migrate --verbosity 0

run: setup ## start the board on http://127.0.0.1:8000 (PORT=... for another)
	@exec $(BIN)/python manage.py serve --port $(PORT) --with-starter

test: .venv/.dev ## run the tests, in less than five minutes
	$(BIN)/python -m pytest -n $(PYTEST_WORKERS) --dist loadgroup -m "not thorough"

test-thorough: .venv/.dev ## run the tests that take their time
	$(BIN)/python -m pytest -n $(PYTEST_WORKERS) --dist loadgroup -m thorough

test-database: .venv/.dev ## run the database-touching tests again, on DATABASE_URL
	$(BIN)/python -m pytest -n $(PYTEST_WORKERS) --dist loadgroup -m "database and not thorough"

check: .venv/.dev ## lint, types, import arrows, migrations
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

chaos: .venv/.dev ## prove R1 to R15 under fire, on SQLite and PostgreSQL (LONG=1, SEEDS=... from SEED=..., ON=..., ONLY=...)
	$(BIN)/python -m tests.chaos $(if $(LONG),--long) $(if $(SEEDS),--seeds $(SEEDS)) $(if $(SEED),--seed $(SEED)) $(if $(ON),--on $(ON)) $(if $(ONLY),--only $(ONLY))

fmt: .venv/.dev ## format code and templates
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .
	@# It ends with 1 where it has changed a file, and with 0 where all is in order.
	$(BIN)/djade --target-version 5.2 $$(git ls-files 'templates/*.html') || $(BIN)/djade --check --target-version 5.2 $$(git ls-files 'templates/*.html')

local-model: ## compile and serve a small real model on http://127.0.0.1:8103/v1 (see docs/local-model.md)
	@$(PYTHON) scripts/local_model.py

lock: .venv/.dev ## write the locks anew from pyproject.toml (needs uv on the PATH)
	uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --no-header --quiet -o requirements.txt
	uv pip compile pyproject.toml --group dev --universal --python-version 3.11 --generate-hashes --no-header --quiet -c requirements.txt -o requirements-dev.txt
