# TASK: Lock everything before leaving, see that nothing can be read, and unlock again.
# LOOKED UP: README, "Secrets"; mildam lock --help
# NEEDS: lock --close
. "$(dirname "$0")/prelude.bash" || exit

keychain
printf 'kept' | mildam keychain set a b
mildam vault init
echo 'a letter' >letter.txt
mildam vault add letter.txt
says letter.txt mildam vault list
mildam lock
mildam lock --close
refused 6 keychain mildam vault list
keeps_quiet_of 'a letter' mildam vault get letter.txt
keeps_quiet_of kept mildam keychain get a b
says unlocked typed "Passphrase of the keychain:=$passphrase" -- mildam unlock
prints 'a letter' mildam vault get letter.txt
prints kept mildam keychain get a b
