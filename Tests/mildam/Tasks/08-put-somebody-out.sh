# TASK: Remove somebody from a room, and see that they cannot read on.
# LOOKED UP: README, "Five minutes of use"; mildam room remove --help
. "$(dirname "$0")/prelude.bash" || exit

relay
accounts ana ben eve
room kitchen ana ben eve
mildam --profile ana send kitchen 'for all three'
says 'for all three' mildam --profile eve read kitchen
says 'removed eve' mildam --profile ana room remove kitchen eve
mildam --profile ana send kitchen 'for two'
says 'for two' mildam --profile ben read kitchen
keeps_quiet_of 'for two' mildam --profile eve read kitchen
keeps_quiet_of eve mildam --profile ana room show kitchen
