import MildamIdentity
import MildamWire

/// What is said of some accounts: `struct { opaque account[16]; Value value; } entries<V>`, ascending by account, each once.
struct AccountEntries<Value: WireEncodable & WireDecodable>: WireEncodable, WireDecodable {
    let values: [AccountID: Value]

    init(values: [AccountID: Value]) { self.values = values }

    init(from reader: inout WireReader) throws(WireError) {
        var entries = try reader.nested()
        var values: [AccountID: Value] = [:]
        var last: AccountID?
        while entries.remaining > 0 {
            let account = try AccountID(from: &entries)
            guard last.map({ $0 < account }) ?? true else { throw .invalidValue(field: "account") }
            guard values.count < RoomExtension.maximumEntries else { throw .lengthOutOfRange(values.count + 1) }
            values[account] = try Value(from: &entries)
            last = account
        }
        self.values = values
    }

    func encode(into writer: inout WireWriter) {
        writer.nested { writer in
            for (account, value) in values.sorted(by: { $0.key < $1.key }) {
                account.encode(into: &writer)
                value.encode(into: &writer)
            }
        }
    }
}

/// The number of an epoch: `uint64`.
struct EpochNumber: WireNumber {
    let rawValue: UInt64

    init(rawValue: UInt64) { self.rawValue = rawValue }
}
