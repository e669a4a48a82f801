# TASK: Let a second passphrase open the keychain, and take the first one away.
# LOOKED UP: mildam keychain add-slot --help; mildam keychain remove-slot --help
# NEEDS: keychain add-slot
. "$(dirname "$0")/prelude.bash" || exit

keychain
printf 'kept' | mildam keychain set a b
second='the second of two ways'
says added typed "Passphrase of the keychain:=$passphrase" "New passphrase:=$second" "Once more:=$second" -- \
    mildam keychain add-slot passphrase
first=$(mildam keychain slots | sed -n 's/^ *\([0-9]*\) .*passphrase.*/\1/p' | head -n 1)
says removed typed "Passphrase of the keychain:=$second" -- mildam keychain remove-slot "$first"
mildam lock --stop
refused 3 wrong typed "Passphrase of the keychain:=$passphrase" -- mildam unlock
says unlocked typed "Passphrase of the keychain:=$second" -- mildam unlock
prints kept mildam keychain get a b
