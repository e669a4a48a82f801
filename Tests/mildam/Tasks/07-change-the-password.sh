# TASK: Change the password, and be sure that a stolen copy of the profile is logged out and stays so.
# LOOKED UP: README, "Your account"; backup.md; mildam account password --help
. "$(dirname "$0")/prelude.bash" || exit

relay
accounts ana
cp -a ~/.local/share/mildam/ana ~/.local/share/mildam/stolen
says 'logged in' typed "Password:=$password" -- mildam --profile stolen account login
wrong_turn 6 'mildam account login' mildam --profile ana account sessions
says 'logged in' typed "Password:=$password" -- mildam --profile ana account login
says 'this one' mildam --profile ana account sessions
says 'the password is changed' typed "Present password:=$password" 'New password:=a better one of mine' \
    'Once more:=a better one of mine' -- mildam --profile ana account password
refused 6 'mildam account login' mildam --profile stolen account sessions
refused 3 wrong typed "Password:=$password" -- mildam --profile stolen account login
says 'failed' mildam --profile ana account log
mildam --profile ana account logout
says 'logged in' typed 'Password:=a better one of mine' -- mildam --profile ana account login
