# TASK: Open files that were encrypted to an SSH key, and to an age key, which are under a passphrase.
# LOOKED UP: mildam file encrypt --help; mildam file decrypt --help
# NEEDS: key files under passphrases
. "$(dirname "$0")/prelude.bash" || exit

echo 'for this key alone' >letter.txt
ssh-keygen -q -t ed25519 -a 2 -N "$passphrase" -f ssh
mildam file encrypt -R ssh.pub -o ssh.age letter.txt
typed "Passphrase of ssh:=$passphrase" -- mildam file decrypt -i ssh -o ssh.txt ssh.age
same letter.txt ssh.txt
wrong_turn 3 'wrong passphrase' typed 'Passphrase of ssh:=not it' -- mildam file decrypt -i ssh -o wrong.txt ssh.age
[[ ! -e wrong.txt ]] || fail 'something was written'

# An older key, of RSA, works in the same way.
ssh-keygen -q -t rsa -b 2048 -a 2 -N "$passphrase" -f rsa
mildam file encrypt -R rsa.pub -o rsa.age letter.txt
typed "Passphrase of rsa:=$passphrase" -- mildam file decrypt -i rsa -o rsa.txt rsa.age
same letter.txt rsa.txt

key=$(mildam file keygen -o key.txt)
typed ":=$passphrase" -- mildam file encrypt -p -o key.age key.txt
rm key.txt
mildam file encrypt -r "$key" -o letter.age letter.txt
typed "Passphrase of key.age:=$passphrase" -- mildam file decrypt -i key.age -o again.txt letter.age
same letter.txt again.txt
