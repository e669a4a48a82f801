import MildamOTP

/// Why an export of Google Authenticator was not read, joined or written.
public enum MigrationError: Error, Equatable, Sendable {
    /// The text does not begin with `otpauth-migration://offline?data=`.
    case notMigration
    /// More than `MigrationBatch.maximumURIByteCount` bytes.
    case tooLong
    /// The data is no base64.
    case malformedBase64
    /// The data is no message of the export's kind.
    case malformed
    /// There is nothing to join or to write.
    case empty
    /// The batches are not all of one export: their ids or numbers differ.
    case differentExports
    /// Two different batches have one index, counted from 0.
    case conflictingBatches(index: Int)
    /// These batches, counted from 0, of so many are not there.
    case missingBatches([Int], of: Int)
    /// The export has no way to say this of a token, counted from 0: it knows six and eight digits, and 30 seconds, and
    /// not Steam.
    case notRepresentable(index: Int, TokenField)
}

extension MigrationError: CustomStringConvertible {
    /// What happened, in one line. Codes and tokens are counted from 1, as people do.
    public var description: String {
        switch self {
        case .notMigration: "this is no export of Google Authenticator (otpauth-migration://offline?data=…)"
        case .tooLong: "an export of Google Authenticator has at most \(MigrationBatch.maximumURIByteCount) bytes"
        case .malformedBase64: "the data of the export is no base64: it was not copied whole"
        case .malformed: "the data of the export is malformed"
        case .empty: "there is no token to export"
        case .differentExports: "these are parts of different exports"
        case .conflictingBatches(let index): "two different parts of the export call themselves part \(index + 1)"
        case .missingBatches(let indices, let count):
            "of the \(count) parts of the export these are missing: "
                + indices.map { "\($0 + 1)" }.joined(separator: ", ")
        case .notRepresentable(let index, let field):
            "token \(index + 1) cannot go to Google Authenticator: \(field.migrationLimit)"
        }
    }
}

extension TokenField {
    /// What Google Authenticator takes in this part of a token, for a sentence about one that it does not take.
    public var migrationLimit: String {
        switch self {
        case .digits: "it takes 6 or 8 digits"
        case .period: "its codes stand for 30 seconds"
        case .counter: "it takes no counter that large"
        case .type: "it does not know Steam Guard"
        default: "it does not take this \(rawValue)"
        }
    }
}
