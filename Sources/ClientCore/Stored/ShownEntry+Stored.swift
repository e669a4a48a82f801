import MildamIdentity
import MildamRoomRules
import MildamWire

/// An entry as it is stored: who, when and what kind first, and then what was said.
extension ShownEntry {
    /// Reads an entry.
    package init(storedForm bytes: [UInt8]) throws(WireError) {
        var reader = WireReader(bytes.span)
        try self.init(stored: &reader)
        try reader.finish()
    }

    private init(stored reader: inout WireReader) throws(WireError) {
        number = try reader.integer()
        id = try reader.some { (reader) throws(WireError) in try MessageID(from: &reader) }
        account = try reader.some { (reader) throws(WireError) in try AccountID(from: &reader) }
        device = try reader.some { (reader) throws(WireError) in try DeviceID(from: &reader) }
        stored = try reader.integer()
        kind = try Kind(stored: &reader)
    }

    /// The entry: 63 bytes and what it shows.
    package var storedForm: [UInt8] {
        var writer = WireWriter(capacity: 256)
        writer.integer(number)
        writer.some(id) { $1.encode(into: &$0) }
        writer.some(account) { $1.encode(into: &$0) }
        writer.some(device) { $1.encode(into: &$0) }
        writer.integer(stored)
        kind.store(into: &writer)
        return writer.bytes
    }

    /// What stands for an entry of this number that the store has and cannot read.
    package init(damagedAt number: UInt64) { self.init(missing: number...number, .recordsDamaged) }
}

extension ShownEntry.Kind {
    fileprivate init(stored reader: inout WireReader) throws(WireError) {
        switch try reader.integer(UInt8.self) {
        case 1: self = .content(try reader.vector())
        case 2:
            let joined = try reader.list { (reader) throws(WireError) in try AccountID(from: &reader) }
            let left = try reader.list { (reader) throws(WireError) in try AccountID(from: &reader) }
            self = .members(joined: Set(joined), left: Set(left))
        case 3: self = .settings
        case 4:
            self = .cameBack(try reader.some { (reader) throws(WireError) in try RepairReason(from: &reader) })
        case 5: self = .renewed
        case 6: self = .leaving
        case 7: self = .unreadable(try Cause(stored: &reader))
        case 8:
            let first = try reader.integer(UInt64.self)
            self = .gap(from: first, try Cause(stored: &reader))
        case 9: self = .newKeys
        default: throw .invalidValue(field: "kind")
        }
    }

    fileprivate func store(into writer: inout WireWriter) {
        switch self {
        case .content(let bytes):
            writer.integer(UInt8(1))
            writer.vector(bytes)
        case .members(let joined, let left):
            writer.integer(UInt8(2))
            writer.list(joined.sorted()) { $1.encode(into: &$0) }
            writer.list(left.sorted()) { $1.encode(into: &$0) }
        case .settings: writer.integer(UInt8(3))
        case .cameBack(let reason):
            writer.integer(UInt8(4))
            writer.some(reason) { $1.encode(into: &$0) }
        case .renewed: writer.integer(UInt8(5))
        case .leaving: writer.integer(UInt8(6))
        case .newKeys: writer.integer(UInt8(9))
        case .unreadable(let cause):
            writer.integer(UInt8(7))
            cause.store(into: &writer)
        case .gap(let first, let cause):
            writer.integer(UInt8(8))
            writer.integer(first)
            cause.store(into: &writer)
        }
    }
}
