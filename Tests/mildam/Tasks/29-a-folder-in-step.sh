# TASK: Keep a folder and a vault in step, both ways, also when a file was changed on both sides.
# LOOKED UP: mildam vault sync --help
. "$(dirname "$0")/prelude.bash" || exit

mildam vault init
mkdir letters
echo 'Dear Ben' >letters/ben.txt
echo 'Dear Ana' >letters/ana.txt
wrong_turn 6 'no terminal' mildam vault sync letters --as letters
says '2 to the vault. Do it?' typed '[y/N]=y' -- mildam vault sync letters --as letters
prints 'in step: 2 files' mildam vault sync letters --as letters

# Something new on either side, and a letter that was rewritten on both.
echo 'Dear Cem' >letters/cem.txt
echo 'Dear Dana' | mildam vault add - --as letters/dana.txt
echo 'Dearest Ana' >letters/ana.txt
mildam vault remove letters/ana.txt
echo 'My dear Ana' | mildam vault add - --as letters/ana.txt
says '1 to the vault, 1 to the folder, 1 kept twice' mildam vault sync letters --as letters --dry-run
refused 1 'kept twice' mildam vault sync letters --as letters --yes
grep -q 'Dearest Ana' letters/ana.txt
grep -q 'My dear Ana' letters/'ana (vault '*.txt
grep -q 'Dear Dana' letters/dana.txt
says 'Dearest Ana' mildam vault get letters/ana.txt
says '5 files' mildam vault list letters

# Removed on one side is removed on the other.
rm letters/cem.txt
says '1 removed from the vault' mildam vault sync letters --as letters --yes
refused 4 'cem.txt' mildam vault get letters/cem.txt
