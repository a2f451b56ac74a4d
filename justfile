# Shortcuts. Nothing here is needed: README.md and CONTRIBUTING.md name the commands behind them.

# "$@" keeps the words of an argument together.
set positional-arguments

# list the recipes
default:
    @just --list

# fetch every dependency, so that the rest works offline
setup:
    cargo fetch --locked

# run flightdeck with arguments, e.g. `just run list`
run *args:
    cargo run --release -- "$@"

# a rehearsed session in a scratch folder
demo *args:
    cargo run --release -- demo "$@"

# run the tests, e.g. `just test pc_143`
test *args:
    cargo test "$@"

# bring the real agent CLIs into a folder, e.g. `just install-clis /somewhere/clis claude codex`
install-clis dir *names:
    tests/conformance/install.sh "$@"

# run the real CLIs against a model on loopback, and write docs/vendors.md
conformance dir:
    FLIGHTDECK_REAL_CLI="$1" cargo test --test suite pc_075_the_real -- --nocapture

# format the sources
fmt:
    cargo fmt

# everything a change has to pass
ci:
    .ci/run
