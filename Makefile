# Every target builds what it needs. `make help` lists the targets.
.DEFAULT_GOAL := help
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: help demo test test-all test-transformers gpu-check lint bench bench-solvers system-deps lock clean

help:            ## list the targets
	@grep -hE '^[a-z-]+: .*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):[^#]*## /  make \1\t/'

$(READY): requirements.lock requirements-model.lock pyproject.toml scripts/make-venv.sh
	@bash scripts/make-venv.sh $(VENV)
	@touch $(READY)

demo: $(READY)   ## a whole small challenge on the built-in problems, ending with an HTML board
	@$(BIN)/iolai demo

test: $(READY)   ## the checks and the tests (under 10 minutes on 2 cores)
	@$(MAKE) --no-print-directory lint
	$(BIN)/pytest -n 2 --dist loadfile -m "not slow" --durations 15 --durations-min 5

test-all: $(READY) ## all tests, the slow and the fuzz ones too
	@$(MAKE) --no-print-directory lint
	$(BIN)/pytest

# torch is large, so what needs it has an environment of its own.
VENV_TORCH := .venv-transformers

$(VENV_TORCH)/.ready: requirements-transformers.txt requirements-model.lock pyproject.toml scripts/make-venv.sh
	@bash scripts/make-venv.sh $(VENV_TORCH) requirements-transformers.txt
	@touch $(VENV_TORCH)/.ready

test-transformers: $(VENV_TORCH)/.ready ## the tests that need torch and transformers (about 1.2 GB, on a CPU)
	$(VENV_TORCH)/bin/pytest --noconftest tests/solvers/llm/test_llm_transformers.py

# Where no driver sees a GPU the small environment is enough to say so.
GPU_PYTHON ?= $(if $(shell nvidia-smi -L 2>/dev/null),$(VENV_TORCH)/bin/python,$(BIN)/python)

gpu-check: ## what needs a GPU and weights: CONFIGS="qwen2.5-14b-awq" MINUTES=30 GPU_PYTHON=python3 GPU_OPTIONS=--json
	@case "$(GPU_PYTHON)" in $(VENV_TORCH)/*) $(MAKE) --no-print-directory -s $(VENV_TORCH)/.ready;; \
	  $(BIN)/*) $(MAKE) --no-print-directory -s $(READY);; esac
	@$(GPU_PYTHON) scripts/gpu_check.py $(CONFIGS) --minutes $(or $(MINUTES),30) $(GPU_OPTIONS)

lint: $(READY)   ## style, types and the import rule
	$(BIN)/ruff check src tests benchmarks scripts
	$(BIN)/ruff format --check src tests benchmarks scripts
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(READY)  ## speed of scoring, of the service under load, and what the sandbox adds to a run
	$(BIN)/python benchmarks/bench_scoring.py
	$(BIN)/python benchmarks/bench_sandbox.py
	$(BIN)/python benchmarks/bench_service.py
	$(BIN)/python benchmarks/bench_board.py

bench-solvers: $(READY)  ## solvers on the built-in problems: figures, seeds, time; kept in bench-solvers.jsonl
	nice $(BIN)/python benchmarks/bench_solvers.py --page docs/bench-solvers.md $(BENCH_OPTIONS)

system-deps:     ## system packages that some tests use (Debian or Ubuntu; asks for root)
	@bash scripts/system-deps.sh

lock:            ## rewrite requirements.lock from pyproject.toml (needs uv)
	uv pip compile pyproject.toml --extra dev --extra hf --extra jury --extra llama --extra sandbox --extra server --extra study --universal --generate-hashes \
	  --no-emit-index-url --no-header --python-version 3.11 -q -o requirements.lock

clean:           ## remove what was built
	rm -rf $(VENV) $(VENV_TORCH) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis iolai-demo
