#!/bin/sh
# Make .venv and install the project in it, editable, at the versions of constraints.txt.
#
#     scripts/setup.sh runtime|dev
#
# Does nothing when that was done already for this folder, pyproject.toml and constraints.txt.
# PYTHON names the interpreter to use; UV the uv to install with (empty: use pip).
set -eu
cd "$(dirname "$0")/.."

level=$1
stamp=.venv/.crag-installed
key=$({ pwd && cat pyproject.toml constraints.txt; } | cksum | cut -d ' ' -f 1)

if [ -x .venv/bin/python ] && [ -f "$stamp" ]; then
    read -r old_key old_level <"$stamp"
    if [ "$old_level" = dev ]; then level=dev; fi
    if [ "$old_key $old_level" = "$key $level" ]; then exit 0; fi
fi

fail() {
    printf 'setup: %s\n' "$*" >&2
    exit 1
}

is_recent() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

can_make_venv() {
    [ -n "$uv" ] || "$1" -c 'import ensurepip, venv' >/dev/null 2>&1
}

# A name on the PATH may be a shim that only prints an error: what counts is that it runs.
find_python() {
    for name in ${PYTHON:+"$PYTHON"} python3.13 python3.12 python3.11 python3.14 python3; do
        if is_recent "$name" && can_make_venv "$name"; then
            "$name" -c 'import sys; print(sys.executable)'
            return
        fi
        if [ "$name" = "${PYTHON:-}" ]; then
            fail "PYTHON=$PYTHON is no working Python of 3.11 or later (with its venv module)."
        fi
    done
    fail "there is no Python of 3.11 or later here that can make a virtual environment." \
        "Install one (on Debian and Ubuntu with its -venv package), or name it:" \
        "make PYTHON=/path/to/python3"
}

uv=${UV-uv}
if [ -n "$uv" ] && ! "$uv" --version >/dev/null 2>&1; then uv=; fi

if ! { [ -x .venv/bin/python ] && is_recent .venv/bin/python; }; then
    python=$(find_python)
    rm -rf .venv
    if [ -n "$uv" ]; then
        "$uv" venv --quiet --python "$python" .venv
    else
        "$python" -m venv .venv
    fi
fi
rm -f "$stamp"

if [ "$level" = dev ]; then what='.[dev]'; else what=.; fi
printf 'Installing (%s) into .venv with %s; this happens once.\n' "$level" "${uv:-pip}"
if [ -n "$uv" ]; then
    "$uv" pip install --python .venv/bin/python --quiet \
        --constraints constraints.txt --build-constraints constraints.txt --editable "$what"
else
    .venv/bin/python -m pip --version >/dev/null 2>&1 || .venv/bin/python -m ensurepip >/dev/null
    # The variables hold for the isolated environment that builds the project, too.
    PIP_CONSTRAINT=constraints.txt PIP_BUILD_CONSTRAINT=constraints.txt \
        PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore \
        .venv/bin/python -m pip install --quiet --editable "$what"
fi
printf '%s %s\n' "$key" "$level" >"$stamp"
