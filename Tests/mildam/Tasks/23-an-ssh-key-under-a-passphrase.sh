# TASK: Open a file that was encrypted to an SSH key which is under a passphrase.
# LOOKED UP: mildam file encrypt --help; mildam file decrypt --help
# NEEDS: ssh keys under passphrases, ssh-rsa
. "${0%/*}/prelude.bash"

echo 'for the key of the agent' >letter.txt
for kind in ed25519 rsa; do
    ssh-keygen -q -t "$kind" -N "$passphrase" -f "$kind"
    mildam file encrypt -R "$kind.pub" -o "$kind.age" letter.txt
    typed ":=$passphrase" -- mildam file decrypt -i "$kind" -o "$kind.txt" "$kind.age"
    same letter.txt "$kind.txt"
    refused 3 passphrase typed ':=not it' -- mildam file decrypt -i "$kind" -o wrong.txt "$kind.age"
done
