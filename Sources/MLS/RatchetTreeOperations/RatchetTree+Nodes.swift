import MildamWire

extension RatchetTree {
    /// The nodes of a tree as they are sent: `optional<Node> ratchet_tree<V>` (RFC 9420, section 12.4.3.3).
    struct Nodes: Sendable, WireEncodable, WireDecodable {
        let list: [Node?]

        init(_ list: [Node?]) { self.list = list }

        init(from reader: inout WireReader) throws(WireError) {
            var content = try reader.nested()
            var list: [Node?] = []
            while content.remaining > 0 { list.append(try content.optional(Node.self)) }
            self.list = list
        }

        func encode(into writer: inout WireWriter) {
            writer.nested { writer in for node in list { writer.optional(node) } }
        }
    }
}
