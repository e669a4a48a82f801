# TASK: Encrypt a letter to a friend who uses age, and read the answer.
# LOOKED UP: README, "Five minutes of use"; mildam file encrypt --help
. "$(dirname "$0")/prelude.bash" || exit

age-keygen -o friend.txt 2>/dev/null
friend=$(sed -n 's/^# public key: //p' friend.txt)
mine=$(mildam file keygen -o key.txt)
printf 'Dear friend,\nlunch at twelve?\n' >letter.txt
mildam file encrypt -r "$friend" -o letter.age letter.txt
age -d -i friend.txt letter.age >read.txt
same letter.txt read.txt
refused 3 key mildam file decrypt -i key.txt -o mine.txt letter.age
[[ ! -e mine.txt ]] || fail 'something was written'
printf 'twelve is fine\n' | age -r "$mine" >answer.age
prints 'twelve is fine' mildam file decrypt -i key.txt answer.age
printf 'x' | dd of=answer.age bs=1 seek="$(($(stat -c %s answer.age) - 3))" conv=notrunc 2>/dev/null
refused 5 '' mildam file decrypt -i key.txt -o forged.txt answer.age
[[ ! -e forged.txt ]] || fail 'a forged file was written'
