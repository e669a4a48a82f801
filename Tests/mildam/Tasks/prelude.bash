# What every task begins with: empty machines, somebody at the terminal, and eyes that look at what came out.
# `mildam` and `mildam-relay` are on the PATH.
set -Eeuo pipefail

# Nobody answers who was not told what: the terminal from which this is started is not these machines'.
if : 2>/dev/null </dev/tty; then exec setsid -w bash "$0"; fi
typist=$(realpath "${BASH_SOURCE[0]%/*}/../typist.py")

fail() { # WORDS
    trap - ERR
    printf 'task failed: %s\n' "$*" >&2
    exit 1
}
# What nobody looked at has failed: the script's own line is named.
stopped() { fail "line ${BASH_LINENO[-2]} ended with $1: $BASH_COMMAND"; }
trap 'stopped $?' ERR

work=$(mktemp -d "${TMPDIR:-/tmp}/mildam-task-XXXXXX")
cd "$work"
unset MILDAM_HOME MILDAM_PROFILE MILDAM_RELAY MILDAM_VAULT MILDAM_TPM MILDAM_PASSPHRASE XDG_DATA_HOME
unset DISPLAY WAYLAND_DISPLAY VISUAL EDITOR
export TERM=dumb TZ=UTC DBUS_SYSTEM_BUS_ADDRESS=unix:path=/nonexistent DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent

# From here on, everything happens on the machine of this name.
machine() { # NAME
    export HOME=$work/$1 XDG_RUNTIME_DIR=$work/$1.run
    mkdir -p -m 700 "$HOME" "$XDG_RUNTIME_DIR"
}

# Ends whoever listens at a socket.
kill_listener() { # SOCKET
    python3 -c '
import os, signal, socket, struct, sys
end = socket.socket(socket.AF_UNIX)
end.connect(sys.argv[1])
os.kill(struct.unpack("3i", end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0], signal.SIGKILL)
' "$1"
}

finish() {
    local status=$? home profile keychain socket
    trap - ERR EXIT
    set +e
    for home in "$work"/*.run; do
        machine "$(basename "$home" .run)"
        for profile in "$HOME"/.local/share/mildam/*/messenger.db; do
            [[ -e $profile ]] && mildam --profile "$(basename "$(dirname "$profile")")" client stop >/dev/null 2>&1
        done
        for keychain in "$HOME"/.local/share/mildam/*/keychain.db; do
            [[ -e $keychain ]] || continue
            mildam --profile "$(basename "$(dirname "$keychain")")" lock --stop >"$work/stopped" 2>&1 || {
                cat "$work/stopped" >&2
                status=1
            }
        done
    done
    for _ in {1..100}; do
        compgen -G "$work/*.run/mildam/*.agent" >/dev/null || break
        sleep 0.05
    done
    for socket in "$work"/*.run/mildam/*.agent; do
        [[ -e $socket ]] || continue
        echo "an agent goes on at $socket" >&2
        status=1
        kill_listener "$socket"
    done
    kill $(jobs -p) 2>/dev/null
    wait
    rm -rf "$work"
    exit "$status"
}
trap finish EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# Runs a command at a terminal, where QUESTION is answered with ANSWER.
typed() { # [QUESTION=ANSWER]... -- COMMAND...
    python3 "$typist" "$@"
}

# A command is done, and says WORDS.
says() { # WORDS COMMAND...
    local words=$1 seen
    shift
    seen=$("$@" 2>&1) || fail "$* ended with $?: $seen"
    [[ $seen == *"$words"* ]] || fail "$* does not say \"$words\": $seen"
}

# A command prints exactly this.
prints() { # TEXT COMMAND...
    local text=$1 seen
    shift
    seen=$("$@") || fail "$* ended with $?: $seen"
    [[ $seen == "$text" ]] || fail "$* prints \"$seen\", not \"$text\""
}

# A command does not do it: it ends with STATUS, and says WORDS.
refused() { # STATUS WORDS COMMAND...
    local wanted=$1 words=$2 seen status=0
    shift 2
    seen=$("$@" 2>&1) || status=$?
    [[ $status == "$wanted" ]] || fail "$* ended with $status, not $wanted: $seen"
    [[ $seen == *"$words"* ]] || fail "$* does not say \"$words\": $seen"
}

# What somebody tries first, who has not read everything: it does not do it, and WORDS name the way on.
wrong_turn() { # STATUS WORDS COMMAND...
    refused "$@"
}

# WORDS are nowhere in what a command says.
keeps_quiet_of() { # WORDS COMMAND...
    local words=$1 seen
    shift
    seen=$("$@" 2>&1) || true
    [[ $seen != *"$words"* ]] || fail "$* says \"$words\": $seen"
}

# Two files are the same.
same() { # FILE FILE
    cmp "$1" "$2" || fail "$1 is not $2"
}

# Starts a relay on this machine; RELAY is its address, also after it was stopped and is started again.
relay() { # OPTION...
    : >relay.out
    mildam relay serve --data "$work/relay" --listen "${RELAY_PLACE:-127.0.0.1:0}" "$@" >>relay.out 2>relay.log &
    relay_process=$!
    until grep -q 'listening on' relay.out; do
        kill -0 "$relay_process" 2>/dev/null || fail "the relay has ended: $(cat relay.log)"
        sleep 0.05
    done
    RELAY=$(grep -o 'http://[^ ]*' relay.out | head -n 1)
    RELAY_PLACE=${RELAY#http://}
}

stop_relay() {
    kill "$relay_process"
    wait "$relay_process" || fail "the relay ended with $?"
}

# The password of everybody here, and the passphrase of every keychain.
password='plum orchard at dusk'
passphrase='seven grey herons'

# Makes accounts, each in the profile of its name.
accounts() { # NAME...
    local name
    for name; do
        says "$name" typed "Password:=$password" "Once more:=$password" -- \
            mildam --profile "$name" account create "$name" --relay "$RELAY"
    done
}

# A room of the first, whom the others know and join.
room() { # ROOM NAME...
    local room=$1 owner=$2 name
    shift 2
    mildam --profile "$owner" room create "$room" >/dev/null
    for name; do
        mildam --profile "$name" contact add "$owner" >/dev/null
        mildam --profile "$owner" room invite "$room" "$name" >/dev/null
        mildam --profile "$name" room join "$room" >/dev/null
    done
}

# Makes a keychain and opens it; `recovery` is its recovery code.
keychain() {
    local seen
    seen=$(typed "New passphrase:=$passphrase" "Once more:=$passphrase" -- mildam keychain create) ||
        fail "mildam keychain create ended with $?: $seen"
    recovery=$(tr -d '\r' <<<"$seen" | sed -n 's/.*recovery code[^:]*: //p')
    [[ -n $recovery ]] || fail "no recovery code: $seen"
    says unlocked typed "Passphrase of the keychain:=$passphrase" -- mildam unlock
}

machine home
