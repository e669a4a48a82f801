import MildamOneTimeCode
import MildamSystem
import MildamTerminal

extension ImportError: EndsWithStatus {
    /// The status of `mildam`.
    public var exitStatus: ExitStatus {
        switch self {
        case .wrongPassword: .wrongSecret
        case .unknownFormat, .malformedJSON, .malformed, .damaged: .damaged
        case .tooLarge, .tooManyRows, .unsupportedVersion, .passwordNeeded, .noPasswordSlot, .tooCostly: .refused
        case .migration(let error): error.exitStatus
        case .cryptography: .failed
        }
    }
}

extension MigrationError: EndsWithStatus {
    /// The status of `mildam`.
    public var exitStatus: ExitStatus {
        switch self {
        case .notMigration, .tooLong, .malformedBase64, .malformed: .damaged
        case .empty, .missingBatches: .notFound
        case .differentExports, .conflictingBatches, .notRepresentable: .refused
        }
    }
}

extension FieldMapError: EndsWithStatus {
    /// The status of `mildam`.
    public var exitStatus: ExitStatus { .usage }
}

extension QRCodeError: EndsWithStatus {
    /// The status of `mildam`.
    public var exitStatus: ExitStatus {
        switch self {
        case .empty, .containsNull, .tooLong: .refused
        case .scaleOutOfRange: .usage
        }
    }
}

extension ImageScannerError: EndsWithStatus {
    /// The status of `mildam`.
    public var exitStatus: ExitStatus {
        switch self {
        case .noCode: .notFound
        case .damaged: .damaged
        case .refused: .refused
        case .io(let error): error.exitStatus
        case .programMissing, .gaveUp, .failed: .failed
        }
    }
}
