# TASK: Meet somebody by a link, compare fingerprints, talk, send a picture and save it.
# LOOKED UP: README, "Five minutes of use" and "Strangers can only ask"
. "$(dirname "$0")/prelude.bash" || exit

relay
accounts ana ben
mildam --profile ana invite-link >link
says "met ana" mildam --profile ben contact add --link-file link
mildam --profile ben room create kitchen
says "invited ana" mildam --profile ben room invite kitchen ana
says "joined kitchen" mildam --profile ana room join kitchen
fingerprint=$(mildam --profile ana account show | sed -n 's/^fingerprint *//p')
[[ ${#fingerprint} -gt 50 ]] || fail "no fingerprint: $fingerprint"
says "$fingerprint" mildam --profile ben room show kitchen
mildam --profile ana send kitchen 'Lunch at twelve?'
says 'ana: Lunch at twelve?' mildam --profile ben read kitchen
head -c 300000 /dev/urandom >picture.png
mildam --profile ben send kitchen --file picture.png
number=$(mildam --profile ana read kitchen | sed -n 's/^ *\([0-9]*\) .*picture\.png.*/\1/p')
mildam --profile ana save kitchen "$number" --output copy.png
same picture.png copy.png
