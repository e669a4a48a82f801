# TASK: Add a second factor, mistype a code on the way, log out and in with a code.
# LOOKED UP: README, "Your account"; mildam account add-second-factor --help; mildam otp code --help
# NEEDS: a wrong code asks again; no terminal to ask on is status 6
. "$(dirname "$0")/prelude.bash" || exit

relay
accounts ana
export MILDAM_PROFILE=ana
printf '%s\n' "$password" >password
mildam account add-second-factor --json --password-file password >factor
grep -o 'otpauth:[^"]*' factor | sed 's,\\/,/,g' >uri
[[ -s uri ]] || fail "no otpauth URI: $(cat factor)"
code() { # SECONDS
    local code
    code=$(mildam otp code --uri - --at "$(($(date +%s) + $1))" <uri)
    printf '%s' "${code%% *}"
}
now=$(code 0)
wrong=$(printf '%06d' "$(((10#$now + 1) % 1000000))")
typed "now:=$wrong" "now:=$(code 0)" -- mildam account confirm-second-factor >codes || fail "$(cat codes)"
grep -Eq '([a-z0-9]{4}-){3}' codes || fail "no recovery codes: $(cat codes)"
says code mildam account second-factor
mildam account logout
wrong_turn 6 code mildam account login --password-file password
says 'logged in as ana' typed "Password:=$password" "recovery code:=$(code 30)" -- mildam account login
