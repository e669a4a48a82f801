import MildamCrypto
import MildamWire
import Testing

@testable import MildamMLS

/// Alice adds Eve; Eve looks at the Welcome.
@Suite("RFC 9420, section 12.4.3.1: Welcomes that are refused")
struct WelcomeRefusalTests {
    /// A Welcome, and whom it is for.
    private struct Invitation {
        let alice: Group
        let eve: KeyPackageBundle
        let welcome: Welcome

        init() throws {
            var alice = try Party(["alice", "bob"])["alice"]
            eve = try Person("eve").bundle()
            var options = CommitOptions()
            options.proposals = [.add(eve.keyPackage)]
            guard case .welcome(let welcome)? = try alice.commit(options).welcome else { throw MLSError.notWelcome }
            try alice.mergeStagedCommit()
            self.welcome = welcome
            self.alice = alice
        }

        /// The Welcome after changes, encrypted anew.
        func forged(
            for keyPackage: KeyPackage? = nil,
            keys: [PreSharedKeyID] = [],
            pathSecret: SymmetricKey? = nil,
            isEveSigner: Bool = false,
            tag: ([UInt8]) -> [UInt8] = { $0 }
        ) throws -> Welcome {
            let suite = alice.suite
            let old = try welcome.groupSecrets(for: eve.keyPackage, eve.initKey, suite)
            let joiner = Joiner(secret: old.joinerSecret)
            // More than can be counted nobody gets to use.
            let known = keys.count > UInt16.max ? [] : keys.map { (id: $0, key: WelcomeRefusalTests.key) }
            let member = joiner.member(suite, presharedSecret: suite.presharedSecret(known))
            var content = try welcome.groupInfo(joiner.member(suite, presharedSecret: suite.zero), suite).content
            let secret = member.epochSecret(suite, context: content.groupContext.wireBytes)
            content.confirmationTag = tag(
                suite.confirmationTag(
                    EpochSecrets(suite, epochSecret: secret),
                    confirmedTranscriptHash: content.groupContext.confirmedTranscriptHash
                )
            )
            if isEveSigner { content.signer = LeafIndex(2) }
            let signer = isEveSigner ? eve.signer : alice.signer
            let key = member.welcomeKey(suite)
            let info = try suite.aead.seal(
                suite.sign(content, by: signer).wireBytes.span,
                using: key.key,
                nonce: key.nonce(guardedBy: 0).span,
                authenticating: Span()
            )
            let secrets = GroupSecrets(
                joinerSecret: old.joinerSecret,
                pathSecret: pathSecret ?? old.pathSecret,
                presharedKeys: keys
            )
            let keyPackage = keyPackage ?? eve.keyPackage
            let entry = EncryptedGroupSecrets(
                newMember: suite.reference(to: keyPackage),
                encryptedGroupSecrets: try suite.encrypt(
                    secrets.encoded,
                    to: keyPackage.initKey,
                    suite.encryptContext(.welcome, info)
                )
            )
            return Welcome(cipherSuite: suite.cipherSuite, secrets: [entry], encryptedGroupInfo: info)
        }

        @discardableResult
        func join(
            _ welcome: Welcome,
            as bundle: KeyPackageBundle? = nil,
            madeOf origin: Group? = nil,
            isKnown: Bool = false
        ) throws -> Group {
            var environment = Person.environment
            environment.presharedKey = { _ in WelcomeRefusalTests.key }
            return try Group(
                joining: Welcome(wireBytes: welcome.wireBytes),
                with: bundle ?? eve,
                madeOf: origin,
                environment: environment,
                isKnown: { _ in isKnown }
            )
        }
    }

    private static let key = SymmetricKey(data: [UInt8](repeating: 5, count: 32))

    private func id(_ name: UInt8, _ count: Int = 32) -> PreSharedKeyID {
        PreSharedKeyID(key: .external(id: [name]), nonce: [UInt8](repeating: name, count: count))
    }

    @Test func aWelcomeThatNothingWasChangedOfIsTaken() throws {
        let invitation = try Invitation()
        let group = try invitation.join(invitation.forged())
        #expect(group.epochAuthenticator == invitation.alice.epochAuthenticator)
        try invitation.join(invitation.forged(keys: [id(1), id(2)]))
    }

    @Test func confirmationTagIsValidInWelcome() throws {
        let invitation = try Invitation()
        #expect(throws: MLSError.invalid(.confirmationTagIsValid)) {
            try invitation.join(invitation.forged(tag: \.flipped))
        }
    }

    @Test func groupIsNew() throws {
        let invitation = try Invitation()
        #expect(throws: MLSError.invalid(.groupIsNew)) { try invitation.join(invitation.welcome, isKnown: true) }
    }

    @Test func oneLinkToAnotherGroup() throws {
        let invitation = try Invitation()
        let links = (1...2).map { number in
            PreSharedKeyID(
                key: .resumption(usage: .branch, groupID: GroupID([9]), epoch: 1),
                nonce: [UInt8](repeating: number, count: 32)
            )
        }
        #expect(throws: MLSError.invalid(.oneLinkToAnotherGroup)) {
            try invitation.join(invitation.forged(keys: links))
        }
    }

    @Test func ownLeafIsInTree() throws {
        let invitation = try Invitation()
        let other = try Person("mallory").bundle()
        #expect(throws: MLSError.invalid(.ownLeafIsInTree)) {
            try invitation.join(invitation.forged(for: other.keyPackage), as: other)
        }
    }

    @Test func pathSecretGivesPublicKeysInWelcome() throws {
        let invitation = try Invitation()
        #expect(throws: MLSError.invalid(.pathSecretGivesPublicKeys)) {
            try invitation.join(invitation.forged(pathSecret: WelcomeRefusalTests.key))
        }
    }

    @Test func pathSecretGivesPublicKeysOfAPath() throws {
        // As if Eve had made the commit herself: no node is above her and the committer alone.
        let invitation = try Invitation()
        #expect(throws: MLSError.invalid(.pathSecretGivesPublicKeys)) {
            try invitation.join(invitation.forged(isEveSigner: true))
        }
    }

    @Test func presharedKeysCanBeCountedInWelcome() throws {
        let invitation = try Invitation()
        let ids = (0...UInt16.max).map { number in
            PreSharedKeyID(key: .external(id: [UInt8(number >> 8), UInt8(number & 0xFF)]), nonce: [])
        }
        #expect(throws: MLSError.invalid(.presharedKeysCanBeCounted)) {
            try invitation.join(invitation.forged(keys: ids))
        }
    }

    @Test func presharedKeyNonceHasSizeInWelcome() throws {
        let invitation = try Invitation()
        #expect(throws: MLSError.invalid(.presharedKeyNonceHasSize)) {
            try invitation.join(invitation.forged(keys: [id(1, 31)]))
        }
    }

    @Test func presharedKeysAreDistinctInWelcome() throws {
        let invitation = try Invitation()
        #expect(throws: MLSError.invalid(.presharedKeysAreDistinct)) {
            try invitation.join(invitation.forged(keys: [id(1), id(1)]))
        }
    }

    @Test func welcomeFitsKeyPackage() throws {
        let invitation = try Invitation()
        var welcome = try invitation.forged()
        welcome.cipherSuite = .x25519AES128
        #expect(throws: MLSError.invalid(.welcomeFitsKeyPackage)) { try invitation.join(welcome) }
    }
}
