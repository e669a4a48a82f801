# TASK: Take over a browser's passwords, find one by a part of its name, and copy it.
# LOOKED UP: README, "Secrets"; mildam keychain import --help; mildam keychain get --help
# NEEDS: items found by a part of a name, keychain get --copy
. "$(dirname "$0")/prelude.bash" || exit

keychain
cat >passwords.csv <<'CSV'
name,url,username,password,note
Example,https://example.com/login,alice,hunter2,
GitHub,https://github.com/,me,forge of code,
CSV
says 'added 2' mildam keychain import passwords.csv
rm passwords.csv
says github.com mildam keychain list git
prints 'forge of code' mildam keychain get git
says "$(printf 'forge of code' | base64)" typed -- mildam keychain get git --copy --clear-after 1
keeps_quiet_of 'forge of code' typed -- mildam keychain get git --copy --clear-after 1
wrong_turn 4 'did you mean' mildam keychain get gihtub.com
