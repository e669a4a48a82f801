# TASK: Get a password back that a typing error has replaced, and one that was removed by mistake.
# LOOKED UP: mildam keychain history --help; mildam keychain remove --help; mildam keychain trash --help
# NEEDS: what is replaced and removed is kept
. "$(dirname "$0")/prelude.bash" || exit

keychain
printf 'the right one' | mildam keychain set mail anna
printf 'a typing error' | mildam keychain set mail anna
number=$(mildam keychain history mail anna | cut -d ' ' -f 1)
says 'has that value again' mildam keychain history mail anna --restore "$number"
prints 'the right one' mildam keychain get mail anna
says 'kept until' mildam keychain remove mail anna
refused 4 mail mildam keychain get mail anna
number=$(mildam keychain trash | cut -d ' ' -f 1)
says 'restored password mail anna' mildam keychain trash --restore "$number"
prints 'the right one' mildam keychain get mail anna
