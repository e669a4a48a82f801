# TASK: Back up profile, keychain, vault and relay, delete them, put them back, and check them.
# LOOKED UP: backup.md
. "$(dirname "$0")/prelude.bash" || exit

relay
says ana typed "Password:=$password" "Once more:=$password" -- mildam account create ana --relay "$RELAY"
mildam room create kitchen
mildam send kitchen 'said before the day'
keychain
printf 'kept' | mildam keychain set a b
spare=$(mildam file keygen -o spare.txt)
mildam vault init -r "$spare"
echo 'a letter' >letter.txt
mildam vault add letter.txt
mildam lock --stop
tar -C ~/.local/share/mildam -cf - default | mildam file encrypt -r "$spare" -o profile.tar.age
stop_relay
tar -C "$work" -cf - relay | mildam file encrypt -r "$spare" -o relay.tar.age
rm -r relay ~/.local/share/mildam letter.txt

mkdir -p -m 700 ~/.local/share/mildam
mildam file decrypt -i spare.txt profile.tar.age | tar -C ~/.local/share/mildam -xpf -
mildam file decrypt -i spare.txt relay.tar.age | tar -C "$work" -xpf -
relay
says unlocked typed "Passphrase of the keychain:=$passphrase" -- mildam unlock
says ok mildam doctor
prints kept mildam keychain get a b
says 'said before the day' mildam read kitchen
mildam send kitchen 'and after it'
says '0 damaged' mildam keychain verify
says '1 sound, 0 damaged' mildam vault verify
prints 'a letter' mildam vault get letter.txt
