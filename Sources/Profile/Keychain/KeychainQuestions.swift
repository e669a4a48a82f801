import MildamKeychain

/// Answers what has to be known to open a keychain: by asking at a terminal, in a window, or of a file.
public protocol KeychainQuestions {
    /// Which way to open it is meant; `nil` for the one that asks for the least.
    func way() async throws -> SlotKind?

    /// The passphrase, PIN or code. Nobody is asked for `enclaveUnattended`.
    func secret(of kind: SlotKind) async throws -> SecretValue
}

extension KeychainQuestions {
    /// The one that asks for the least.
    public func way() async throws -> SlotKind? { nil }
}

extension SlotKind {
    /// The kinds in the order in which they are tried: what asks for the least first.
    static let preferred: [SlotKind] = [
        .enclaveUnattended, .enclavePIN, .enclaveAndPassphrase, .passphrase, .recoveryCode,
    ]
}

extension SlotSecret {
    /// A secret of a kind, as it was typed.
    ///
    /// - Throws: `wrongSecret` for what cannot be a recovery code.
    public init(_ kind: SlotKind, _ text: SecretValue) throws(KeychainError) {
        switch kind {
        case .passphrase: self = .passphrase(text)
        case .enclavePIN: self = .enclavePIN(text)
        case .enclaveAndPassphrase: self = .enclaveAndPassphrase(text)
        case .enclaveUnattended: self = .enclaveUnattended
        case .recoveryCode:
            guard let code = RecoveryCode(text) else { throw .wrongSecret }
            self = .recoveryCode(code)
        }
    }
}
