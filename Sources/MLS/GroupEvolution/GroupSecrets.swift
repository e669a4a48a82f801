import MildamCrypto
import MildamWire

/// What a new member is told in secret (RFC 9420, section 12.4.3.1).
///
///     struct {
///       opaque path_secret<V>;
///     } PathSecret;
///
///     struct {
///       opaque joiner_secret<V>;
///       optional<PathSecret> path_secret;
///       PreSharedKeyID psks<V>;
///     } GroupSecrets;
struct GroupSecrets: Sendable {
    let joinerSecret: SymmetricKey
    /// Of the lowest node that is above both committer and new member.
    let pathSecret: SymmetricKey?
    /// The keys that went into the key schedule, in their order.
    let presharedKeys: [PreSharedKeyID]

    init(joinerSecret: SymmetricKey, pathSecret: SymmetricKey?, presharedKeys: [PreSharedKeyID]) {
        self.joinerSecret = joinerSecret
        self.pathSecret = pathSecret
        self.presharedKeys = presharedKeys
    }

    /// Reads them.
    init(encoded: SymmetricKey) throws(MLSError) {
        let read = unsafe encoded.withUnsafeBytes { encoded in
            Result { () throws(WireError) in
                var reader = WireReader(unsafe encoded.bindMemory(to: UInt8.self).span)
                let secrets = GroupSecrets(
                    joinerSecret: try reader.secret(),
                    pathSecret: try reader.optional(PathSecret.self)?.secret,
                    presharedKeys: try reader.vector(of: PreSharedKeyID.self)
                )
                try reader.finish()
                return secrets
            }
        }
        switch read {
        case .success(let secrets): self = secrets
        case .failure(let error): throw .malformed(error)
        }
    }

    /// Their bytes.
    var encoded: SymmetricKey {
        let identifiers = presharedKeys.reduce(0) { $0 + $1.wireBytes.count }
        // All of it at once: memory that a writer outgrows is not wiped.
        var writer = WireWriter(capacity: 256 + identifiers)
        writer.secret(joinerSecret)
        writer.integer(UInt8(pathSecret == nil ? 0 : 1))
        if let pathSecret { writer.secret(pathSecret) }
        writer.variableLength(identifiers)
        for identifier in presharedKeys { identifier.encode(into: &writer) }
        var bytes = writer.takeBytes()
        defer { bytes.wipe() }
        return SymmetricKey(data: bytes)
    }

    private struct PathSecret: WireDecodable {
        let secret: SymmetricKey

        init(from reader: inout WireReader) throws(WireError) { secret = try reader.secret() }
    }
}
