# TASK: Try keys of an enclave on a machine without a TPM, with a simulator.
# LOOKED UP: README, "Secrets"; what `mildam enclave status` says
# NEEDS: enclave says how swtpm is started
. "$(dirname "$0")/prelude.bash" || exit

tpm=swtpm:path=$work/tpm
refused 4 'swtpm socket' mildam enclave status --tcti "$tpm"
line=$(mildam enclave status --tcti "$tpm" 2>&1 | grep -o '`swtpm socket [^`]*`' | tr -d '`') || true
mkdir state
${line//FOLDER/state} >/dev/null 2>&1 &
until [[ -S tpm.ctrl ]]; do sleep 0.05; done
says 'TPM at' mildam enclave status --tcti "$tpm"
keychain
says 'BEGIN PUBLIC KEY' mildam enclave create work --tcti "$tpm"
says work mildam enclave list
echo 'for this machine alone' >letter.txt
mildam enclave encrypt --key work -o letter.sealed letter.txt
prints 'for this machine alone' mildam enclave decrypt --key work letter.sealed --tcti "$tpm"
