# TASK: Get a vault's files back after its index was lost, and after the profile was lost, too.
# LOOKED UP: backup.md, "When something is lost"; mildam vault repair --help
. "$(dirname "$0")/prelude.bash" || exit

spare=$(mildam file keygen -o spare.txt)
mildam vault init -r "$spare"
echo 'the only copy' >letter.txt
mildam vault add letter.txt
rm letter.txt ~/.local/share/mildam/default/vault/index.db*
refused 5 index.db mildam vault list
says 'recovered 1, 1 under their names' mildam vault repair
prints 'the only copy' mildam vault get letter.txt
rm ~/.local/share/mildam/default/root.key
refused 5 '' mildam vault get letter.txt
for file in ~/.local/share/mildam/default/vault/files/*/*.age; do
    prints 'the only copy' mildam file decrypt -i spare.txt "$file"
done
says 'recovered 1, 1 under their names' mildam vault repair -i spare.txt
prints 'the only copy' mildam vault get letter.txt
