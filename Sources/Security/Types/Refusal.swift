import MildamCrypto
import MildamEnclave
import MildamKeychain

/// Why something was refused: Apple's status, and a reason in words.
struct Refusal: Error, Equatable {
    let status: OSStatus
    let reason: String

    init(_ status: OSStatus, _ reason: String) {
        self.status = status
        self.reason = reason
    }

    /// A key or a value that makes no sense.
    static func parameter(_ reason: String) -> Refusal { Refusal(errSecParam, reason) }
}

extension Refusal {
    init(_ error: KeychainError) { self.init(Refusal.status(of: error), error.description) }

    private static func status(of error: KeychainError) -> OSStatus {
        switch error {
        case .duplicateItem: errSecDuplicateItem
        case .itemNotFound: errSecItemNotFound
        case .invalidRequest, .ambiguousItem, .changedMeanwhile, .noSuchSlot, .lastSlot: errSecParam
        case .locked: errSecInteractionNotAllowed
        case .needsPassphrase, .wrongSecret, .tooManyTries: errSecAuthFailed
        case .accessGroupDenied: errSecMissingEntitlement
        case .damagedItem, .damagedPast: errSecDecode
        case .changedFromOutside, .rolledBack: errSecInvalidKeychain
        case .alreadyExists: errSecDuplicateKeychain
        case .noKeychain, .replaced: errSecNoSuchKeychain
        case .enclave, .absentEnclave: errSecDeviceFailed
        case .storage, .io: errSecIO
        case .agent, .foreignAgent: errSecNotAvailable
        }
    }

    init(_ error: EnclaveError) { self.init(Refusal.status(of: error), error.description) }

    private static func status(of error: EnclaveError) -> OSStatus {
        switch error {
        case .pinRequired, .pinUnexpected, .pinLength, .wrongPIN, .lockedOut: errSecAuthFailed
        case .absent, .invalidAddress: errSecNotAvailable
        case .damagedBlob: errSecDecode
        case .cancelled: errSecUserCanceled
        case .wrongPurpose, .unsupported: errSecUnimplemented
        case .otherTPM, .tpmCleared, .wrongKind: errSecInvalidItemRef
        case .slotsTaken, .indexTaken, .noCounter, .wrongCounterAuthorization, .ownerPasswordSet, .forgedAnswer,
            .system, .tpm:
            errSecDeviceFailed
        }
    }

    init(_ error: ECIESError) {
        switch error {
        case .tooShort, .tooLong, .invalidPoint: self.init(errSecParam, error.description)
        case .authenticationFailure: self.init(errSecDecode, error.description)
        case .incorrectSharedSecretSize, .cryptography: self.init(errSecInternalComponent, error.description)
        }
    }

    /// libcrypto refused what was checked before.
    init(_ error: CryptoKitError) { self.init(errSecInternalComponent, "the cryptographic library refused: \(error)") }
}

/// Runs `body`; what a keychain refuses with comes out with Apple's status.
func asking<Value>(_ body: () throws(KeychainError) -> Value) throws(Refusal) -> Value {
    do throws(KeychainError) { return try body() } catch { throw Refusal(error) }
}

/// Runs `body` for a function that answers with a status.
func status(_ body: () throws(Refusal) -> Void) -> OSStatus {
    do throws(Refusal) {
        try body()
        return errSecSuccess
    } catch {
        return error.status
    }
}

/// Runs `body` for a function that answers with something, or with an error at `place`.
func unless<Value>(
    _ place: UnsafeMutablePointer<Unmanaged<CFError>?>?,
    _ body: () throws(Refusal) -> Value
) -> Value? {
    do throws(Refusal) { return try body() } catch {
        unsafe place?.pointee = unsafe Unmanaged.passRetained(CFError(error))
        return nil
    }
}
