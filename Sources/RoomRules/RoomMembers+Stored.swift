import MildamCrypto
import MildamIdentity
import MildamMLS
import MildamWire

/// Who is in a room as a client stores it that has no group which would say so.
extension RoomMembers {
    /// Reads who is in a room.
    ///
    /// - Throws: `invalidValue` where that is no room.
    package init(stored reader: inout WireReader) throws(WireError) {
        let extensions = try Extensions(from: &reader)
        var leaves: [LeafIndex: RoomLeaf] = [:]
        for _ in 0..<(try reader.integer(UInt32.self)) {
            let index = try LeafIndex(from: &reader)
            leaves[index] = try RoomLeaf(stored: &reader)
        }
        do {
            self = try RoomMembers(leaves: leaves, extensions: extensions)
        } catch {
            throw .invalidValue(field: "room")
        }
    }

    /// Appends who is in the room: 176 bytes for each leaf, and the group's extensions.
    package func store(into writer: inout WireWriter) {
        extensions.encode(into: &writer)
        writer.integer(UInt32(leaves.count))
        for (index, leaf) in leaves.sorted(by: { $0.key < $1.key }) {
            index.encode(into: &writer)
            leaf.store(into: &writer)
        }
    }
}

extension RoomLeaf {
    fileprivate init(stored reader: inout WireReader) throws(WireError) {
        account = try AccountID(from: &reader)
        device = try DeviceID(from: &reader)
        identity = try RoomIdentity(from: &reader)
        since = try reader.integer()
        recordDigest = try reader.fixed(32)
        signatureKey = try reader.signingKey()
    }

    fileprivate func store(into writer: inout WireWriter) {
        account.encode(into: &writer)
        device.encode(into: &writer)
        identity.encode(into: &writer)
        writer.integer(since)
        writer.fixed(recordDigest)
        writer.fixed(signatureKey.rawRepresentation)
    }
}
