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

# kill whole sessions at every file operation and at a thousand instants, refuse every write: half an hour or more
crash-walk story="all":
    FLIGHTDECK_WALK="$1" cargo test --test suite -- walk:: beneath:: unread:: --nocapture --test-threads=1

# turn the disk, the folders and the locks against sessions at every file operation, spoil their files: half an hour
fault-walk fault="all":
    FLIGHTDECK_FAULTS="$1" cargo test --test suite -- faults:: garbled:: killed_screens --nocapture --test-threads=1

# eight hours of eight sessions with four participants each, in a minute: memory and descriptors stay flat
soak hours="8":
    FLIGHTDECK_SOAK="$1" cargo test --test suite soak:: -- --nocapture

# measure everything beside its reference and write docs/performance.md: some minutes on a quiet machine
bench *parts:
    cargo bench --bench measure -- "$@"

# look for bytes that break a reader, e.g. `just fuzz stream 60`; needs a nightly toolchain and cargo-fuzz
fuzz target seconds:
    mkdir -p fuzz/found/"$1"
    cd fuzz && cargo +nightly fuzz run --fuzz-dir . "$1" found/"$1" corpus/"$1" -- -max_total_time="$2" -max_len=16384

# everything a change has to pass
ci:
    .ci/run
