# TASK: Start a relay for two people on this machine, and see that it is ready.
# LOOKED UP: README, "Five minutes of use"; mildam relay serve --help; mildam doctor --help
. "$(dirname "$0")/prelude.bash" || exit

wrong_turn 2 '--public-url' mildam relay serve --data relay --listen 0.0.0.0:0
relay
says "ok" mildam doctor --relay "$RELAY"
[[ $(stat -c %a relay) == 700 ]] || fail "others may enter the relay's folder"
stop_relay
refused 7 'see that the relay runs' mildam doctor --relay "$RELAY"
