import Foundation
import MildamRelayAPI
import MildamStorage

@testable import MildamRelay

/// A store that tests run on.
enum StoreUnderTest: String, CaseIterable, Sendable {
    /// The relay's own.
    case sqlite
    /// ``ModelStore``.
    case model

    /// The one that `MILDAM_TEST_STORE` names; SQLite otherwise.
    static let chosen: StoreUnderTest = {
        let name = ProcessInfo.processInfo.environment["MILDAM_TEST_STORE"] ?? "sqlite"
        guard let store = StoreUnderTest(rawValue: name) else {
            fatalError("MILDAM_TEST_STORE names no store: \(name)")
        }
        return store
    }()

    /// Whether tests of SQLite's files can run; says why not.
    static func isSQLite(_ reason: String) -> Bool {
        if chosen == .sqlite { return true }
        print("not on the store \"\(chosen.rawValue)\": \(reason)")
        return false
    }

    /// The store of a relay whose database would have this path.
    func store(at path: String) -> any RelayStore {
        switch self {
        case .sqlite: SQLiteStore(path: path)
        case .model: ModelStore.at(path)
        }
    }

    /// Every row of it.
    func dump(at path: String) throws -> StoreDump {
        switch self {
        case .sqlite: try StoreDump(path: path)
        case .model: StoreDump(ModelStore.at(path).rows)
        }
    }
}

/// An operation that a test makes up.
struct Doing<Value: Sendable>: StoreOperation {
    let body: @Sendable (inout Facts, Int64) throws(Missing) -> Result<Value, APIError>

    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<Value, APIError> {
        try body(&facts, now)
    }
}

extension Transactor {
    /// Performs one operation as a batch of its own.
    func alone<Operation: StoreOperation>(
        _ operation: Operation,
        at now: Int64 = 1_700_000_000_000
    ) throws(StorageError) -> Result<Operation.Value, APIError> {
        try begin(at: now)
        let result = try perform(operation)
        _ = try commit()
        return result
    }
}
