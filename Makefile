# Each target first sees to its own Debian packages (Scripts/bootstrap), then calls one script.

.DEFAULT_GOAL := help
.PHONY: help run test prove bench bench-check lint fuzz vectors docs clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## plays a conversation of three people over a relay, and leaves nothing behind
	@Scripts/bootstrap run
	@Scripts/run

test: ## every kind of test, in small counts; prints its seed
	@Scripts/bootstrap test
	@Scripts/test

prove: ## everything in full counts that is not proven yet; writes Documentation/proof.md
	@Scripts/bootstrap prove
	@Scripts/prove

bench: ## the tables of speed, each beside a peer in the same run
	@Scripts/bootstrap bench
	@Scripts/bench

bench-check: ## instruction counts of the hot paths; fails at +3 %
	@Scripts/bootstrap bench
	@Scripts/bench-check

lint: ## formatting, floors, links, and a build without warnings
	@Scripts/bootstrap lint
	@Scripts/lint

fuzz: ## every fuzz target for a while
	@Scripts/bootstrap fuzz
	@Scripts/fuzz

vectors: ## fetches the published test vectors and checks every digest
	@Scripts/bootstrap vectors
	@Scripts/vectors

docs: ## the reference of the libraries, in .build/docs
	@Scripts/bootstrap docs
	@Scripts/docs

clean: ## removes what was built; never anyone's data
	@Scripts/clean
