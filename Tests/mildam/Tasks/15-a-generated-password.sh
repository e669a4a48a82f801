# TASK: Have a password made for a new login, and one that can be read out.
# LOOKED UP: mildam keychain generate --help
# NEEDS: keychain generate
. "$(dirname "$0")/prelude.bash" || exit

keychain
says 'kept a password' mildam keychain generate shop.example me
made=$(mildam keychain get shop.example me)
[[ ${#made} == 20 ]] || fail "$made has not 20 characters"
shown=$(mildam keychain generate wifi --words 5 --show)
[[ $shown =~ ^([a-z]{5}-){4}[a-z]{5}$ ]] || fail "$shown cannot be read out"
prints "$shown" mildam keychain get wifi
says 'kept a password' mildam keychain generate shop.example me
[[ $(mildam keychain get shop.example me) != "$made" ]] || fail 'the password is the old one'
