# TASK: Come from other programs, type their words, and be led to the right ones.
# LOOKED UP: nothing
# NEEDS: help, version, and words of others
. "$(dirname "$0")/prelude.bash" || exit

says 'Usage' mildam help vault add
says '.' mildam version
mildam vault init
echo 'a letter' >letter.txt
mildam vault add letter.txt
says letter.txt mildam vault ls
wrong_turn 2 'vault list' mildam ls
mildam vault rm letter.txt
key=$(mildam file keygen -o key.txt)
mildam encrypt -r "$key" -o letter.age letter.txt
prints 'a letter' mildam decrypt -i key.txt letter.age
says serve mildam-relay help
