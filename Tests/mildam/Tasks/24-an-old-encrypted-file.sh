# TASK: Open a file that an old program wrote with RNCryptor, and keep it as an age file.
# LOOKED UP: README, "Five minutes of use"; mildam file convert --help
. "$(dirname "$0")/prelude.bash" || exit

echo 'from years ago' >old.txt
typed ":=$passphrase" -- mildam file encrypt -p --format rncryptor -o old.rncryptor old.txt
says rncryptor mildam file inspect old.rncryptor
refused 3 '' typed ':=not it' -- mildam file decrypt -o wrong.txt old.rncryptor
key=$(mildam file keygen -o key.txt)
typed ":=$passphrase" -- mildam file convert -r "$key" -o old.age old.rncryptor
prints 'from years ago' mildam file decrypt -i key.txt old.age
