# TASK: Add a token from a secret, and one from a picture, and use a code in a pipe.
# LOOKED UP: README, "Secrets"; mildam otp add --help; mildam otp code --help
# NEEDS: bare base32 secrets, the code alone in a pipe
. "$(dirname "$0")/prelude.bash" || exit

keychain
secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ
wrong_turn 5 'otpauth://' mildam otp add <<<'my secret'
says 'kept 1' mildam otp add --issuer ACME --account bob <<<"$secret"
qrencode -o token.png "otpauth://totp/Forge:me?secret=$secret&issuer=Forge&digits=8"
says 'kept 1' mildam otp add --qr token.png
says 'Forge:me' mildam otp list
# RFC 6238, appendix B: 94287082 at 59 s.
prints 287082 mildam otp code acme --at 59
prints 94287082 mildam otp code forge --at 59
