# TASK: Make a vault with a spare key, add a folder of photos, and add it again when there are new ones.
# LOOKED UP: README, "Five minutes of use"; mildam vault init --help; mildam vault add --help
. "$(dirname "$0")/prelude.bash" || exit

spare=$(mildam file keygen -o spare.txt)
mildam vault init -r "$spare"
mkdir photos
for name in one two three; do head -c 5000 /dev/urandom >photos/$name.png; done
says 'added 3' mildam vault add photos
head -c 5000 /dev/urandom >photos/four.png
# What is there already may be named, and holds up nothing.
mildam vault add photos >added 2>&1 || true
grep -q 'added 1' added || fail "the new one was not added: $(cat added)"
says photos/four.png mildam vault list
mildam vault get photos/four.png -o four.png
same photos/four.png four.png
says '4 sound, 0 damaged' mildam vault verify
for file in ~/.local/share/mildam/default/vault/files/*/*.age; do age -d -i spare.txt "$file" | sha256sum; done |
    sort >by-spare-key
for file in photos/*.png; do sha256sum <"$file"; done | sort >originals
same by-spare-key originals
