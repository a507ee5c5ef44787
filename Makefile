# make demo   a bundled object moves: out/demo.glb, out/demo.usdc, out/demo.mp4
# make test   lint, types and all tests
# Both do all the set-up there is. Further: release, first-day, blender-addon, test-blender, bench, fuzz, gallery, check-procedural,
# check-articulation, docs, lint, pictures, clean.

SHELL := bash
VENV ?= .venv
BLENDER_VENV ?= .venv-blender
DOCS_VENV ?= .venv-docs
RELEASE_VENV ?= .venv-release
PYTHON_OF := $(VENV)/bin/python
NODE := .cache/node
ARGS ?=
export PYTHON

.PHONY: demo test release first-day house blender-addon test-blender bench fuzz gallery check-procedural check-articulation docs lint pictures clean
.DEFAULT_GOAL := demo

demo: $(VENV)/.installed-base
	@scripts/system_packages.sh gl
	@mkdir -p out
	@$(PYTHON_OF) -m neurok.demo out

test: $(VENV)/.installed-dev
	@scripts/system_packages.sh gl node browser
	@scripts/node_packages.sh $(NODE)
	@$(MAKE) --no-print-directory lint
	@start=$$SECONDS; OMP_NUM_THREADS=1 $(PYTHON_OF) -m pytest -n 2 -rfEs --durations=15 $(ARGS); \
		code=$$?; echo "the tests took $$((SECONDS - start)) s"; exit $$code

lint: $(VENV)/.installed-dev
	@$(VENV)/bin/ruff check .
	@$(VENV)/bin/ruff format --check --quiet . || { echo "run: $(VENV)/bin/ruff format ."; exit 1; }
	@$(VENV)/bin/mypy

# Wheel and sdist in dist/, checked, and tried in an empty venv of each Python that is there (PYTHONS="python3.12 ...").
release: $(VENV)/.installed-dev
	@scripts/system_packages.sh gl
	@scripts/release.sh $(VENV) $(RELEASE_VENV)

# What a stranger does on the first day, as commands that are run one after another: tests/first_day.
first-day: $(VENV)/.installed-dev
	@scripts/system_packages.sh gl
	@OMP_NUM_THREADS=1 $(PYTHON_OF) -m pytest -o addopts= -q tests/first_day $(ARGS)

# The house in numbers: named numbers, file lengths, duplicate class names, disabled checks.
house:
	@python3 scripts/house.py $(ARGS)

# Eight plain meshes in motion: strips in docs/gallery, GLBs and what real scans do in out/gallery.
gallery: $(VENV)/.installed-dev
	@scripts/system_packages.sh gl
	@PYTHONPATH=. $(PYTHON_OF) docs/gallery/make.py $(ARGS)

bench: $(VENV)/.installed-dev
	@$(PYTHON_OF) -m benchmarks.run $(ARGS)

# Ten thousand damaged files, weights, commands, conditions and uploads, with bounds on time and memory.
fuzz: $(VENV)/.installed-dev
	@OMP_NUM_THREADS=1 $(PYTHON_OF) -m benchmarks.fuzz.run $(ARGS)

# A thousand procedural objects judged by other means than their own check: 15 minutes on two cores.
check-procedural: $(VENV)/.installed-dev
	@$(PYTHON_OF) -m benchmarks.check_procedural $(ARGS)

# Exported objects tried out in MuJoCo, PyBullet and USD: all of PartNet-Mobility's dev objects that are there
# (DATA=DIR, else those that the tests unpack), and 200 procedural ones. A quarter of an hour on two cores.
DATA ?= $(wildcard .cache/data)
check-articulation: $(VENV)/.installed-dev
	@OMP_NUM_THREADS=1 $(PYTHON_OF) -m benchmarks.check_articulation $(if $(DATA),--data $(DATA)) $(ARGS)

# The viewer's page and the player of share pages, from neurok/viewer/page; the result is committed.
page: $(VENV)/.installed-dev
	@scripts/system_packages.sh node
	@$(PYTHON_OF) -m neurok.viewer.typescript
	@scripts/node_packages.sh .cache/page neurok/viewer/page/package.json
	@scripts/page.sh .cache/page

# The command-line reference (docs/reference.md, committed), then the documentation site (out/site, not committed).
docs: $(VENV)/.installed-base $(DOCS_VENV)/.installed
	@PYTHONPATH=. $(PYTHON_OF) scripts/reference.py
	@NO_MKDOCS_2_WARNING=1 $(DOCS_VENV)/bin/mkdocs build --quiet && echo "open out/site/index.html"

pictures: $(VENV)/.installed-base
	@scripts/system_packages.sh gl
	@$(PYTHON_OF) docs/pictures/make.py

# The add-on for Blender 4.2 and newer, as a zip in dist/ that Blender installs from disk.
blender-addon:
	@python3=$$(scripts/find_python.sh) && "$$python3" scripts/blender_addon.py dist

# Blender is a Python module of 520 MB with its own idea of numpy: it lives in a venv of its own (Python 3.11 only).
test-blender: $(VENV)/.installed-dev $(BLENDER_VENV)/.installed
	@$(PYTHON_OF) -m pytest -o addopts= -q tests/blender --blender $(abspath $(BLENDER_VENV))/bin/python $(ARGS)

$(VENV)/.installed-base: pyproject.toml constraints.txt
	@scripts/install.sh $(VENV) usd
	@touch $@

$(VENV)/.installed-dev: pyproject.toml constraints.txt
	@scripts/install.sh $(VENV) dev
	@touch $@ $(VENV)/.installed-base

$(BLENDER_VENV)/.installed: tests/blender/requirements.txt
	@PYTHON="$${PYTHON:-python3.11}" scripts/blender.sh $(BLENDER_VENV) $<
	@touch $@

# What builds the site needs nothing of neurok's own dependencies: it reads the code without importing it.
$(DOCS_VENV)/.installed: pyproject.toml constraints.txt
	@scripts/docs_packages.sh $(DOCS_VENV)
	@touch $@

clean:
	rm -rf out build dist *.egg-info .pytest_cache .ruff_cache .mypy_cache .hypothesis
	@echo "kept: $(VENV), $(BLENDER_VENV), $(DOCS_VENV) and .cache (delete them by hand to start from nothing)"
