import MildamCrypto
import MildamWire

/// What the records of a group's state say. What is secret is written into memory that is wiped.
extension SymmetricKey {
    /// No bytes.
    static var nothing: SymmetricKey { SymmetricKey(data: [UInt8]()) }

    /// What `body` writes, which has to fit: memory that a writer outgrows is not wiped.
    init(capacity: Int, _ body: (inout WireWriter) -> Void) {
        var writer = WireWriter(capacity: capacity)
        body(&writer)
        assert(writer.count <= capacity, "\(writer.count) bytes, where \(capacity) were foreseen")
        var bytes = writer.takeBytes()
        defer { bytes.wipe() }
        self.init(data: bytes)
    }

    /// The bytes of what is no secret.
    init(encoding value: some WireEncodable) { self.init(data: value.wireBytes) }

    /// What `body` reads, to the end.
    ///
    /// - Throws: `malformed`.
    func read<Value>(
        _ body: (inout WireReader) throws(WireError) -> Value
    ) throws(MLSError) -> Value {
        let result = unsafe withUnsafeBytes { bytes in
            Result { () throws(WireError) in
                var reader = WireReader(unsafe bytes.bindMemory(to: UInt8.self).span)
                let value = try body(&reader)
                try reader.finish()
                return value
            }
        }
        switch result {
        case .success(let value): return value
        case .failure(let error): throw .malformed(error)
        }
    }

    /// A structure that is no secret.
    func read<Value: WireDecodable>(_ type: Value.Type) throws(MLSError) -> Value {
        try read { (reader) throws(WireError) in try Value(from: &reader) }
    }
}

extension LeafNode {
    var recordContent: SymmetricKey { SymmetricKey(encoding: self) }
}

extension ParentNode {
    var recordContent: SymmetricKey { SymmetricKey(encoding: self) }
}

extension MLSMessage {
    /// A proposal of one's own, with the name by which commits name it.
    func recordContent(_ reference: ProposalRef) -> SymmetricKey {
        var writer = WireWriter()
        reference.encode(into: &writer)
        encode(into: &writer)
        return SymmetricKey(data: writer.bytes)
    }
}

extension HPKE.PrivateKey {
    var recordContent: SymmetricKey { unsafe withUnsafeBytes { unsafe SymmetricKey(data: $0) } }
}

extension AnySigningKey {
    var recordContent: SymmetricKey { unsafe withUnsafeBytes { unsafe SymmetricKey(data: $0) } }
}

// MARK: The group

/// Who one is in a group.
struct MemberContent {
    let suite: Suite
    let leaf: LeafIndex
    let signer: SignatureKeyPair

    /// How records are written. Another way would have another number.
    private static let version: UInt8 = 2

    init(_ content: SymmetricKey) throws(MLSError) {
        let (cipherSuite, leaf, key) = try content.read { (reader) throws(WireError) in
            guard try reader.integer() == MemberContent.version else { throw .invalidValue(field: "version") }
            return (try CipherSuite(from: &reader), try LeafIndex(from: &reader), try reader.secret())
        }
        suite = try Suite.of(cipherSuite)
        self.leaf = leaf
        signer = try SignatureKeyPair(cipherSuite, rawRepresentation: key)
    }

    static func encoded(_ suite: Suite, _ leaf: LeafIndex, _ signer: AnySigningKey) -> SymmetricKey {
        SymmetricKey(capacity: 128) { writer in
            writer.integer(version)
            suite.cipherSuite.encode(into: &writer)
            leaf.encode(into: &writer)
            writer.secret(signer.recordContent)
        }
    }
}

/// What all know of a group, but for its tree.
struct ContextContent: WireEncodable, WireDecodable {
    let context: GroupContext
    let confirmationTag: [UInt8]
    let ending: Group.Ending?

    init(_ group: PublicGroup, _ ending: Group.Ending?) {
        context = group.context
        confirmationTag = group.confirmationTag
        self.ending = ending
    }

    init(from reader: inout WireReader) throws(WireError) {
        context = try GroupContext(from: &reader)
        confirmationTag = try reader.vector()
        switch try reader.integer(UInt8.self) {
        case 0: ending = nil
        case 1: ending = .removed
        case 2: ending = .reInitialized(try ReInit(from: &reader))
        default: throw .invalidValue(field: "ending")
        }
    }

    func encode(into writer: inout WireWriter) {
        context.encode(into: &writer)
        writer.vector(confirmationTag)
        switch ending {
        case nil: writer.integer(UInt8(0))
        case .removed: writer.integer(UInt8(1))
        case .reInitialized(let reInit):
            writer.integer(UInt8(2))
            reInit.encode(into: &writer)
        }
    }
}

extension Group {
    var memberContent: SymmetricKey { MemberContent.encoded(suite, own.leaf, signer) }
    var contextContent: SymmetricKey { SymmetricKey(encoding: ContextContent(publicGroup, ending)) }

    var epochContent: SymmetricKey {
        let capacity = EpochSecrets.capacity + PrivateTree.capacity + 8 + 80 * resumptionKeys.count
        return SymmetricKey(capacity: capacity) { writer in
            epoch.secrets.encode(into: &writer)
            own.encode(into: &writer)
            writer.integer(UInt32(resumptionKeys.count))
            for (number, key) in resumptionKeys.sorted(by: { $0.key < $1.key }) {
                writer.integer(number)
                writer.secret(key)
            }
        }
    }
}

extension ResolvedProposal: WireEncodable, WireDecodable {
    var recordContent: SymmetricKey { SymmetricKey(encoding: self) }

    init(from reader: inout WireReader) throws(WireError) {
        reference = try reader.optional(ProposalRef.self)
        sender = try Sender(from: &reader)
        proposal = try Proposal(from: &reader)
    }

    func encode(into writer: inout WireWriter) {
        writer.optional(reference)
        sender.encode(into: &writer)
        proposal.encode(into: &writer)
    }
}

// MARK: Secrets

extension EpochSecrets {
    static let capacity = 8 * 66

    /// Whether they have the suite's size.
    func fit(_ suite: Suite) -> Bool { all.allSatisfy { $0.bitCount == 8 * suite.secretSize } }

    private var all: [SymmetricKey] {
        [
            senderData, exporter, external, confirmationKey, membershipKey, resumptionPSK, epochAuthenticator,
            initSecret,
        ]
    }

    init(from reader: inout WireReader) throws(WireError) {
        senderData = try reader.secret()
        exporter = try reader.secret()
        external = try reader.secret()
        confirmationKey = try reader.secret()
        membershipKey = try reader.secret()
        resumptionPSK = try reader.secret()
        epochAuthenticator = try reader.secret()
        initSecret = try reader.secret()
    }

    func encode(into writer: inout WireWriter) {
        for secret in all { writer.secret(secret) }
    }
}

extension PrivateTree {
    /// A tree is 16 high at most.
    static let capacity = 18 * 76

    init(_ leaf: LeafIndex, _ suite: Suite, from reader: inout WireReader) throws(WireError) {
        func key() throws(WireError) -> HPKE.PrivateKey {
            let bytes = try reader.secret()
            do { return try suite.privateKey(bytes) } catch { throw .invalidValue(field: "private key") }
        }
        let leafKey = try key()
        var keys: [NodeIndex: HPKE.PrivateKey] = [:]
        for _ in 0..<(try reader.integer(UInt8.self)) {
            let node = try NodeIndex(ofParentFrom: &reader)
            keys[node] = try key()
        }
        self.init(leaf: leaf, leafKey: leafKey, keys: keys)
    }

    func encode(into writer: inout WireWriter) {
        writer.secret(leafKey?.recordContent ?? .nothing)
        writer.integer(UInt8(clamping: keys.count))
        for (node, key) in keys.sorted(by: { $0.key < $1.key }) {
            node.encode(into: &writer)
            writer.secret(key.recordContent)
        }
    }
}

extension HashRatchet {
    /// Whether its keys have the suite's sizes.
    func fits(_ suite: Suite) -> Bool {
        secret.bitCount == 8 * suite.secretSize
            && skipped.values.allSatisfy {
                $0.key.bitCount == 8 * suite.aead.keyByteCount && $0.nonce.bitCount == 8 * suite.aead.nonceByteCount
            }
    }

    init(_ content: SymmetricKey) throws(MLSError) {
        self = try content.read { (reader) throws(WireError) in
            let secret = try reader.secret()
            let generation = try reader.integer(UInt32.self)
            var skipped: [UInt32: MessageKey] = [:]
            for _ in 0..<(try reader.integer(UInt16.self)) {
                let number = try reader.integer(UInt32.self)
                guard number < generation else { throw .invalidValue(field: "generation") }
                skipped[number] = MessageKey(key: try reader.secret(), nonce: try reader.secret())
            }
            return HashRatchet(secret: secret, generation: generation, skipped: skipped)
        }
    }

    var recordContent: SymmetricKey {
        SymmetricKey(capacity: 80 + 52 * skipped.count) { writer in
            writer.secret(secret)
            writer.integer(generation)
            writer.integer(UInt16(skipped.count))
            for (number, key) in skipped.sorted(by: { $0.key < $1.key }) {
                writer.integer(number)
                writer.secret(key.key)
                writer.secret(key.nonce)
            }
        }
    }
}

extension PastEpoch {
    var recordContent: SymmetricKey {
        SymmetricKey(capacity: 80 + contextBytes.count) { writer in
            writer.secret(senderData)
            writer.vector(contextBytes)
            writer.integer(UInt32(leaves.count))
        }
    }
}
