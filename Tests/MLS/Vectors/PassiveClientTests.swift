import MildamCrypto
import MildamWire
import TestSupport
import Testing

@testable import MildamMLS

/// Everybody is who they say: these clients are nobody's.
struct Credulous: AuthenticationService, GroupPolicy {
    func isValid(_ credential: Credential, signatureKey: SignaturePublicKey) -> Bool { true }
    func isValid(_ new: Credential, asSuccessorOf old: Credential) -> Bool { true }
    func client(of leaf: LeafNode) -> [UInt8] { leaf.signatureKey.bytes }
    func accepts(_ proposal: Proposal, from sender: Sender, in group: PublicGroup) -> Bool { true }
    func acceptsExternalJoin(of leaf: LeafNode, replacing old: LeafNode?, in group: PublicGroup) -> Bool { true }
    var maximumLifetime: UInt64 { .max }
}

@Suite("RFC 9420, section 12.4: passive clients follow a group", .enabled(if: Vectors.areExpected))
struct PassiveClientTests {
    struct Case: Decodable {
        struct Key: Decodable { let psk_id, psk: Bytes }
        struct Step: Decodable { let proposals: [Bytes], commit, epoch_authenticator: Bytes }

        let cipher_suite: UInt16
        let external_psks: [Key]
        let key_package, signature_priv, encryption_priv, init_priv, welcome: Bytes
        let ratchet_tree: Bytes?
        let initial_epoch_authenticator: Bytes
        let epochs: [Step]
    }

    @Test(arguments: [
        ("passive-client-welcome", 56, 0), ("passive-client-handling-commit", 91, 182),
        ("passive-client-random", 1, 200),
    ])
    func follow(name: String, cases: Int, epochs: Int) throws {
        var seen = 0
        for (number, vector) in try vectors(name, of: Case.self, count: cases).enumerated() {
            do {
                seen += try follow(vector)
            } catch {
                Issue.record("\(name), case \(number), suite \(vector.cipher_suite): \(error)")
            }
        }
        #expect(seen == epochs)
    }

    private func follow(_ vector: Case) throws -> Int {
        guard case .keyPackage(let keyPackage) = try vector.key_package.read(MLSMessage.self),
            case .welcome(let welcome) = try vector.welcome.read(MLSMessage.self)
        else { throw MLSError.notWelcome }
        let keys = Dictionary(uniqueKeysWithValues: vector.external_psks.map { ($0.psk_id.bytes, $0.psk.secret) })
        let environment = GroupEnvironment(
            authentication: Credulous(),
            policy: Credulous(),
            now: { 1_700_000_000 },
            presharedKey: { key in
                guard case .external(let id) = key else { return nil }
                return keys[id]
            }
        )
        let bundle = try KeyPackageBundle(
            keyPackage,
            signer: vector.signature_priv.bytes,
            initKey: vector.init_priv.bytes,
            encryptionKey: vector.encryption_priv.bytes
        )
        var group = try Group(
            joining: welcome,
            with: bundle,
            ratchetTree: vector.ratchet_tree?.bytes,
            environment: environment
        )
        #expect(group.epochAuthenticator == vector.initial_epoch_authenticator.bytes)
        for step in vector.epochs {
            for proposal in step.proposals { _ = try group.process(proposal.read()) }
            _ = try group.process(step.commit.read())
            #expect(group.epochAuthenticator == step.epoch_authenticator.bytes)
        }
        return vector.epochs.count
    }
}
