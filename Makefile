# Every target creates and uses its own virtual environment; the machine needs only Python 3.11 or
# later, make and a C++ compiler. `make help` lists the targets.
#
#   make test PYTHON=python3.13 VENV=.venv-3.13      another Python, another environment
#   make test PYTEST="-x tests/data"                 other arguments for pytest
#   make test ROTATION=17                            the sample of expensive checks that an earlier run had

PYTHON ?= python3
VENV   ?= .venv
PYTEST ?= -n auto --dist worksteal
ROTATION ?= auto
BUSY   ?= 8
GB     ?= 4
ROWS   ?= 20000000
MINUTES ?= 10
SEED   ?= 0
SANITIZE_CXX ?= g++
CLANG_CXX ?= clang++

BIN    := $(VENV)/bin
PY     := $(BIN)/python
PIP    := $(PY) -m pip --disable-pip-version-check
DONE   := $(VENV)/.done
CORE   := CMakeLists.txt $(shell find core -name '*.cpp' -o -name '*.hpp' 2>/dev/null)
SHORT  := --rotation $(ROTATION) -m 'not slow'
# One process a core: a second thread of linear algebra in each only waits. Tests start many processes, and each would
# compile our modules anew where an environment forbids Python to keep them compiled.
TESTS  := PYTHONDONTWRITEBYTECODE= OPENBLAS_NUM_THREADS=1 $(PY) -m pytest $(PYTEST)
SAY    := @printf '\n\033[1m── %s\033[0m\n'
# Two jobs beside each other, the words of each kept together where make can.
BESIDE  = +$(MAKE) --no-print-directory -j2 $(filter -O,$(patsubst output-sync,-O,$(.FEATURES)))

.DEFAULT_GOAL := help
.PHONY: help demo test test-all test-loaded ready quick lint types format core stub levels clang sanitize sanitize-address sanitize-core sanitize-python \
        sanitize-threads fuzz bench stream cluster calibrate docs wheel clean clean-all
.DELETE_ON_ERROR:

help: ## what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /|/' | awk -F'|' '{printf "make %-16s %s\n", $$1, $$2}'

demo: $(DONE)/requirements $(DONE)/core ## compare all learners on a table, train one, explain it, write demo.html
	$(PY) -m learnt.demo

test: ready ## lint, types, tests, examples of the docs; expensive checks for a sample of learners
	$(SAY) "tests"
	$(TESTS) $(SHORT) --durations=25

test-all: ready ## the same with every test, and expensive checks for all learners
	$(SAY) "all tests"
	$(TESTS) --durations=25

test-loaded: $(DONE)/test $(DONE)/core ## the tests of make test beside BUSY=8 busy processes
	$(SAY) "tests beside $(BUSY) busy processes"
	$(PY) tools/under_load.py --busy $(BUSY) -- env $(TESTS) $(SHORT) --durations=25

# pip and mypy use one processor each, and wait: beside the compiler they cost half the time.
ready: $(DONE)/build
	$(SAY) "C++ core, beside it packages, types and style"
	$(BESIDE) $(DONE)/core types lint

quick: lint $(DONE)/test $(DONE)/core ## before a commit, within 90 s: lint, layers, every tenth test
	$(SAY) "every tenth test"
	$(TESTS) $(SHORT) --share 10

lint: $(DONE)/test ## ruff: style and format
	$(SAY) "ruff"
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(DONE)/test ## mypy, strict
	$(SAY) "mypy"
	$(BIN)/mypy

format: $(DONE)/test ## let ruff rewrite what it can
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

core: $(DONE)/requirements $(DONE)/core ## rebuild the C++ core, as far as its files changed

stub: $(DONE)/core $(DONE)/test ## write src/learnt/_core.pyi, the types of the kernels, from the compiled core
	$(PY) tools/stub.py

docs: $(DONE)/docs $(DONE)/core ## the documentation, in docs/_build/html
	$(SAY) "docs"
	$(BIN)/sphinx-build -W --keep-going -j auto -b html docs docs/_build/html

bench: $(DONE)/bench $(DONE)/core ## side by side with the peers: each workload, metrics, import time, one row
	$(SAY) "one row at a time"
	$(PY) benchmarks/overhead.py
	$(SAY) "workloads"
	$(PY) benchmarks/run.py kmeans gmm ols ridge lasso_path logreg_dense logreg_sparse svm_linear csv csv_stream gnb bow_mnb \
		cart forest gbdt gbdt_cat adaboost knn_brute knn_3d dbscan ward pca svm_rbf svr svm_multiclass \
		mlp mlp_small bn_polytree bn_grid hmm iforest label_spreading import
	$(PY) benchmarks/tree_shap.py
	$(PY) benchmarks/k_medoids.py
	$(PY) benchmarks/kmeans_many.py
	$(PY) benchmarks/structure_learning.py
	$(SAY) "recommendation"
	$(PY) benchmarks/recommendation.py --users 100000 --items 20000 --ratings 10000000
	$(PY) benchmarks/recommendation.py --users 100000 --items 20000 --ratings 10000000 --stream
	$(SAY) "word vectors"
	$(PY) benchmarks/word_vectors.py
	$(SAY) "metrics"
	$(PY) benchmarks/metrics.py

stream: $(DONE)/requirements $(DONE)/core ## k-means over GB=4 gigabytes of Parquet within 1 GB of memory
	$(PY) benchmarks/stream.py --gb $(GB)

cluster: $(DONE)/bench $(DONE)/core ## fits on a Dask cluster of ROWS=20000000 rows beside local ones and the peers; kills; a model of scale
	$(PY) benchmarks/cluster.py --rows $(ROWS)
	$(PY) benchmarks/scale_model.py --validate
	$(PY) benchmarks/cluster_kills.py
	$(PY) benchmarks/cluster_cuts.py

calibrate: $(DONE)/requirements $(DONE)/core ## how often tests err and intervals hold: 20,000 runs each, two processes; writes docs/calibration.md
	nice -n 10 $(PY) benchmarks/calibrate.py

# ---- the core on other compilers and processors, and under sanitizers: its own tests, then Python's

levels: $(DONE)/test $(DONE)/core ## the kernels' tests as on processors without AVX-512, and without AVX2
	for level in baseline avx2; do LEARNT_SIMD=$$level $(TESTS) tests/kernels -q -p no:cacheprovider || exit 1; done

clang: $(DONE)/build ## the core and its tests built by clang
	$(SAY) "core tests, by clang"
	CXX=$(CLANG_CXX) $(CORE_TESTS_IN)/clang -DCMAKE_BUILD_TYPE=Release -DLEARNT_TESTS=ON
	$(BIN)/cmake --build build/clang --target core_tests
	$(BIN)/ctest --test-dir build/clang --output-on-failure

sanitize: sanitize-core sanitize-python ## the core and its tests under AddressSanitizer and UBSan

CORE_TESTS_IN = $(BIN)/cmake -S . -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja -B build

# UBSan makes up more than half of the compile time, AVX2 and AVX-512 half of what is left: CI has time for the rest.
sanitize-address: $(DONE)/build ## the core's tests, without AVX, under AddressSanitizer alone: within two minutes
	$(SAY) "core tests, under AddressSanitizer"
	CXX=$(SANITIZE_CXX) $(CORE_TESTS_IN)/sanitize/address -DCMAKE_BUILD_TYPE=None -DLEARNT_SANITIZE=address
	$(BIN)/cmake --build build/sanitize/address --target core_tests
	$(BIN)/ctest --test-dir build/sanitize/address --output-on-failure

sanitize-core: $(DONE)/build
	$(SAY) "core tests, sanitized"
	CXX=$(SANITIZE_CXX) $(CORE_TESTS_IN)/sanitize/core -DCMAKE_BUILD_TYPE=None -DLEARNT_SANITIZE=ON
	$(BIN)/cmake --build build/sanitize/core --target core_tests
	$(BIN)/ctest --test-dir build/sanitize/core --output-on-failure

# A venv of its own that borrows the packages of the main one, but not its editable install. Both
# libraries are preloaded: without libstdc++ the sanitizer cannot see C++ exceptions thrown.
SANITIZED := build/sanitize/venv
THREADED  := build/sanitize/thread-venv
define SANITIZED_INSTALL # of venv, build folder and sanitizers
	$(PY) tools/borrow_venv.py $(1)
	CXX=$(SANITIZE_CXX) $(PIP) install . --no-deps --no-build-isolation --upgrade \
	    --target "$$($(1)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')" \
	    --config-settings=build-dir=$(2) --config-settings=cmake.build-type=None \
	    --config-settings=cmake.define.LEARNT_SANITIZE=$(3) --config-settings=install.strip=false
endef

sanitize-python: $(DONE)/test
	$(SAY) "Python tests of the kernels, sanitized"
	$(call SANITIZED_INSTALL,$(SANITIZED),build/sanitize/python,ON)
	LD_PRELOAD="$$($(SANITIZE_CXX) -print-file-name=libasan.so) $$($(SANITIZE_CXX) -print-file-name=libstdc++.so)" \
	ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
	    $(SANITIZED)/bin/python -m pytest tests/kernels -q -p no:cacheprovider -n 2

# ThreadSanitizer wants its memory at fixed addresses, hence setarch, and does not follow forks. Four threads on any
# machine: a race needs two.
TSAN := TSAN_OPTIONS="halt_on_error=1 suppressions=$(abspath tools/thread_sanitizer.txt)" LEARNT_THREADS=4 setarch -R
sanitize-threads: $(DONE)/test ## the core and its tests under ThreadSanitizer
	$(SAY) "core tests, under ThreadSanitizer"
	CXX=$(SANITIZE_CXX) $(CORE_TESTS_IN)/sanitize/threads -DCMAKE_BUILD_TYPE=None -DLEARNT_SANITIZE=thread
	$(BIN)/cmake --build build/sanitize/threads --target core_tests
	$(TSAN) $(BIN)/ctest --test-dir build/sanitize/threads --output-on-failure
	$(SAY) "Python tests of the kernels, under ThreadSanitizer"
	$(call SANITIZED_INSTALL,$(THREADED),build/sanitize/threads-python,thread)
	LD_PRELOAD="$$($(SANITIZE_CXX) -print-file-name=libtsan.so) $$($(SANITIZE_CXX) -print-file-name=libstdc++.so)" \
	OPENBLAS_NUM_THREADS=1 $(TSAN) $(THREADED)/bin/python -m pytest tests/kernels -q -p no:cacheprovider -k "not fork"

# ---- files, models, tables and calls damaged at random

fuzz: $(DONE)/test $(DONE)/core ## damaged files, models, tables and calls for MINUTES=10, from SEED=0
	$(SAY) "fuzzing for $(MINUTES) minutes, from seed $(SEED)"
	$(PY) -m tools.fuzz --minutes $(MINUTES) --seed $(SEED)

# ---- a wheel, and the proof that it works where there is no compiler

# Under Python 3.12 and later it is a wheel of the stable ABI, good for all later ones, and abi3audit looks at its symbols
# (make wheel PYTHON=python3.12 VENV=build/venv-3.12); nanobind has none for 3.11.
wheel: $(DONE)/requirements $(DONE)/wheel ## dist/*.whl, tried in a clean environment without a compiler, its ABI audited
	$(SAY) "wheel"
	rm -rf dist
	$(PIP) wheel . --no-deps --no-build-isolation --wheel-dir dist
	$(PY) tools/check_wheel.py dist/*.whl --limit-mb 10

# ---- the environment; each stamp says that a step is done and up to date

$(DONE)/venv:
	$(SAY) "virtual environment $(VENV)"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo "$$($(PYTHON) --version) is too old: learnt needs Python 3.11 or later (make PYTHON=python3.12 ...)"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --upgrade pip
	@mkdir -p $(DONE) && touch $@

$(DONE)/build: $(DONE)/venv pyproject.toml
	$(SAY) "what learnt needs to be built"
	$(PY) tools/requirements.py build > $@.txt
	$(PIP) install -r $@.txt
	@touch $@

$(DONE)/requirements: $(DONE)/build
	$(SAY) "what learnt needs to run"
	$(PY) tools/requirements.py run > $@.txt
	$(PIP) install -r $@.txt
	@touch $@

$(DONE)/core: $(DONE)/build $(CORE)
	$(SAY) "C++ core"
	MAKEFLAGS= $(PIP) install --no-deps --no-build-isolation -v -e .
	@touch $@

# One pip for lint, types and tests: two at a time in one environment would be in each other's way.
$(DONE)/test $(DONE)/docs $(DONE)/bench $(DONE)/wheel: $(DONE)/%: $(DONE)/requirements
	$(SAY) "packages for make $*"
	$(PY) tools/requirements.py $(if $(filter test,$*),lint) $* > $@.txt
	$(PIP) install -r $@.txt
	@touch $@

clean: ## remove what was built, keep the environment
	rm -rf build dist docs/_build docs/gallery docs/api demo.html .mypy_cache .ruff_cache .pytest_cache .hypothesis
	rm -f $(DONE)/core

clean-all: clean ## remove the environment too
	rm -rf $(VENV)
