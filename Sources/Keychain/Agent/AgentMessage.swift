import MildamWire

/// A request or a reply.
protocol AgentMessage: WireEncodable, WireDecodable {
    /// How many bytes it has at most with the secrets in it, beyond the 8 KiB that any message may have; 0 without one.
    var secretSize: Int { get }
}

extension AgentRequest: AgentMessage {
    var secretSize: Int {
        switch self {
        case .add(let item), .set(let item): item.attributes.wireSize + item.secret.count
        case .update(let query, let change):
            query.attributes.wireSize + (change.secret?.count ?? 0)
                + change.attributes.values.reduce(0) { $0 + ($1?.size ?? 0) + 16 }
        default: 0
        }
    }
}

extension AgentReply: AgentMessage {
    var secretSize: Int {
        guard case .items(let items) = self else { return 0 }
        return items.reduce(0) {
            $0 + $1.attributes.wireSize + ($1.secret?.count ?? 0) + $1.accessGroup.utf8.count + 64
        }
    }
}

extension ItemAttributes {
    /// How many bytes they take when they are written.
    fileprivate var wireSize: Int { size + 9 * sorted.count + 1 }
}
