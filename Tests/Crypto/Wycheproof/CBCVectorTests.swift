import Foundation
import MildamCrypto
import TestSupport
import Testing

@Suite("AES-CBC vectors (NIST SP 800-38A, RFC 5652)", .enabled(if: Vectors.areExpected))
struct CBCVectorTests {
    @Test func cbc() throws {
        var tally = Tally()
        for test in try Wycheproof.read("aes_cbc_pkcs5").testGroups.flatMap(\.tests) {
            let (content, ciphertext) = try (bytes(test.msg), bytes(test.ct))
            let key = try SymmetricKey(data: bytes(test.key))
            let iv = try Insecure.AES.IV(data: bytes(test.iv))
            guard test.result == .valid else {
                let error: CryptoKitError = ciphertext.isEmpty ? .incorrectParameterSize : .invalidParameter
                #expect(throws: error, "\(test)") { try Insecure.AES.CBC.decrypt(ciphertext, using: key, iv: iv) }
                if ciphertext.isEmpty { tally.refusedForSize += 1 } else { tally.ran += 1 }
                continue
            }
            tally.ran += 1
            #expect(try Insecure.AES.CBC.encrypt(content, using: key, iv: iv) == Data(ciphertext), "\(test)")
            #expect(try Insecure.AES.CBC.decrypt(ciphertext, using: key, iv: iv) == Data(content), "\(test)")
        }
        tally.report("aes_cbc_pkcs5")
        #expect(tally.ran == 213 && tally.refusedForSize == 3)
    }
}
