import Foundation
import MildamCrypto
import TestSupport
import Testing

@Suite("AEAD vectors (NIST SP 800-38D, RFC 8439)", .enabled(if: Vectors.areExpected))
struct AEADVectorTests {
    @Test func aesGCM() throws {
        let file = try Wycheproof.read("aes_gcm")
        var tally = Tally()
        for test in file.testGroups.flatMap(\.tests) {
            let (iv, header, message) = try (bytes(test.iv), bytes(test.aad), bytes(test.msg))
            guard (12...128).contains(iv.count) else {
                #expect(throws: CryptoKitError.incorrectParameterSize, "\(test)") { try AES.GCM.Nonce(data: iv) }
                tally.refusedForSize += 1
                continue
            }
            tally.ran += 1
            let key = try SymmetricKey(data: bytes(test.key))
            let nonce = try AES.GCM.Nonce(data: iv)
            let box = try AES.GCM.SealedBox(nonce: nonce, ciphertext: bytes(test.ct), tag: bytes(test.tag))
            #expect((box.combined == nil) == (iv.count != 12))
            #expect(Array(box.nonce) == iv)
            var sealer = try AES.GCM.Sealer(key: key)
            var opener = try AES.GCM.Opener(key: key)
            var inPlace = try bytes(test.ct) + bytes(test.tag)
            if test.result == .valid {
                #expect(try AES.GCM.seal(message, using: key, nonce: nonce, authenticating: header) == box, "\(test)")
                #expect(try AES.GCM.open(box, using: key, authenticating: header) == Data(message), "\(test)")
                try opener.open(inPlace: &inPlace, nonce: nonce, authenticating: header.span)
                #expect(inPlace == message, "\(test)")
                try sealer.seal(inPlace: &inPlace, nonce: nonce, authenticating: header.span)
                #expect(inPlace == Array(box.ciphertext + box.tag), "\(test)")
            } else {
                #expect(throws: CryptoKitError.authenticationFailure, "\(test)") {
                    try AES.GCM.open(box, using: key, authenticating: header)
                }
                do {
                    try opener.open(inPlace: &inPlace, nonce: nonce, authenticating: header.span)
                    Issue.record("opened \(test)")
                } catch {
                    #expect(error == .authenticationFailure && inPlace.isEmpty)
                }
            }
        }
        tally.report("aes_gcm")
        #expect(tally.ran > 0 && tally.refusedForSize > 0)
    }

    @Test func chaChaPoly() throws {
        let file = try Wycheproof.read("chacha20_poly1305")
        var tally = Tally()
        for test in file.testGroups.flatMap(\.tests) {
            let (iv, header, message) = try (bytes(test.iv), bytes(test.aad), bytes(test.msg))
            guard iv.count == 12 else {
                #expect(throws: CryptoKitError.incorrectParameterSize, "\(test)") { try ChaChaPoly.Nonce(data: iv) }
                tally.refusedForSize += 1
                continue
            }
            tally.ran += 1
            let key = try SymmetricKey(data: bytes(test.key))
            let nonce = try ChaChaPoly.Nonce(data: iv)
            let box = try ChaChaPoly.SealedBox(nonce: nonce, ciphertext: bytes(test.ct), tag: bytes(test.tag))
            var sealer = try ChaChaPoly.Sealer(key: key)
            var opener = try ChaChaPoly.Opener(key: key)
            var inPlace = try bytes(test.ct) + bytes(test.tag)
            if test.result == .valid {
                #expect(
                    try ChaChaPoly.seal(message, using: key, nonce: nonce, authenticating: header) == box,
                    "\(test)"
                )
                #expect(try ChaChaPoly.open(box, using: key, authenticating: header) == Data(message), "\(test)")
                try opener.open(inPlace: &inPlace, nonce: nonce, authenticating: header.span)
                #expect(inPlace == message, "\(test)")
                try sealer.seal(inPlace: &inPlace, nonce: nonce, authenticating: header.span)
                #expect(inPlace == Array(box.ciphertext + box.tag), "\(test)")
            } else {
                #expect(throws: CryptoKitError.authenticationFailure, "\(test)") {
                    try ChaChaPoly.open(box, using: key, authenticating: header)
                }
                do {
                    try opener.open(inPlace: &inPlace, nonce: nonce, authenticating: header.span)
                    Issue.record("opened \(test)")
                } catch {
                    #expect(error == .authenticationFailure && inPlace.isEmpty)
                }
            }
        }
        tally.report("chacha20_poly1305")
        #expect(tally.ran > 0 && tally.refusedForSize > 0)
    }
}
