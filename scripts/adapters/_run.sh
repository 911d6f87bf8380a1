# Sourced by the scripts beside it: tests one adapter in an environment of its own, which is gone afterwards
# unless EQUIPOISE_VENV names one to keep.
#
#   run_tests EXTRA [PYTEST ARGUMENTS]   installs equipoise[EXTRA] and runs tests/adapters/EXTRA
source "$(dirname "${BASH_SOURCE[0]}")/../_setup.sh"

run_tests() {
    local extra=$1 folder=
    shift
    if [ -z "${EQUIPOISE_VENV:-}" ]; then
        folder=$(mktemp -d)
        trap 'rm -rf "'"$folder"'"' EXIT
        VENV=$folder/venv
    fi
    # Its own versions, not those of constraints.txt: the ecosystems pin what they need.
    if [ ! -x "$VENV/bin/python" ]; then
        "$(find_python)" -m venv "$VENV"
    fi
    "$VENV/bin/python" -m pip install --quiet -e "$ROOT[$extra]" pytest pytest-timeout hypothesis
    cd "$ROOT"
    "$VENV/bin/python" "$ROOT/scripts/adapters/_versions.py" "$extra"
    OMP_NUM_THREADS=1 "$VENV/bin/python" -m pytest -p no:cacheprovider -rs "tests/adapters/$extra" "$@"
}
