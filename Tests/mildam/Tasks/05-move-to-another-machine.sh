# TASK: Move an account with its keychain to another machine, and go on there.
# LOOKED UP: backup.md, "Copying a profile" and "Putting a profile back, or moving it"
. "$(dirname "$0")/prelude.bash" || exit

relay
accounts ben
says ana typed "Password:=$password" "Once more:=$password" -- mildam account create ana --relay "$RELAY"
mildam room create kitchen
mildam contact add ben
mildam --profile ben contact add ana
mildam room invite kitchen ben
mildam --profile ben room join kitchen
mildam send kitchen 'from the old machine'
keychain
mildam keychain set example.org me <<<"on the move"

spare=$(mildam file keygen -o spare.txt)
mildam lock --stop
tar -C ~/.local/share/mildam -cf - default | mildam file encrypt -r "$spare" -o profile.tar.age
machine new
refused 4 account mildam account show
mkdir -p -m 700 ~/.local/share/mildam
mildam file decrypt -i spare.txt profile.tar.age | tar -C ~/.local/share/mildam -xpf -
says unlocked typed "Passphrase of the keychain:=$passphrase" -- mildam unlock
rm -r "$work/home/.local/share/mildam/default"
prints 'on the move' mildam keychain get example.org me
says 'from the old machine' mildam read kitchen
mildam send kitchen 'from the new one'
machine home
says 'ana: from the new one' mildam --profile ben read kitchen
