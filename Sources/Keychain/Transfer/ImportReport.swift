/// What became of an import, part by part. Nothing in it is a secret.
public struct ImportReport: Sendable {
    /// What became of an item.
    public enum Outcome: Equatable, Sendable {
        /// It is in the keychain now.
        case added
        /// An item with its primary key was there, and has its secret and attributes now.
        case replaced
        /// An item with its primary key was there, and was left as it is; or it came earlier in the same file, with the
        /// same secret.
        case duplicate
        /// It is not in the keychain.
        case refused(RowDefect)
    }

    /// An item, or a row that could not be read.
    public struct Row: Equatable, Sendable {
        /// Where in the file it stands, from 1.
        public let position: Int
        /// What it is called; empty where that is not known.
        public let name: String
        /// Which part of the row it is: "password", "note", "one-time code", "field" or "item"; "row" for all of it.
        public let part: String
        /// What became of it.
        public let outcome: Outcome
    }

    /// The rows, in the file's order.
    public internal(set) var rows: [Row] = []
    /// What of the file has no place in a keychain, and how often it was there.
    public internal(set) var leftOut: [String: Int] = [:]
    /// Why the import stopped before its end; what the rows tell is done.
    public internal(set) var stopped: KeychainError?

    /// How many were added.
    public var added: Int { rows.count { $0.outcome == .added } }
    /// How many took the place of another's secret.
    public var replaced: Int { rows.count { $0.outcome == .replaced } }
    /// How many were there already.
    public var duplicates: Int { rows.count { $0.outcome == .duplicate } }
    /// How many could not be read or added.
    public var refused: Int { rows.count { if case .refused = $0.outcome { true } else { false } } }
}

/// Whether an import is done.
public enum ImportMode: Sendable {
    /// It is.
    case real
    /// Nothing is written, and the report says what would be.
    case trial
}

/// What to do with what is there already.
public enum DuplicateRule: Sendable {
    /// Leave it as it is.
    case skip
    /// Give it the secret and the attributes of the file's.
    case replace
}

/// What became of an export.
public struct ExportReport: Equatable, Sendable {
    /// An item that does not open.
    public struct DamagedItem: Equatable, Sendable {
        /// Its number, as ``LocalKeychain/verify()`` says.
        public let number: Int64
        /// What it is called; empty where that does not open, either.
        public let name: String
    }

    /// How many items the file has.
    public internal(set) var items = 0
    /// How many were left out since they stay on this device.
    public internal(set) var staysOnThisDevice = 0
    /// How many were left out since the format has no place for them.
    public internal(set) var unsuited = 0
    /// Those that were left out since they do not open.
    public internal(set) var damaged: [DamagedItem] = []
}
