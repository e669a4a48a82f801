import FoundationEssentials
import MildamCrypto
import MildamMLS

/// What it takes to add 99 members with one commit. Their leaves have as much in them as a room lets them have: each is signed,
/// hashed, compared and sent many times, and one that is encoded again each time shows beside what the curves take.
struct MLSAdd {
    private static let suite = CipherSuite.x25519ChaChaPoly
    /// Two bytes each, in each leaf.
    private static let listed = (UInt16(0)..<600).map { ExtensionType(rawValue: 0x4000 + $0) }

    private let group: Group
    private let options: CommitOptions

    init() throws {
        group = try Group(creating: nil, with: Self.member(0), environment: Self.environment)
        var options = CommitOptions()
        options.proposals = try (1...99).map { .add(try Self.member($0).keyPackage) }
        self.options = options
    }

    /// Adds them so many times, to the same group each time.
    func take(_ turns: Int) throws {
        for _ in 0..<turns {
            var next = group
            keep(try next.commit(options).commit.wireBytes.count)
        }
    }

    private static let environment = GroupEnvironment(
        authentication: TakesAll(),
        policy: TakesAll(),
        now: { 1_700_000_000 }
    )

    private static func member(_ number: UInt8) throws -> KeyPackageBundle {
        try KeyPackageBundle(
            .basic(identity: fixed(number)),
            signer: SignatureKeyPair(suite, rawRepresentation: fixed(number) + fixed(1)),
            capabilities: Capabilities(extensions: listed),
            lifetime: Lifetime(notBefore: 1_690_000_000, notAfter: 1_710_000_000)
        )
    }
}

/// Whoever comes is who they say they are, and may do what they do.
private struct TakesAll: AuthenticationService, GroupPolicy {
    func isValid(_ credential: Credential, signatureKey: SignaturePublicKey) -> Bool { true }
    func isValid(_ new: Credential, asSuccessorOf old: Credential) -> Bool { true }
    func client(of leaf: LeafNode) -> [UInt8] { leaf.signatureKey.bytes }
    func acceptsStanding(_ proposal: Proposal, from sender: Sender, in group: PublicGroup) -> Bool { true }
    func accepts(_ review: CommitReview) -> Bool { true }
    var maximumLifetime: UInt64 { .max }
}
