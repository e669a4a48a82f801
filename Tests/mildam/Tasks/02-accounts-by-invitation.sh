# TASK: Run a relay that only people with an invitation can join, and bring two people to it.
# LOOKED UP: README, "Five minutes of use"; relay.md, "Who may make an account"; mildam account create --help
. "$(dirname "$0")/prelude.bash" || exit

relay --registration invite
until grep -q '^invitation ' relay.out; do sleep 0.05; done
sed -n 's/^invitation //p' relay.out >first
mildam-relay invite --data relay >second
wrong_turn 6 invitation typed "Password:=$password" "Once more:=$password" "Invitation:=nonsense" -- \
    mildam --profile ana account create ana --relay "$RELAY"
for person in ana:first ben:second; do
    says "${person%:*}" typed "Password:=$password" "Once more:=$password" -- mildam --profile "${person%:*}" \
        account create "${person%:*}" --relay "$RELAY" --invitation-file "${person#*:}"
done
says ben mildam-relay user list --data relay
refused 6 invitation typed "Password:=$password" "Once more:=$password" -- \
    mildam --profile eve account create eve --relay "$RELAY" --invitation-file first
