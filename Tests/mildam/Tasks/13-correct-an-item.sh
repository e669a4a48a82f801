# TASK: Correct the account of an item, and its secret in an editor.
# LOOKED UP: mildam keychain edit --help
# NEEDS: keychain edit
. "$(dirname "$0")/prelude.bash" || exit

keychain
printf 'first draft' | mildam keychain set mail anna
says changed mildam keychain edit mail anna --new-account ana --label 'Letters of ana'
prints 'first draft' mildam keychain get mail ana
says 'Letters of ana' mildam keychain list
printf '%s\n' '#!/bin/sh' 'printf "final text\n" >"$1"' >editor
chmod +x editor
wrong_turn 2 EDITOR mildam keychain edit mail ana
EDITOR=$work/editor says changed mildam keychain edit mail ana
prints 'final text' mildam keychain get mail ana
