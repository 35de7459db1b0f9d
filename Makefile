# Every command a developer types. Needs Python 3.11 or later and make; the rest is fetched.
#
#   make serve                      install, fetch a small model if there is none, serve
#   make serve ARGS="--port 9000"   with options of runserver_mlx
#   make test                       static checks and every test
#   make web                        check and build the web app; needs Node 20.19 or later
#   make screenshots                picture every page and panel of it, into build/screenshots
#   make agents                     drive real coding agents; fetches 900 MB of npm packages
#   make bench                      compare with mlx_lm.server, some six minutes
#   make bench-gpu                  compare decode steps with mlx-lm's on a CUDA GPU
#   BACKEND=cpu|cuda|metal          the build of MLX; chosen for this machine when unset

PYTHON ?= python3
VENV ?= .venv
ARGS ?=
WORKERS ?= 2

ifndef BACKEND
  ifeq ($(shell uname -s),Darwin)
    BACKEND := metal
  else
    BACKEND := $(if $(shell nvidia-smi -L 2>/dev/null | grep GPU),cuda,cpu)
  endif
endif
ifeq ($(filter $(BACKEND),metal cpu cuda),)
  $(error BACKEND is '$(BACKEND)'; expected metal, cpu or cuda)
endif

# Metal is plain mlx and needs no extra.
EXTRA := $(filter cpu cuda,$(BACKEND))
COMMA := ,
RUN := $(VENV)/bin/python
PIP := $(RUN) -m pip --disable-pip-version-check install -qq

# xgrammar asks for torch and runs without; see docs/decisions/0006-own-grammars.md.
XGRAMMAR := $(shell sed -n 's/.*"\(xgrammar==[0-9.]*\)".*/\1/p' pyproject.toml)

# Stamps: a virtual environment holds one backend, and is installed into again only when
# pyproject.toml has changed.
CREATED := $(VENV)/.created-$(BACKEND)
INSTALLED := $(VENV)/.installed-$(BACKEND)
TESTABLE := $(VENV)/.testable-$(BACKEND)

# The web app: its sources, and what npm has installed of its lock file.
APP := frontend/app
PACKAGES := $(APP)/node_modules/.package-lock.json
DOCUMENT := $(APP)/openapi.json

.PHONY: help serve dev test check web screenshots agents bench bench-gpu
.DEFAULT_GOAL := help

help:
	@sed -n '/^#/!q; s/^# \{0,1\}//p' Makefile

serve: $(INSTALLED)
	@$(RUN) manage.py starter_model --if-none
	@$(RUN) manage.py runserver_mlx $(ARGS)

dev: $(INSTALLED)
	@$(RUN) manage.py runserver_mlx --scripted --no-open $(ARGS)

# Files of tests are shared out among processes; tests that measure the machine come after, one
# by one. 5: no test was chosen by ARGS for that part. Processes that share cores do better with
# one BLAS thread each: threads that wait for one another spin, five times as long where it is busy.
test: check
	OPENBLAS_NUM_THREADS=1 \
	  $(RUN) -m pytest -m "not alone" -n $(WORKERS) --dist loadfile $(ARGS) || [ $$? -eq 5 ]
	$(RUN) -m pytest -m alone $(ARGS) || [ $$? -eq 5 ]

check: $(TESTABLE)
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy
	$(VENV)/bin/lint-imports
	DJANGO_SETTINGS_MODULE=tests.settings $(RUN) manage.py makemigrations --check --dry-run

web: $(TESTABLE) $(PACKAGES)
	DJANGO_SETTINGS_MODULE=tests.settings $(RUN) manage.py openapi --output $(DOCUMENT)
	cd $(APP) && npm run types && npm run check && npm run lint && npm test && npm run build

screenshots: $(TESTABLE)
	@$(RUN) -m tests.screenshots.take $(ARGS)

agents: $(TESTABLE)
	@$(RUN) -m tests.agents.packages
	$(RUN) -m pytest tests/agents $(ARGS)

bench: $(TESTABLE)
	@$(RUN) manage.py starter_model
	@$(RUN) -m benchmarks.compare $(ARGS)

bench-gpu: $(TESTABLE)
	@$(RUN) -m benchmarks.gpu_decode $(ARGS)

$(PACKAGES): $(APP)/package-lock.json
	cd $(APP) && npm ci --ignore-scripts

# Both Linux builds of MLX install the same library, so another backend means a new folder.
$(CREATED):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "$(PYTHON) is missing or older than 3.11; name another: make PYTHON=python3.12" >&2; exit 1; }
	@echo "Creating $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv --clear $(VENV)
	@touch $@

$(INSTALLED): pyproject.toml | $(CREATED)
	@echo "Installing mlxsite for $(BACKEND); the first time takes some minutes"
	@$(PIP) --editable ".$(if $(EXTRA),[$(EXTRA)])"
	@$(PIP) --no-deps "$(XGRAMMAR)"
	@touch $@

$(TESTABLE): pyproject.toml | $(CREATED)
	@echo "Installing mlxsite for $(BACKEND), with the tools that check it"
	@$(PIP) --editable ".[$(if $(EXTRA),$(EXTRA)$(COMMA))test]"
	@$(PIP) --no-deps "$(XGRAMMAR)"
	@touch $(INSTALLED) $@
