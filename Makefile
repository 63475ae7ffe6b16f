# One command each. `make run` needs Python 3.11 or newer and nothing else.
PYTHON ?= $(shell for it in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$it -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$it && break; done)
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes
# A stamp is named for what was installed, so nothing is asked of pip while that stays the same.
BASE := .venv/base-$(shell cksum < requirements/base.txt | tr ' ' -)
DEV := .venv/dev-$(shell cat requirements/*.txt | cksum | tr ' ' -)

.PHONY: run install test check bench faults format

run: install
	@exec $(BIN)/python manage.py up

install: $(BASE)

test: $(DEV)
	@sh tests/install_system.sh chromium fonts-noto-cjk gettext
	@exec $(BIN)/python -m pytest

check: $(DEV)
	@sh tests/install_system.sh gettext
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy .
	$(BIN)/lint-imports
	@# Only models and migrations are compared: no database is asked.
	DATABASE_URL='postgresql:///none?host=/nonexistent' $(BIN)/python -W ignore::RuntimeWarning \
		manage.py makemigrations --check --dry-run
	$(BIN)/python locale/complete.py
	$(BIN)/python static/vendor/verify.py

bench: $(DEV)
	@exec $(BIN)/python -m bench

N ?= 20
faults: $(DEV)
	@exec $(BIN)/python -m tests.faults --seeds $(N)

format: $(DEV)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

$(BIN)/python:
	@test -n "$(PYTHON)" && $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "Reverie needs Python 3.11 or newer; if you have one, name it: make run PYTHON=/path/to/python" >&2; exit 1; }
	@$(PYTHON) -m venv --clear .venv || { rm -rf .venv; \
		echo "The virtual environment cannot be made; on Debian and Ubuntu install python3-venv." >&2; exit 1; }

$(BASE): | $(BIN)/python
	@echo "Installing what Reverie needs into .venv (once, about a minute)"
	@$(PIP) -r requirements/base.txt
	@rm -f .venv/base-* && touch $@

$(DEV): | $(BASE)
	@echo "Installing what tests and checks need into .venv"
	@$(PIP) -r requirements/dev.txt
	@rm -f .venv/dev-* && touch $@
