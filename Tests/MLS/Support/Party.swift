import MLSInterop
import MildamCrypto
import MildamWire
import Testing

@testable import MildamMLS

/// Somebody in a test, with one key to sign with.
struct Person {
    let name: String
    let signer: SignatureKeyPair

    init(_ name: String, _ suite: CipherSuite = .x25519ChaChaPoly) throws {
        self.name = name
        signer = try SignatureKeyPair(suite)
    }

    static let lifetime = Lifetime(notBefore: 1_699_000_000, notAfter: 1_701_000_000)

    static var environment: GroupEnvironment {
        GroupEnvironment(authentication: Everybody(), policy: Everybody(), grease: .all, now: { 1_700_000_000 })
    }

    func bundle(
        capabilities: Capabilities = Capabilities(),
        lifetime: Lifetime = Person.lifetime
    ) throws -> KeyPackageBundle {
        try KeyPackageBundle(
            .basic(identity: Array(name.utf8)),
            signer: signer,
            capabilities: capabilities,
            lifetime: lifetime,
            grease: .all
        )
    }
}

/// People in a group, and a delivery service that gives everybody every message.
struct Party {
    private(set) var groups: [String: Group] = [:]

    /// A group of these people, the first of whom made it.
    init(
        _ names: [String],
        _ suite: CipherSuite = .x25519ChaChaPoly,
        capabilities: Capabilities = Capabilities(),
        extensions: Extensions = Extensions()
    ) throws {
        let creator = try #require(names.first)
        groups[creator] = try Group(
            creating: GroupID(Array("party".utf8)),
            with: Person(creator, suite).bundle(capabilities: capabilities),
            extensions: extensions,
            environment: Person.environment
        )
        try add(Array(names.dropFirst()), by: creator, suite, capabilities: capabilities)
    }

    subscript(name: String) -> Group {
        get throws { try #require(groups[name]) }
    }

    mutating func set(_ name: String, _ group: Group?) { groups[name] = group }

    /// Somebody adds others.
    mutating func add(
        _ names: [String],
        by committer: String,
        _ suite: CipherSuite = .x25519ChaChaPoly,
        capabilities: Capabilities = Capabilities()
    ) throws {
        guard !names.isEmpty else { return }
        let bundles = try names.map { try Person($0, suite).bundle(capabilities: capabilities) }
        var options = CommitOptions()
        options.proposals = bundles.map { .add($0.keyPackage) }
        let messages = try commit(by: committer, options)
        guard case .welcome(let welcome)? = try messages.welcome?.copied else { throw MLSError.notWelcome }
        for (name, bundle) in zip(names, bundles) {
            groups[name] = try Group(
                joining: welcome,
                with: bundle,
                environment: Person.environment,
                isKnown: { _ in false }
            )
        }
        try agree()
    }

    /// Somebody commits, and everybody takes it in.
    @discardableResult
    mutating func commit(
        by committer: String,
        _ options: CommitOptions = CommitOptions()
    ) throws -> CommitMessages {
        var group = try self[committer]
        let messages = try group.commit(options)
        groups[committer] = group
        try deliver(messages.commit)
        return messages
    }

    /// Gives everybody a message.
    mutating func deliver(_ message: MLSMessage, but absent: Set<String> = []) throws {
        for name in groups.keys.sorted() where !absent.contains(name) {
            _ = try groups[name]?.process(message.copied)
            if groups[name]?.ending == .removed { groups[name] = nil }
        }
    }

    /// All have the same epoch, tree and secret.
    func agree() throws {
        let first = try #require(groups.values.first)
        for (name, group) in groups {
            #expect(group.epochAuthenticator == first.epochAuthenticator, "\(name)")
            #expect(group.publicGroup.context == first.publicGroup.context, "\(name)")
            #expect(group.publicGroup[group.ownLeaf] != nil)
        }
    }
}

extension MLSMessage {
    /// The message as it comes over the wire.
    var copied: MLSMessage {
        get throws { try MLSMessage(wireBytes: wireBytes) }
    }
}
