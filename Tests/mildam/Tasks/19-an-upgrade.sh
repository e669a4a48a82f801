# TASK: Upgrade the program while the keychain's agent runs, and go on.
# LOOKED UP: mildam unlock --help; mildam lock --help
# NEEDS: the agent knows an upgraded program
. "$(dirname "$0")/prelude.bash" || exit

mkdir installed
cp "$(command -v mildam)" installed/mildam
installed() { "$work/installed/mildam" "$@"; }
says keychain typed "New passphrase:=$passphrase" "Once more:=$passphrase" -- "$work/installed/mildam" keychain create
says unlocked typed "Passphrase of the keychain:=$passphrase" -- "$work/installed/mildam" unlock
printf 'kept' | installed keychain set a b
cp "$(command -v mildam)" installed/mildam.new
mv installed/mildam.new installed/mildam
keeps_quiet_of 'nothing' "$work/installed/mildam" keychain list
says unlocked typed "Passphrase of the keychain:=$passphrase" -- "$work/installed/mildam" unlock
prints kept installed keychain get a b
printf 'kept on' | installed keychain set a b
[[ $(installed keychain list | wc -l) == 1 ]] || fail "the item is there twice: $(installed keychain list)"
says locked installed lock --stop
