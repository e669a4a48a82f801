import MildamSystem

/// Why an enclave did not do what it was asked to.
public enum EnclaveError: Error, Equatable, Sendable {
    /// Why a TPM cannot be reached.
    public enum Absence: Equatable, Sendable {
        /// There is no such device or socket.
        case missing
        /// It is there, and not for this user.
        case notPermitted
        /// It is there, and nothing answers, or another program keeps it.
        case noAnswer
    }

    /// There is no TPM at this address.
    case absent(address: String, Absence)
    /// This is no address of a TPM: neither `device:PATH` nor `swtpm:…`.
    case invalidAddress(String)
    /// The key asks for a PIN, and none was given.
    case pinRequired
    /// The key has no PIN, and one was given.
    case pinUnexpected
    /// A PIN has 1 to 1,024 bytes, not this many.
    case pinLength(Int)
    /// The PIN is wrong. A TPM says how many more it hears before it refuses all; software counts none.
    case wrongPIN(triesLeft: Int?)
    /// Too many PINs were wrong, or power was cut too often after one was used. One more is heard after so many
    /// seconds.
    case lockedOut(recoverySeconds: Int)
    /// The key was made by another TPM, or something between the TPM and this program shows a storage key of its own.
    case otherTPM
    /// The key was made by this TPM, whose owner has cleared it since: the key is gone.
    case tpmCleared
    /// The key is damaged.
    case damagedBlob
    /// The key is for the other purpose.
    case wrongPurpose
    /// The key was made by the other kind of enclave.
    case wrongKind
    /// Other programs occupy the TPM.
    case slotsTaken
    /// The index in the TPM's memory is taken.
    case indexTaken(UInt32)
    /// There is no counter at this index.
    case noCounter(UInt32)
    /// The authorization is not that of the counter.
    case wrongCounterAuthorization
    /// This TPM's owner hierarchy, or what else is needed of it, is protected by a password of its owner.
    case ownerPasswordSet
    /// What was answered did not come from the TPM that holds the key, or was changed on its way.
    case forgedAnswer
    /// It cannot be done, for the reason that is given.
    case unsupported(String)
    /// The task was cancelled before anything was asked of the enclave.
    case cancelled
    /// The operating system failed.
    case system(SystemError)
    /// The TPM, or the software in front of it, gave a code of its own (TPM 2.0 part 2, section 6.6).
    case tpm(code: UInt32)
}
