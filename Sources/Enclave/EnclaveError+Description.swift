extension EnclaveError: CustomStringConvertible {
    /// What happened, to what, and what can be done.
    public var description: String {
        switch self {
        case .absent(let address, .missing):
            "there is no TPM at \(address): "
                + (Self.simulatorAdvice(address)
                    ?? "switch it on in the firmware's settings, or use a passphrase instead")
        case .absent(let address, .notPermitted):
            "the TPM at \(address) is not for this user: it belongs to the group tss (usermod -aG tss NAME)"
        case .absent(let address, .noAnswer):
            "the TPM at \(address) does not answer: another program may be keeping it"
                + (Self.simulatorAdvice(address).map { "; otherwise \($0)" } ?? "")
        case .invalidAddress(let address):
            "\(address) is no address of a TPM; device:/dev/tpmrm0 is one, or swtpm:path=SOCKET"
        case .pinRequired: "the key asks for its PIN"
        case .pinUnexpected: "the key has no PIN, but one was given"
        case .pinLength(let count): "a PIN has 1 to 1024 bytes, this one has \(count)"
        case .wrongPIN(let tries?): "the PIN is wrong; the TPM hears \(tries) more before it refuses all for a while"
        case .wrongPIN(nil): "the passphrase is wrong"
        case .lockedOut(let seconds):
            "the TPM is locked out after too many wrong PINs or power cuts; it hears one more in \(seconds) seconds"
        case .otherTPM: "the key belongs to another TPM, or something stands between this program and the TPM"
        case .tpmCleared: "the TPM was cleared since the key was made, and the key with it"
        case .damagedBlob: "the key is damaged"
        case .wrongPurpose: "the key is not for this: a key signs or agrees, never both"
        case .wrongKind: "the key belongs to the other kind of enclave"
        case .slotsTaken: "other programs occupy the TPM; try again when they are done"
        case .indexTaken(let index): "index \(Self.hexadecimal(index)) of the TPM is taken"
        case .noCounter(let index): "there is no counter at index \(Self.hexadecimal(index)) of the TPM"
        case .wrongCounterAuthorization: "the authorization is not the counter's"
        case .ownerPasswordSet: "the TPM's owner hierarchy has a password, and what is asked would need it"
        case .forgedAnswer: "an answer did not come from the TPM that holds the key, or was changed on its way"
        case .unsupported(let what): "unsupported: \(what)"
        case .cancelled: "cancelled"
        case .system(let error): error.description
        case .tpm(let code): "the TPM refuses: \(ResponseCode(code).text)"
        }
    }

    private static func simulatorAdvice(_ address: String) -> String? {
        (try? TPMAddress(address))?.simulatorCommand.map { "start one with `\($0)`, where FOLDER is to keep its state" }
    }

    private static func hexadecimal(_ index: UInt32) -> String { "0x" + String(index, radix: 16) }
}
