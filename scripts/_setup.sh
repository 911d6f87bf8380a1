# Sourced by the other scripts: makes, once, the virtual environment they run in.
#
#   EQUIPOISE_VENV  where it lies (default: .venv beside this folder)
#   PYTHON          the interpreter it is made with (default: the first fitting one on the PATH)

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
VENV=${EQUIPOISE_VENV:-$ROOT/.venv}

find_python() {
    local candidate
    for candidate in ${PYTHON:+"$PYTHON"} python3 python3.13 python3.12 python3.11; do
        if "$candidate" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' \
            2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
    echo "equipoise needs Python 3.11, 3.12 or 3.13: set PYTHON to one of them" >&2
    return 2
}

# set_up EXTRAS: installs the package with its extras, unless exactly that is installed already.
set_up() {
    local python key stamp=$VENV/equipoise-${1//,/-}.stamp
    if [ ! -x "$VENV/bin/python" ]; then
        python=$(find_python)
        echo "making the environment $VENV" >&2
        "$python" -m venv "$VENV"
    fi
    key=$( (cd "$ROOT" && pwd && cat pyproject.toml constraints.txt) |
        "$VENV/bin/python" -c 'import hashlib, sys; print(hashlib.sha256(sys.stdin.buffer.read()).hexdigest())')
    if [ "$(cat "$stamp" 2>/dev/null)" != "$key" ]; then
        echo "installing equipoise[$1], about 1.5 GB the first time" >&2
        (cd "$ROOT" && "$VENV/bin/python" -m pip install --quiet -c constraints.txt -e ".[$1]")
        echo "$key" >"$stamp"
    fi
}
