import MildamCrypto
import TestSupport
import Testing

@testable import MildamMLS

@Suite("RFC 9420, section 8: key schedule", .enabled(if: Vectors.areExpected))
struct KeyScheduleTests {
    struct Case: Decodable {
        struct Epoch: Decodable {
            struct Export: Decodable { let label: String, context: Bytes, length: Int, secret: Bytes }

            let tree_hash, commit_secret, psk_secret, confirmed_transcript_hash, group_context: Bytes
            let joiner_secret, welcome_secret, init_secret, sender_data_secret, encryption_secret: Bytes
            let exporter_secret, epoch_authenticator, external_secret, confirmation_key, membership_key: Bytes
            let resumption_psk, external_pub: Bytes
            let exporter: Export
        }

        let cipher_suite: UInt16
        let group_id, initial_init_secret: Bytes
        let epochs: [Epoch]
    }

    @Test func allSuites() throws {
        var epochs = 0
        for vector in try vectors("key-schedule", of: Case.self, count: 7) {
            let suite = try suite(vector.cipher_suite)
            var initSecret = vector.initial_init_secret.secret
            for (number, epoch) in vector.epochs.enumerated() {
                let context = GroupContext(
                    cipherSuite: suite.cipherSuite,
                    groupID: GroupID(vector.group_id.bytes),
                    epoch: UInt64(number),
                    treeHash: epoch.tree_hash.bytes,
                    confirmedTranscriptHash: epoch.confirmed_transcript_hash.bytes,
                    extensions: Extensions()
                ).wireBytes
                #expect(context == epoch.group_context.bytes)
                let joiner = Joiner(
                    suite,
                    initSecret: initSecret,
                    commitSecret: epoch.commit_secret.secret,
                    context: context
                )
                #expect(joiner.secret.exposed == epoch.joiner_secret.bytes)
                let member = joiner.member(suite, presharedSecret: epoch.psk_secret.secret)
                #expect(member.welcomeSecret(suite).exposed == epoch.welcome_secret.bytes)
                initSecret = try check(member.epochSecret(suite, context: context), epoch, suite)
                epochs += 1
            }
        }
        #expect(epochs == 35)
    }

    private func check(_ epochSecret: SymmetricKey, _ epoch: Case.Epoch, _ suite: Suite) throws -> SymmetricKey {
        let secrets = EpochSecrets(suite, epochSecret: epochSecret)
        #expect(suite.derive(epochSecret, "encryption").exposed == epoch.encryption_secret.bytes)
        #expect(secrets.initSecret.exposed == epoch.init_secret.bytes)
        #expect(secrets.senderData.exposed == epoch.sender_data_secret.bytes)
        #expect(secrets.exporter.exposed == epoch.exporter_secret.bytes)
        #expect(secrets.epochAuthenticator.exposed == epoch.epoch_authenticator.bytes)
        #expect(secrets.external.exposed == epoch.external_secret.bytes)
        #expect(secrets.confirmationKey.exposed == epoch.confirmation_key.bytes)
        #expect(secrets.membershipKey.exposed == epoch.membership_key.bytes)
        #expect(secrets.resumptionPSK.exposed == epoch.resumption_psk.bytes)
        #expect(try suite.keyPair(from: secrets.external).publicKey.serialized == epoch.external_pub.bytes)
        let export = epoch.exporter
        let exported = suite.export(
            secrets.exporter,
            export.label,
            context: export.context.bytes,
            size: export.length
        )
        #expect(exported.exposed == export.secret.bytes)
        return secrets.initSecret
    }

    struct PSKCase: Decodable {
        struct Key: Decodable { let psk_id, psk, psk_nonce: Bytes }

        let cipher_suite: UInt16
        let psks: [Key]
        let psk_secret: Bytes
    }

    @Test func presharedKeysAreChained() throws {
        for vector in try vectors("psk_secret", of: PSKCase.self, count: 77) {
            let keys = vector.psks.map {
                (PreSharedKeyID(key: .external(id: $0.psk_id.bytes), nonce: $0.psk_nonce.bytes), $0.psk.secret)
            }
            #expect(try suite(vector.cipher_suite).presharedSecret(keys).exposed == vector.psk_secret.bytes)
        }
    }

    struct TranscriptCase: Decodable {
        let cipher_suite: UInt16
        let confirmation_key, authenticated_content, interim_transcript_hash_before: Bytes
        let confirmed_transcript_hash_after, interim_transcript_hash_after: Bytes
    }

    @Test func theTranscriptGoesOn() throws {
        for vector in try vectors("transcript-hashes", of: TranscriptCase.self, count: 7) {
            let suite = try suite(vector.cipher_suite)
            let commit = try vector.authenticated_content.read(AuthenticatedContent.self)
            let confirmed = suite.confirmedTranscriptHash(after: vector.interim_transcript_hash_before.bytes, commit)
            #expect(confirmed == vector.confirmed_transcript_hash_after.bytes)
            let tag = try #require(commit.auth.confirmationTag)
            let key = vector.confirmation_key.secret
            let isValid = suite.hash.isValidAuthenticationCode(tag.span, for: confirmed.span, using: key)
            #expect(isValid)
            #expect(
                suite.interimTranscriptHash(confirmed, confirmationTag: tag)
                    == vector.interim_transcript_hash_after.bytes
            )
        }
    }
}
