import MildamFiles
import MildamSystem
import MildamTerminal

extension AgeError: EndsWithStatus {
    /// The status of `mildam`.
    public var exitStatus: ExitStatus {
        switch self {
        case .noIdentityMatches: .wrongSecret
        case .malformedHeader, .malformedArmor, .unsupportedVersion, .headerMACMismatch, .damaged, .truncated,
            .trailingData, .differentCiphertext:
            .damaged
        case .workFactorTooHigh, .emptyPassphrase, .tooManyRecipients, .lockedKey(_, .noPassphrase),
            .lockedKey(_, .tooCostly):
            .refused
        case .lockedKey(_, .wrongPassphrase): .wrongSecret
        case .lockedKey(_, .damaged): .damaged
        case .lockedKey(_, .unusable(let error)): error.exitStatus
        case .recipientStandsAlone: .usage
        case .io(let error): error.exitStatus
        case .invalidIdentity, .invalidRecipient, .noRecipients, .pluginMissing, .pluginFailed, .lockedKey,
            .sourceChanged, .cancelled, .cryptography:
            .failed
        }
    }
}

extension AgeKeyError: EndsWithStatus {
    /// The status of `mildam`.
    public var exitStatus: ExitStatus {
        switch self {
        case .unusableLine(_, let defect), .unusableFile(let defect): defect.exitStatus
        case .tooLarge: .refused
        case .noKeys: .damaged
        case .io(let error): error.exitStatus
        }
    }
}

extension AgeKeyDefect: EndsWithStatus {
    /// The status of `mildam`: what is no key is damaged, what is one that is not taken here is refused.
    public var exitStatus: ExitStatus {
        switch self {
        case .unknownKind, .malformedAgeKey, .malformedSSHKey, .damagedFile: .damaged
        default: .refused
        }
    }
}

extension RNCryptorError: EndsWithStatus {
    /// The status of `mildam`.
    public var exitStatus: ExitStatus {
        switch self {
        case .authenticationFailed, .differentlyKeyed: .wrongSecret
        case .notRNCryptor, .unsupportedVersion, .unknownOptions, .truncated: .damaged
        case .emptyPassword: .refused
        case .io(let error): error.exitStatus
        case .invalidKeySize, .sourceChanged, .cancelled, .cryptography: .failed
        }
    }
}

extension LegacyError: EndsWithStatus {
    /// The status of `mildam`.
    public var exitStatus: ExitStatus {
        switch self {
        case .wrongPadding: .wrongSecret
        case .truncated: .damaged
        case .io(let error): error.exitStatus
        case .invalidParameter, .sourceChanged, .cancelled, .cryptography: .failed
        }
    }
}

extension ECKeyError: EndsWithStatus {
    /// The status of `mildam`.
    public var exitStatus: ExitStatus {
        switch self {
        case .publicKey, .privateKey, .encrypted: .refused
        case .malformed, .unknown, .tooLarge: .damaged
        case .io(let error): error.exitStatus
        }
    }
}
