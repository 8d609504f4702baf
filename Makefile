BIN := $(if $(wildcard .venv/bin/python),.venv/bin/,)

test: # the fast suite, on all cores
	$(BIN)pytest
lint:
	$(BIN)ruff check . && $(BIN)ruff format --check . && $(BIN)mypy && $(BIN)lint-imports
docs: # the site, in build/site, from docs/
	$(BIN)zensical build --strict --clean
image: # of the container, for this machine
	docker build -f docs/deploy/Dockerfile -t aggregator .
demo: # a made-up show on this machine, until stopped
	$(BIN)aggregator demo

# Known vulnerabilities of the pinned packages, from PyPI and OSV: needs a network and pip-audit (pipx install pip-audit).
audit:
	pip-audit --disable-pip --no-deps -r constraints.txt

# Update the pins with uv. Run the tests with them before committing.
constraints:
	uv pip compile --quiet --upgrade --extra postgresql --extra notify --extra scale --extra catalogue --extra s3 --no-annotate --python-version 3.11 -o constraints.txt pyproject.toml
	$(MAKE) hashes

# What docs/deploy installs, in these versions, with the hashes of PyPI: the packages, and what builds those without a wheel.
COMPILE = uv pip compile --quiet --universal --generate-hashes --no-annotate --no-header --python-version 3.11
hashes:
	$(COMPILE) --extra postgresql --extra notify --extra scale --extra s3 -c constraints.txt -o docs/deploy/requirements.txt pyproject.toml
	printf 'hatchling>=1.26\nsetuptools\n' | $(COMPILE) -o docs/deploy/build-requirements.txt -

# Coverage of merging and of text by their own tests.
coverage:
	pytest -q --no-header -r '' -m "not shared and not heavy" --cov=aggregator/merger --cov=aggregator/text --cov-branch \
	  --cov-report=term:skip-covered tests/unit/merger tests/unit/text

.PHONY: test lint docs image demo audit constraints hashes coverage
