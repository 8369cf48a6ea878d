PYTHON ?= python3
# Another Spark, in an environment of its own: make ci SPARK=4.0
SPARK ?= 4.1
PINS_4.0 = pyspark==4.0.1 delta-spark==4.0.1
PINS_4.2 = pyspark==4.2.0 delta-spark==4.4.0
# Another dbt: make ci DBT=1.10
DBT ?= 1.11
PINS_dbt-1.10 = dbt-core==1.10.23 sqlparse==0.5.4
PINS_dbt-1.12 = dbt-core==1.12.0 dbt-core-experimental-parser==2.0.0a4 sqlparse==0.5.5
# For tests/databricks alone: this dbt-spark's PyHive and Databricks' connector need other thrifts.
PINS_dbt-databricks = dbt-databricks==1.12.7 databricks-sql-connector==4.4.0 dbt-spark==1.10.3 dbt-common==1.38.0 \
	packaging==25.0 pydantic==2.12.5 pydantic-core==2.41.5 thrift==0.24.0
EXTRAS_dbt-databricks = spark,test
PINS = $(strip $(PINS_$(SPARK)) $(PINS_dbt-$(DBT)))
VENV := .venv$(if $(PINS_$(SPARK)),-$(SPARK))$(if $(PINS_dbt-$(DBT)),-dbt-$(DBT))
BIN := $(VENV)/bin
EXTRAS := spark,thrift,serve,openlineage,demo,test,lint,bench
INSTALLED := $(VENV)/.installed
SCALE ?= 1
WORKERS ?= 2
SOAK ?= 50
SEEDS ?= 200
UNITS ?= 200
HOURS ?= 8
JAVA := $(VENV)/.java_home

# Spark runs on Java 17 or 21 only, whichever java comes first on the PATH.
WITH_JAVA = JAVA_HOME="$$(cat $(JAVA))"
PYTEST = $(BIN)/python -m pytest
# A test module, or a class of dbt's suite, stays on one worker; each starts one embedded Spark, and one of
# them the thrift server (tests/conftest.py, which also says what begins first). A handful of tests takes
# less time on one Spark, which is warm after the first of them.
ON_ENGINES = $(WITH_JAVA) $(PYTEST) --numprocesses $(WORKERS) --dist loadgroup --no-loadscope-reorder
FORMATTED = $(BIN)/python -m tests.support.formatted
CI = not nightly and (unit or not (crash or differential)) or drawn
COMMIT ?= $(shell git rev-parse HEAD)
EXAMPLES_HOME = DBT_MVIEW_HOME="$(CURDIR)/models_examples/.engine"

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help venv java jars doctor demo serve thrift connect cluster lint fmt unit simulate test ci crash soak nightly record-plans bench bench-report clean

# Hadoop starts a process for each file that it gives rights to; VFORK halves what that takes. Java's quick
# compiler alone halves the CPU time while a JVM warms up; what runs for ten minutes, it slows down by a third.
JAVA_TESTED = -XX:+UseParallelGC -XX:ReservedCodeCacheSize=512m -Djdk.lang.Process.launchMechanism=VFORK
ci crash soak: export DBT_MVIEW_JAVA_OPTIONS ?= $(JAVA_TESTED)
test doctor demo serve: export DBT_MVIEW_JAVA_OPTIONS ?= $(JAVA_TESTED) -XX:TieredStopAtLevel=1

help: ## Show this help
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

venv: $(INSTALLED) ## Install everything into .venv, in exactly the tested versions

$(INSTALLED): pyproject.toml constraints.txt
	$(if $(PINS_$(SPARK))$(filter 4.1,$(SPARK)),,$(error SPARK=$(SPARK) is not tested: 4.0, 4.1 or 4.2))
	$(if $(PINS_dbt-$(DBT))$(filter 1.11,$(DBT)),,$(error DBT=$(DBT) is not tested: 1.10, 1.11, 1.12 or databricks))
	$(PYTHON) -m venv $(VENV)
	@# The pip of Python 3.10 finds nothing for the extra of PyHive that dbt-spark spells with dashes.
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=24'
	@sed -E '$(foreach pin,$(PINS),/^$(firstword $(subst ==, ,$(pin)))==/d;)' constraints.txt > $(VENV)/constraints.txt
	$(BIN)/python -m pip install --editable '.[$(or $(EXTRAS_dbt-$(DBT)),$(EXTRAS))]' $(PINS) -c $(VENV)/constraints.txt
	@touch $@

java: venv ## Find Java 17 or 21; install it if it is missing and this user may
	@$(BIN)/dbt-mview java --install > $(JAVA)

jars: java ## Fetch Delta's jars: several engines that start at once must find them
	@$(WITH_JAVA) $(BIN)/dbt-mview jars

doctor: java ## Check all that the embedded Spark needs, and name the fix for what is missing
	$(WITH_JAVA) $(BIN)/dbt-mview doctor

demo: java ## Load the flights of New York, refresh, load more, refresh again, verify
	$(WITH_JAVA) $(BIN)/python models_examples/demo.py

serve: jars ## Start the scheduler on the flights: months arrive, views follow; Ctrl-C ends it (SERVE=--help)
	$(WITH_JAVA) $(BIN)/python models_examples/serve.py $(SERVE)

thrift: java ## Run a Spark thrift server with Delta that serves the demo's tables
	$(EXAMPLES_HOME) $(WITH_JAVA) $(BIN)/dbt-mview thrift

connect: java ## Run the same server, with Spark Connect on port 15002 (docs/deploy.md)
	$(EXAMPLES_HOME) $(WITH_JAVA) $(BIN)/dbt-mview thrift --connect-port 15002

cluster: jars ## Run a standalone Spark cluster: master, two workers, two thrift servers, PostgreSQL (docs/deploy.md)
	$(EXAMPLES_HOME) $(WITH_JAVA) $(BIN)/python -m tests.support.cluster

lint: venv ## Check the Python and what it imports, the Jinja, the SQL and the spelling
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/sqlfmt --check --no-progressbar $$($(FORMATTED)) models_examples/models
	$(BIN)/sqlfluff lint --disable-progress-bar models_examples/models
	$(BIN)/typos

fmt: venv ## Format and repair what lint finds, as far as tools can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/sqlfmt --no-progressbar $$($(FORMATTED)) models_examples/models
	$(BIN)/sqlfluff fix --disable-progress-bar models_examples/models

unit: venv ## Run the tests that need no Spark
	$(PYTEST) --numprocesses $(WORKERS) --dist loadgroup --no-loadscope-reorder -m "unit and not long and not nightly"

simulate: venv ## Play a cluster of schedulers: SEEDS=200 scenes of UNITS=200 views, HOURS=8 each
	$(BIN)/python -m tests.sim --seeds $(SEEDS) --units $(UNITS) --hours $(HOURS) $(SIMULATE)

test: lint jars ## Run lint, the unit tests and a few tests of everything on engines: ten minutes
	$(ON_ENGINES) --one-engine -m "(unit and not long or smoke) and not nightly"

ci: lint jars ## Run lint and all tests but those of make nightly: three quarters of an hour
	$(ON_ENGINES) --seconds --draw "$(COMMIT)" -m "$(CI)"

crash: jars ## Kill dbt, its statements and its connection everywhere (CRASH="TestGroup and lost" some)
	$(WITH_JAVA) $(PYTEST) --numprocesses $(WORKERS) --dist loadscope --no-loadscope-reorder \
		--timeout 0 -v -m crash $(if $(CRASH),-k "$(CRASH)")

soak: java ## Compare FAST with COMPLETE at length: TPC-H, SOAK=50 random scenes and names, sown faults
	SOAK=$(SOAK) $(WITH_JAVA) $(PYTEST) --timeout 0 -s -m "differential or spark" tests/differential

nightly: export DBT_MVIEW_JAVA_OPTIONS ?= $(JAVA_TESTED)
nightly: jars ## Play all that CI has no time for, part by part (NIGHTLY="--minutes 60", --help says more)
	$(WITH_JAVA) $(BIN)/python -m tests.nightly $(NIGHTLY)

record-plans: java ## Record the plans that Spark prints of tests/corpus (SPARK=4.0: what it prints otherwise than 4.1)
	$(WITH_JAVA) $(BIN)/python -m tests.corpus.record

bench: java ## Compare with dbt-spark's table and others on TPC-H (SCALE=1; BENCH=--help says more)
	$(WITH_JAVA) $(BIN)/python -m tests.bench.bench $(foreach scale,$(SCALE),--scale $(scale)) $(BENCH)

bench-report: venv ## Write docs/benchmarks.md, all numbers beside it and the pictures from what bench has measured
	$(BIN)/python -m tests.bench.report

clean: ## Remove all that was installed, built or loaded
	rm -rf .venv .venv-* .engine .bench models_examples/.engine models_examples/target models_examples/logs \
		models_examples/dbt_packages logs target build dist .*_cache .hypothesis
