# TASK: Find out why a message does not arrive, and have it sent later.
# LOOKED UP: README, "Five minutes of use"; mildam doctor --help; mildam outbox list --help
. "$(dirname "$0")/prelude.bash" || exit

relay
accounts ana ben
room kitchen ana ben
stop_relay
refused 7 'sent by itself later' mildam --profile ana send kitchen 'are you there?'
refused 7 'see that the relay runs' mildam --profile ana doctor
says 'are you there?' mildam --profile ana outbox list
relay
says ok mildam --profile ana doctor
mildam --profile ana read kitchen >/dev/null
says 'nothing waits' mildam --profile ana outbox list
says 'ana: are you there?' mildam --profile ben read kitchen
