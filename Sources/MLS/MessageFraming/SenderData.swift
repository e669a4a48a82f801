import MildamWire

/// Who sent a private message, and under which key (RFC 9420, section 6.3.2).
///
///     struct {
///         uint32 leaf_index;
///         uint32 generation;
///         opaque reuse_guard[4];
///     } SenderData;
struct SenderData: Hashable, Sendable, WireEncodable, WireDecodable {
    var leaf: LeafIndex
    var generation: UInt32
    var reuseGuard: UInt32

    init(leaf: LeafIndex, generation: UInt32, reuseGuard: UInt32) {
        self.leaf = leaf
        self.generation = generation
        self.reuseGuard = reuseGuard
    }

    init(from reader: inout WireReader) throws(WireError) {
        leaf = try LeafIndex(from: &reader)
        generation = try reader.integer()
        reuseGuard = try reader.integer()
    }

    func encode(into writer: inout WireWriter) {
        leaf.encode(into: &writer)
        writer.integer(generation)
        writer.integer(reuseGuard)
    }
}
