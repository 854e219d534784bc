# One self-explaining command per task. The first of them fills .venv; later ones skip that.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.DEFAULT_GOAL := help
.PHONY: help demo test fuzz mutants faults types connectors sparks lint bench docs site clean

help: ## list the commands
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20

demo: $(READY) ## a stream program, what Anabranch proved about it, and its result
	@$(BIN)/python examples/demo.py

test: $(READY) ## run the tests, those in the documentation too
	@$(BIN)/python -m pytest -n auto --dist loadgroup -m "not long"

fuzz: $(READY) ## search for wrong answers with new seeds: SECONDS=600 SEED=7 PROGRAMS=10000
	@PYTHONPATH=tests $(BIN)/python -m fuzz --seconds $(or $(SECONDS),600) \
		$(if $(SEED),--seed $(SEED)) $(if $(PROGRAMS),--programs $(PROGRAMS))

mutants: $(READY) ## break the source in many places, and see that the tests notice: COUNT=100 SEED=7
	@PYTHONPATH=tests $(BIN)/python -m mutants --count $(or $(COUNT),100) \
		$(if $(SEED),--seed $(SEED))

faults: $(READY) ## run the long tests: real clusters, killed processes
	@$(BIN)/python -m pytest -m long

types: $(READY) ## type-check README, tutorial and examples with mypy, pyright and ty
	@mkdir -p out/types && cp tests/checkers/package.json out/types/
	@cd out/types && npm install --silent --no-audit --no-fund
	@$(PYTHON) -m venv out/types
	@out/types/bin/python -m pip install --quiet --disable-pip-version-check ty==0.0.104
	@PYTHONPATH=tests $(BIN)/python -m checkers

connectors: $(READY) ## run over Kafka, PostgreSQL, S3, HDFS, Delta and Iceberg, with killed drivers: KILLS=10 ONLY=kafka
	@KILLS=$(or $(KILLS),10) $(BIN)/python -m pytest -m connectors -rs -s tests/connectors \
		$(if $(ONLY),-k "$(ONLY)")

sparks: $(READY) ## run programs over DataFrames on older PySparks: ONLY=4.1
	@for version in $(or $(ONLY),4.0 4.1 4.2); do \
		test -d out/sparks/$$version || $(BIN)/python -m pip install --quiet --no-deps \
			--disable-pip-version-check --target out/sparks/$$version "pyspark==$$version.*" || exit 1; \
		echo "PySpark $$version"; \
		PYTHONPATH=out/sparks/$$version:src $(BIN)/python -m pytest -n 0 -k "not test_case" \
			tests/engines/spark/test_frames.py tests/engines/spark/test_frame_streams.py || exit 1; \
	done

lint: $(READY) ## check the style of the code
	@$(BIN)/ruff check .

bench: $(READY) ## measure how fast it is here, against what else could be used
	@$(BIN)/python -m benchmarks

docs: $(READY) ## write docs/command-line.md, docs/api.md and docs/matrix.md, and pages of all modules in out/docs
	@$(BIN)/python -m anabranch.cli.reference > docs/command-line.md
	@$(BIN)/python -m anabranch.cli.api_pages > docs/api.md
	@$(BIN)/python -m anabranch.explain.matrix > docs/matrix.md
	@$(BIN)/python editors/grammars.py
	@$(BIN)/python -m pdoc --output-directory out/docs anabranch && echo "see out/docs/index.html"

site: ## build the documents as a site with search in out/site, for people and for programs that read
	@$(PYTHON) -m venv out/site
	@out/site/bin/python -m pip install --quiet --disable-pip-version-check -r site/requirements.txt
	@NO_MKDOCS_2_WARNING=1 out/site/bin/python -m mkdocs build --quiet --strict -f site/mkdocs.yml
	@echo "see out/site/pages/index.html"

clean: ## remove everything that was built
	rm -rf .venv out build dist .pytest_cache .ruff_cache .hypothesis src/*.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): requirements.txt pyproject.toml
	@echo "setting up .venv (once)"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Python 3.11 or newer is needed; set PYTHON=/path/to/it"; exit 2; }
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps \
		--no-build-isolation -e .
	@$(BIN)/python -m compileall -q src
	@touch $@
