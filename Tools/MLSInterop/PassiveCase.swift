import MildamCrypto
import MildamMLS
import MildamWire

/// A case of a passive-client file: a member who is added, follows, and says nothing (test-vectors.md of
/// mlswg/mls-implementations, "Passive Client Scenarios").
public struct PassiveCase: Decodable, Sendable {
    struct Key: Decodable {
        let psk_id, psk: HexBytes
    }

    struct Step: Decodable {
        let proposals: [HexBytes]
        let commit, epoch_authenticator: HexBytes
    }

    /// The suite of the group.
    public let cipher_suite: UInt16
    let external_psks: [Key]
    let key_package, signature_priv, encryption_priv, init_priv, welcome: HexBytes
    let ratchet_tree: HexBytes?
    let initial_epoch_authenticator: HexBytes
    let epochs: [Step]

    /// What did not come out as the file says.
    public enum Failure: Error, CustomStringConvertible {
        /// A message is not of the kind that the file calls it.
        case kind(String)
        /// In an epoch, the first being 0, another secret came out.
        case epochAuthenticator(epoch: Int)
        /// Something was refused; epoch 0 is the joining.
        case refused(any Error, epoch: Int)

        /// In words.
        public var description: String {
            switch self {
            case .kind(let name): "\(name) is none"
            case .epochAuthenticator(let epoch): "another epoch authenticator after \(epoch) commits"
            case .refused(let error, let epoch): "refused after \(epoch) commits: \(error)"
            }
        }
    }

    /// Joins and follows.
    ///
    /// - Returns: how many commits were followed.
    /// - Throws: a ``Failure``.
    public func follow() throws -> Int {
        var epoch = 0
        do {
            var group = try join()
            try check(group, initial_epoch_authenticator, epoch)
            for step in epochs {
                for proposal in step.proposals {
                    _ = try group.process(MLSMessage(wireBytes: proposal.bytes))
                }
                _ = try group.process(MLSMessage(wireBytes: step.commit.bytes))
                epoch += 1
                try check(group, step.epoch_authenticator, epoch)
            }
        } catch let error as Failure {
            throw error
        } catch {
            throw Failure.refused(error, epoch: epoch)
        }
        return epoch
    }

    private func check(_ group: Group, _ authenticator: HexBytes, _ epoch: Int) throws {
        guard group.epochAuthenticator == authenticator.bytes else { throw Failure.epochAuthenticator(epoch: epoch) }
    }

    private func join() throws -> Group {
        guard case .keyPackage(let keyPackage) = try MLSMessage(wireBytes: key_package.bytes) else {
            throw Failure.kind("key_package")
        }
        guard case .welcome(let welcome) = try MLSMessage(wireBytes: welcome.bytes) else {
            throw Failure.kind("welcome")
        }
        var keys: [[UInt8]: SymmetricKey] = [:]
        for key in external_psks { keys[key.psk_id.bytes] = SymmetricKey(data: key.psk.bytes) }
        let known = keys
        let environment = GroupEnvironment(
            authentication: Everybody(),
            policy: Everybody(),
            // A time at which the key packages of all files are valid; leaves that are in a tree are not asked.
            now: { [lifetime = keyPackage.leafNode.source] in
                if case .keyPackage(let lifetime) = lifetime { lifetime.notBefore } else { 0 }
            },
            presharedKey: { key in if case .external(let id) = key { known[id] } else { nil } }
        )
        return try Group(
            joining: welcome,
            with: KeyPackageBundle(
                keyPackage,
                signer: signature_priv.bytes,
                initKey: init_priv.bytes,
                encryptionKey: encryption_priv.bytes
            ),
            ratchetTree: ratchet_tree?.bytes,
            environment: environment,
            isKnown: { _ in false }
        )
    }
}
