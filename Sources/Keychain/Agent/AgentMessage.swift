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
        case .update(let query, let change): query.attributes.wireSize + change.wireSize
        case .replace(_, let change, _): change.wireSize
        default: 0
        }
    }
}

extension AgentReply: AgentMessage {
    var secretSize: Int {
        switch self {
        case .items(let items): items.reduce(0) { $0 + $1.wireSize }
        case .secret(let secret): secret.count
        default: 0
        }
    }
}

extension ItemAttributes {
    /// How many bytes they take when they are written.
    fileprivate var wireSize: Int { size + 9 * sorted.count + 1 }
}

extension ItemChange {
    /// How many bytes it takes at most, beyond those that any message may have.
    fileprivate var wireSize: Int {
        (secret?.count ?? 0) + attributes.values.reduce(0) { $0 + ($1?.size ?? 0) + 16 }
    }
}

extension KeychainItem {
    /// How many bytes it takes at most.
    fileprivate var wireSize: Int { attributes.wireSize + (secret?.count ?? 0) + accessGroup.utf8.count + 64 }
}
