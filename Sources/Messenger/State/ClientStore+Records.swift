import FoundationEssentials
import MildamCrypto
import MildamStorage

extension ClientStore {
    /// The record of a kind and name.
    func record<Value: Decodable>(_ kind: RecordKind<Value>, _ name: [UInt8]) throws(MessengerError) -> Value? {
        let key = blinded(kind.text, name)
        guard let sealed = try sealedRecord(kind.text, key) else { return nil }
        return try decode(try open(sealed, kind.text, key))
    }

    /// All records of a kind, in no order.
    func records<Value: Decodable>(_ kind: RecordKind<Value>) throws(MessengerError) -> [Value] {
        var found: [(name: [UInt8], value: Data)] = []
        do {
            found = try database.rows("SELECT name, value FROM records WHERE kind = ?", kind.text) {
                row throws(StorageError) in (try row.bytes(0), try row.data(1))
            }
        } catch {
            throw .storage(error)
        }
        var values: [Value] = []
        for (name, sealed) in found { values.append(try decode(try open(sealed, kind.text, name))) }
        return values
    }

    /// Stores a record, in the place of one with this name.
    func put<Value: Encodable>(_ value: Value, as kind: RecordKind<Value>, _ name: [UInt8]) throws(MessengerError) {
        let key = blinded(kind.text, name)
        try put(sealed: try seal(try encode(value), kind.text, key), kind.text, key)
    }

    /// Removes a record.
    func remove<Value>(_ kind: RecordKind<Value>, _ name: [UInt8]) throws(MessengerError) {
        let key = blinded(kind.text, name)
        do { try database.execute("DELETE FROM records WHERE kind = ? AND name = ?", kind.text, key) } catch {
            throw .storage(error)
        }
    }

    /// A secret key of 32 bytes.
    func key(_ kind: SecretKind, _ name: [UInt8]) throws(MessengerError) -> SymmetricKey? {
        let key = blinded(kind.rawValue, name)
        guard let sealed = try sealedRecord(kind.rawValue, key) else { return nil }
        var opened = try open(sealed, kind.rawValue, key)
        defer { opened.wipe() }
        return SymmetricKey(data: opened)
    }

    /// Removes a secret key.
    func removeKey(_ kind: SecretKind, _ name: [UInt8]) throws(MessengerError) {
        try remove(RecordKind<Never>(text: kind.rawValue), name)
    }

    /// Stores a secret key.
    func put(_ secret: SymmetricKey, as kind: SecretKind, _ name: [UInt8]) throws(MessengerError) {
        let key = blinded(kind.rawValue, name)
        var bytes = unsafe secret.withUnsafeBytes { unsafe Data($0) }
        defer { bytes.wipe() }
        try put(sealed: try seal(bytes, kind.rawValue, key), kind.rawValue, key)
    }
}
