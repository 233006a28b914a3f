# `make help` lists the targets. Every target installs its missing dependencies (.ci/deps) and needs no other preparation.

SHELL := /bin/bash
.DEFAULT_GOAL := help

DATA ?= ./dev-data
HTTP_PORT ?= 8080
STORE_PORT ?= 8081

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z -]+:.*## / { printf "  %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: build
build: deps-run ## Compile the executable, .build/debug/credit-wallet
	swift build --product credit-wallet

.PHONY: run
run: build ## Start the wallet with its own PostgreSQL and sandbox stores (DATA, HTTP_PORT, STORE_PORT)
	@exec .build/debug/credit-wallet dev --data "$(DATA)" --http-port "$(HTTP_PORT)" --store-port "$(STORE_PORT)"

.PHONY: test
test: deps-test deps-ha ## Run all tests, or some suites: make test SUITE="pgtap guide" (`.ci/test` lists the suites)
	.ci/test $(SUITE)

.PHONY: sql-test
sql-test: deps-test ## Run one pgTAP file or isolation spec, in seconds and without a Swift build: make sql-test FILE=…
	@case "$(FILE)" in \
		*.spec) .ci/isolation-tests $(FILE) ;; \
		*) .ci/sql-tests $(FILE) ;; \
	esac

.PHONY: lint
lint: deps-test ## Check layout, SQL, imports, scripts, links and deploy/; print file and function sizes
	.ci/lint

.PHONY: format
format: deps-test ## Format Swift and SQL files by the rules that lint checks
	swift format --in-place --recursive --parallel Package.swift Sources Tests
	.venv/bin/sqlfluff fix --processes 0 --disable-progress-bar --quiet sql

.PHONY: coverage
coverage: deps-test ## Run the Swift tests with coverage and print it by file
	.ci/coverage

.PHONY: nightly nightly-list
nightly: ## Run the long tests in parts of an hour at most, those that have not passed at this commit: PART="walks-1 chaos" picks some
	.ci/nightly $(PART)
nightly-list: ## List the parts of nightly with their last results
	@.ci/nightly --list

.PHONY: fuzz sanitize
fuzz: ## Fuzz every decoder with changed and random inputs (FUZZ_SECONDS each, FUZZ_SEED, FUZZ_CASE repeats one case)
	swift build --build-tests
	FUZZ_SECONDS=$${FUZZ_SECONDS:-60} swift test --skip-build --disable-xctest --filter FuzzTests

sanitize: ## Run the tests under ThreadSanitizer and AddressSanitizer, each in a separate build
	.ci/sanitize thread
	.ci/sanitize address

.PHONY: bench bench-scale bench-pages bench-instructions soak build-release
bench: deps-bench build-release ## Compare reads and bookings with pgbench and FastAPI; writes bench.json and deploy/benchmarks.md (BENCH_OPTIONS)
	.venv-bench/bin/python Tests/Benchmarks/bench --save $(BENCH_OPTIONS)
bench-scale: deps-bench build-release ## Compare 1 M wallets and 20 M entries with 100 k wallets
	.venv-bench/bin/python Tests/Benchmarks/bench --scale --save $(BENCH_OPTIONS)
bench-pages: deps-test build-release ## Time every page of the console on books of 1 M wallets and 20 M entries (PAGES_OPTIONS)
	.venv/bin/python Tests/Benchmarks/pages $(PAGES_OPTIONS)
bench-instructions: deps-test deps-bench build-release ## Count the instructions of a booking and of a balance in PostgreSQL and in the service (INSTRUCTIONS_OPTIONS=--update)
	Tests/Benchmarks/instructions $(INSTRUCTIONS_OPTIONS)
	.venv-bench/bin/python Tests/Benchmarks/service-instructions $(INSTRUCTIONS_OPTIONS)
soak: deps-bench build-release ## Book at half of the highest rate for 20 minutes; fails unless memory, connections and latency stay flat (SOAK_OPTIONS)
	Tests/Benchmarks/soak $(SOAK_OPTIONS)
build-release: deps-run ## Build the executable for deployment, with Swift's libraries linked statically
	swift build -c release --product credit-wallet --static-swift-stdlib

.PHONY: dist
dist: deps-dist build-release ## Pack the release build into dist/: a Debian package, a tarball, the SBOM and SHA256SUMS
	.ci/dist

.PHONY: guarantees
guarantees: deps-test ## Write deploy/guarantees.md from the tests and the last runs on this machine
	.venv/bin/python .ci/guarantees

.PHONY: release-check
release-check: deps-test deps-ha deps-dist ## Check whether this commit can be released; prints what remains to be done by hand
	.ci/release-check

.PHONY: sbom
sbom: deps-test ## List the components of the executable in .build/credit-wallet.cdx.json (CycloneDX)
	.venv/bin/python .ci/sbom

.PHONY: env-example
env-example: deps-test ## Generate deploy/env.example from the configuration keys in the code
	WRITE_ENV_EXAMPLE=1 swift test --disable-xctest --filter EnvironmentExampleTests

.PHONY: problems
problems: deps-test ## Update the SQL, the SDK and openapi.yaml from problems.yaml
	.venv/bin/python .ci/problems

.PHONY: chaos
chaos: deps-test build ## Break the service and its dependencies 100 times under load and compare the books (CHAOS_OPTIONS)
	Tests/Resilience/chaos --faults 100 $(CHAOS_OPTIONS)

.PHONY: ha
ha: deps-test deps-ha build ## Break a cluster of three PostgreSQL servers under Patroni in ten ways and compare the books (HA_OPTIONS)
	Tests/Resilience/ha $(HA_OPTIONS)

.PHONY: restore-drill
restore-drill: deps-test deps-ha build ## Destroy a whole cluster after two failovers and restore it from backup and archive
	Tests/Resilience/restore-drill

.PHONY: deps deps-run deps-test deps-bench deps-ha deps-dist
deps: deps-test
deps-run:
	@.ci/deps run
deps-test:
	@.ci/deps test
deps-bench:
	@.ci/deps bench
deps-ha:
	@.ci/deps ha
deps-dist: deps-test
	@.ci/deps dist
