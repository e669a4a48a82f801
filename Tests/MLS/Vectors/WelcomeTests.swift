import MildamCrypto
import TestSupport
import Testing

@testable import MildamMLS

@Suite("RFC 9420, section 12.4.3.1: joining via Welcome", .enabled(if: Vectors.areExpected))
struct WelcomeTests {
    struct Case: Decodable {
        let cipher_suite: UInt16
        let init_priv, signer_pub, key_package, welcome: Bytes
    }

    @Test func allSuites() throws {
        for vector in try vectors("welcome", of: Case.self, count: 7) {
            let suite = try suite(vector.cipher_suite)
            guard case .keyPackage(let keyPackage) = try vector.key_package.read(MLSMessage.self),
                case .welcome(let welcome) = try vector.welcome.read(MLSMessage.self)
            else { throw MLSError.notWelcome }
            #expect(suite.isAuthentic(keyPackage))
            let initKey = try HPKE.PrivateKey(kem: suite.hpke.kem, rawRepresentation: vector.init_priv.bytes)
            #expect(initKey.publicKey.serialized == keyPackage.initKey.bytes)
            let secrets = try welcome.groupSecrets(for: keyPackage, initKey, suite)
            let member = Joiner(secret: secrets.joinerSecret).member(suite, presharedSecret: suite.zero)
            let info = try welcome.groupInfo(member, suite)
            #expect(suite.isAuthentic(info, by: SignaturePublicKey(vector.signer_pub.bytes)))
            let epoch = EpochSecrets(
                suite,
                epochSecret: member.epochSecret(suite, context: info.groupContext.wireBytes)
            )
            let tag = suite.confirmationTag(
                epoch,
                confirmedTranscriptHash: info.groupContext.confirmedTranscriptHash
            )
            #expect(tag == info.confirmationTag)
        }
    }
}
