/// The ways to open a keychain.
public enum SlotKind: UInt8, CaseIterable, Sendable {
    /// A passphrase, stretched by Argon2id.
    case passphrase = 1
    /// A recovery code of 160 random bits.
    case recoveryCode = 2
    /// A key of the enclave's, with its PIN.
    case enclavePIN = 3
    /// A key of the enclave's and a passphrase: both are needed.
    case enclaveAndPassphrase = 4
    /// A key of the enclave's alone: whoever can use the machine can open the keychain.
    case enclaveUnattended = 5

    /// Whether a passphrase is part of it, which is what `whenPasscodeSetThisDeviceOnly` asks for. A PIN is one, too:
    /// the enclave counts wrong ones.
    public var hasPasscode: Bool {
        switch self {
        case .passphrase, .enclavePIN, .enclaveAndPassphrase: true
        case .recoveryCode, .enclaveUnattended: false
        }
    }

    var stretchesPassphrase: Bool { self == .passphrase || self == .enclaveAndPassphrase }
    var usesEnclave: Bool { self == .enclavePIN || self == .enclaveAndPassphrase || self == .enclaveUnattended }
}

/// What somebody gives to open a keychain.
public enum SlotSecret: Sendable {
    /// A passphrase.
    case passphrase(SecretValue)
    /// A recovery code.
    case recoveryCode(RecoveryCode)
    /// The PIN of the enclave's key.
    case enclavePIN(SecretValue)
    /// The passphrase that goes with the enclave's key.
    case enclaveAndPassphrase(SecretValue)
    /// Nothing: the enclave's key alone.
    case enclaveUnattended

    /// Which kind of slot it opens.
    public var kind: SlotKind {
        switch self {
        case .passphrase: .passphrase
        case .recoveryCode: .recoveryCode
        case .enclavePIN: .enclavePIN
        case .enclaveAndPassphrase: .enclaveAndPassphrase
        case .enclaveUnattended: .enclaveUnattended
        }
    }

    /// The most bytes of a passphrase or PIN.
    public static let maximumSize = 4096
}
