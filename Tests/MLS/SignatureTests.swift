import MildamCrypto
import Testing

@testable import MildamMLS

@Suite("RFC 9420, section 5.1: signatures")
struct SignatureTests {
    /// An implementation that wrote its keys otherwise was met (Documentation/mls-interop.md).
    @Test(arguments: [2, 5, 7])
    func aKeyOfACurveOfNISTIsAnUncompressedPointAndNothingElse(suite number: UInt16) throws {
        let signer = try SignatureKeyPair(CipherSuite(rawValue: number))
        let suite = try MildamMLS.Suite.of(signer.cipherSuite)
        let signature = try suite.sign([1, 2, 3], .leafNode, by: signer.key)
        let point = signer.publicKey.bytes
        let size = (point.count - 1) / 2
        let compressed = [2 | (try #require(point.last) & 1)] + point[1...size]
        #expect(point.first == 4 && point.count == 2 * size + 1)
        #expect(suite.isValid(signature, of: [1, 2, 3], .leafNode, by: SignaturePublicKey(point)))
        #expect(!suite.isValid(signature, of: [1, 2, 3], .leafNode, by: SignaturePublicKey(compressed)))
    }
}
