# TASK: Make a keychain, keep the recovery code, keep a first password, and read it again.
# LOOKED UP: README, "Secrets"; mildam keychain create --help; mildam keychain set --help
. "$(dirname "$0")/prelude.bash" || exit

wrong_turn 4 'mildam keychain create' mildam keychain get example.org me
keychain
printf 'correct battery\n' | mildam keychain set example.org me
prints 'correct battery' mildam keychain get example.org me
keeps_quiet_of 'correct battery' mildam keychain list
says 'example.org' mildam keychain list
mildam lock --stop
says unlocked typed "Recovery code:=$recovery" -- mildam unlock --with code
prints 'correct battery' mildam keychain get example.org me
grep -rq 'correct battery' ~ && fail 'the password lies in clear on the disk'
exit 0
