# TASK: Move the tokens to a phone, and see which one it cannot take.
# LOOKED UP: mildam otp export --help
# NEEDS: a token that an export cannot hold is named
. "$(dirname "$0")/prelude.bash" || exit

keychain
for name in 'Bank:me?' 'Slow:me?period=60&'; do
    says 'kept 1' mildam otp add <<<"otpauth://totp/${name}secret=GEZDGNBVGY3TQOJQ"
done
status=0
mildam otp export --google >export 2>said || status=$?
[[ $status == 1 ]] || fail "a token was left out, and the status is $status"
grep -q 'Slow:me cannot go' said || fail "it is not said which one: $(cat said)"
grep -q '^otpauth-migration://' export || fail "nothing was exported: $(cat export)"
qrencode -o phone.png <export
machine phone
keychain
says 'kept 1' mildam otp add --qr phone.png
says 'Bank:me' mildam otp list
