# TASK: Give a script that runs without a terminal one secret, and nothing in its arguments.
# LOOKED UP: mildam keychain get --help
# NEEDS: secrets by file and descriptor
. "$(dirname "$0")/prelude.bash" || exit

keychain
printf 'for the backup' | mildam keychain set backup robot
mildam lock --stop
wrong_turn 6 passphrase mildam keychain get backup robot
printf '%s\n' "$passphrase" >passphrase
chmod 600 passphrase
prints 'for the backup' mildam keychain get backup robot --passphrase-file passphrase
mildam lock --stop
prints 'for the backup' mildam keychain get backup robot --no-agent --passphrase-fd 3 3<passphrase
mildam lock --stop
printf 'not it\n' >wrong
refused 3 wrong mildam keychain get backup robot --passphrase-file wrong
