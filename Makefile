# The few commands of the project; each does all of its own set-up.
#
#     make test ARGS="-k grader"    passes more arguments
#     make demo PYTHON=python3.12   chooses the interpreter of a new .venv
#     make demo UV=                 installs with pip although uv is there

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo test slow check bench draw docs graphs studio constraints fresh-clone clean runtime dev

ARGS ?=
BIN := .venv/bin

help: ## Show these commands
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1|\2/p' Makefile | awk -F '|' '{ printf "%-20s%s\n", $$1, $$2 }'

demo: runtime ## Ask three questions of the sample documents: no key, no download of a model
	@$(BIN)/crag demo $(ARGS)

test: dev ## Run the tests (those under a few seconds each)
	@$(BIN)/python -m pytest -n auto --maxprocesses 4 $(ARGS)

slow: dev ## Run the slow tests
	@$(BIN)/python -m pytest -m slow $(ARGS)

check: dev ## Lint, formatting, types, import rules, and whether generated files are up to date
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/python -m scripts.docs --check

bench: dev ## Measure the gateway's overhead against its floors; writes bench.json
	@$(BIN)/python -m scripts.bench $(ARGS)

draw: dev ## Draw every graph: Mermaid and PNG in build/graphs
	@mkdir -p build/graphs
	@set -e; for name in $$($(BIN)/python -c 'from graphs import NAMES; print(*NAMES)'); do \
		$(BIN)/crag draw "$$name" --out "build/graphs/$$name.mmd"; \
		$(BIN)/crag draw "$$name" --out "build/graphs/$$name.png"; \
	done

docs: dev ## Write the generated parts of the docs, the drawings and .env.example
	@$(BIN)/python -m scripts.docs

graphs: runtime ## List the graphs with their parameters
	@$(BIN)/crag graphs $(ARGS)

studio: dev ## Serve the graphs for LangGraph Studio
	@LANGGRAPH_CLI_NO_ANALYTICS=1 LANGGRAPH_NO_VERSION_CHECK=true $(BIN)/langgraph dev $(ARGS)

constraints: ## Resolve constraints.txt again (needs uv); ARGS=--upgrade for newer versions
	@uv --version >/dev/null || { echo 'This needs uv: pip install uv' >&2; exit 1; }
	@printf '%s\n' hatchling editables | uv pip compile pyproject.toml - --all-extras --quiet \
		--universal --python-version 3.11 --no-annotate --no-header --output-file constraints.txt $(ARGS)

fresh-clone: ## Clone the last commit elsewhere and do there what a new user does
	@bash scripts/fresh_clone.sh

clean: ## Remove .venv, caches and what was built; your index in .crag stays
	@rm -rf .venv build dist bench.json .pytest_cache .mypy_cache .ruff_cache .hypothesis \
		.import_linter_cache .langgraph_api
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

runtime:
	@sh scripts/setup.sh runtime

dev:
	@sh scripts/setup.sh dev
