# TASK: Set a new passphrase by the recovery code, after the old one was forgotten.
# LOOKED UP: what `mildam unlock` says; mildam keychain passphrase --help
# NEEDS: keychain passphrase --with code
. "$(dirname "$0")/prelude.bash" || exit

keychain
printf 'kept' | mildam keychain set a b
mildam lock --stop
wrong_turn 3 'mildam keychain passphrase --with code' typed 'Passphrase of the keychain:=was it this?' -- mildam unlock
new='nine white herons'
says changed typed "Recovery code:=$recovery" "New passphrase:=$new" "Once more:=$new" -- \
    mildam keychain passphrase --with code
refused 3 wrong typed "Passphrase of the keychain:=$passphrase" -- mildam unlock
says unlocked typed "Passphrase of the keychain:=$new" -- mildam unlock
prints kept mildam keychain get a b
