# TASK: A file was overwritten and added again by mistake: bring back what it was before.
# LOOKED UP: mildam vault add --help; mildam vault history --help; mildam vault restore --help
. "$(dirname "$0")/prelude.bash" || exit

mildam vault init
echo 'ten pages' >thesis.txt
echo 'figures' >figures.txt
mildam vault add thesis.txt figures.txt
echo 'oops' >thesis.txt
says 'added 0, 1 changed, 1 as before' mildam vault add thesis.txt figures.txt
prints 'oops' mildam vault get thesis.txt
says '  1  until ' mildam vault history thesis.txt
prints 'ten pages' mildam vault restore thesis.txt -o -
says 'restored thesis.txt' mildam vault restore thesis.txt
prints 'ten pages' mildam vault get thesis.txt
mildam vault get thesis.txt -o thesis.txt --force
echo 'ten pages' | cmp - thesis.txt
