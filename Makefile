# make setup · demo · test · test-long · fuzz · check · bench · figures: each sets up .venv by itself.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready

# Compiled once and kept, whatever the environment says: tests start Python hundreds of times.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: setup demo test test-long check bench figures release clean fuzz

setup: $(READY)
	@echo "Ready: $(BIN)/grader --help"

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Python 3.11 or newer is needed, and $(PYTHON) is older: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 2; }
	@echo "Setting up $(VENV) (once, a minute or two) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@$(BIN)/python -m compileall -q grader
	@touch $(READY)

# Grade the class in tests/submissions and say what each student got right, what went wrong and why.
demo: $(READY)
	@$(BIN)/grader grade l10_attention tests/submissions/l10_attention --fresh

test: $(READY)
	@command -v bwrap >/dev/null || echo "bubblewrap is not installed, so the tests that need it are skipped."
	@$(BIN)/python -m pytest -n auto

# What takes longer: other variants, all attacks in one class, plain processes, killed runs, formgrader, PostgreSQL.
test-long: $(READY)
	@$(BIN)/python -m pytest -n auto -m long

# Try notebooks, scripts and frames that nobody would write: EXAMPLES new ones for each property.
EXAMPLES ?= 2000
fuzz: $(READY)
	@FUZZ_EXAMPLES=$(EXAMPLES) $(BIN)/python -m pytest -n auto --dist worksteal -q tests/test_fuzz_*.py

check: $(READY)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check grader solutions/keys tests/*.py
	@$(BIN)/mypy

# Time stock nbgrader, nbgrader with the grader's step, and `grader grade` on the same 20 notebooks; and isolation.
bench: $(READY)
	@$(BIN)/python tests/benchmarks/bench.py
	@$(BIN)/python tests/benchmarks/isolation.py
	@$(BIN)/python tests/benchmarks/diagnosis.py

# Print every figure of lesson 10 from the reference and check each against the text.
figures: $(READY)
	@$(BIN)/python solutions/keys/l10_attention_figures.py

# Make exercises/ from solutions/ again.
release: $(READY)
	@$(BIN)/grader release l10_attention

clean:
	rm -rf $(VENV) graded .pytest_cache .mypy_cache .ruff_cache
