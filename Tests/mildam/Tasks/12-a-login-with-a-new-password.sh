# TASK: Change the password of a login that was imported, and get the new one from then on.
# LOOKED UP: mildam keychain set --help; mildam keychain get --help
# NEEDS: a name means exactly one item
. "$(dirname "$0")/prelude.bash" || exit

keychain
printf 'name,url,username,password\nForge,https://forge.example/,me,the old one\n' | mildam keychain import -
count=$(mildam keychain list | wc -l)
printf 'the new one' | mildam keychain set forge.example me
prints 'the new one' mildam keychain get forge.example me
[[ $(mildam keychain list | wc -l) == "$count" ]] || fail "there is a second item: $(mildam keychain list)"
says 'removed' mildam keychain remove forge.example me
refused 4 forge.example mildam keychain get forge.example me
