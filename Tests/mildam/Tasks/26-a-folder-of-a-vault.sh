# TASK: Find a file in a vault, take its folder out with the times of its files, and rename the folder.
# LOOKED UP: mildam vault search --help; mildam vault get --help; mildam vault move --help
# NEEDS: folders of a vault
. "$(dirname "$0")/prelude.bash" || exit

mildam vault init
mkdir -p trips/rome
echo 'the forum' >trips/rome/forum.txt
echo 'the harbour' >trips/harbour.txt
touch -d '2019-05-04 12:00' trips/rome/forum.txt
mildam vault add trips --tag holiday
says trips/rome/forum.txt mildam vault search forum
says '2 files' mildam vault search holiday
wrong_turn 4 'trips/rome/forum.txt' mildam vault get trips/rome/form.txt
mildam vault get trips/rome -o out
same trips/rome/forum.txt out/forum.txt
[[ $(date -r out/forum.txt +%Y-%m-%d) == 2019-05-04 ]] || fail "the time is $(date -r out/forum.txt)"
says 'now called' mildam vault move trips/rome trips/roma
says trips/roma/forum.txt mildam vault list
says '1 file' mildam vault list --folders trips
