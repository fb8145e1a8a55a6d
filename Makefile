# make setup · demo · test · check · bench · figures: each sets up .venv by itself.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready

.PHONY: setup demo test check bench figures release clean

setup: $(READY)
	@echo "Ready: $(BIN)/grader --help"

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Python 3.11 or newer is needed, and $(PYTHON) is older: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 2; }
	@echo "Setting up $(VENV) (once, a minute or two) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $(READY)

# Grade the class in tests/submissions and say what each student got right, what went wrong and why.
demo: $(READY)
	@$(BIN)/grader grade l10_attention tests/submissions/l10_attention --fresh

test: $(READY)
	@command -v bwrap >/dev/null || echo "bubblewrap is not installed, so the tests that need it are skipped."
	@$(BIN)/python -m pytest -n auto

check: $(READY)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check grader solutions/keys tests/*.py
	@$(BIN)/mypy

# Time stock nbgrader, nbgrader with the grader's step, and `grader grade` on the same 20 notebooks.
bench: $(READY)
	@$(BIN)/python tests/benchmarks/bench.py

# Print every figure of lesson 10 from the reference and check each against the text.
figures: $(READY)
	@$(BIN)/python solutions/keys/l10_attention_figures.py

# Make exercises/ from solutions/ again.
release: $(READY)
	@$(BIN)/grader release l10_attention

clean:
	rm -rf $(VENV) graded .pytest_cache .mypy_cache .ruff_cache
