# TASK: Start a relay for two people on this machine, and see that it is ready.
# LOOKED UP: README, "Five minutes of use"; mildam relay serve --help; mildam doctor --help
. "${0%/*}/prelude.bash"

wrong_turn 2 --data mildam relay serve --listen 127.0.0.1:0
relay
says "ok" mildam doctor --relay "$RELAY"
[[ $(stat -c %a relay) == 700 ]] || fail "others may enter the relay's folder"
stop_relay
refused 7 "nobody answers" mildam doctor --relay "$RELAY"
