import Foundation
import MildamCrypto
import TestSupport
import Testing

@Suite("Sizes, forms and refusals")
struct InterfaceTests {
    @Test(arguments: [0, 15, 17, 31, 33, 64])
    func keysOfOtherSizesAreRefused(count: Int) {
        let key = SymmetricKey(data: [UInt8](repeating: 1, count: count))
        #expect(throws: CryptoKitError.incorrectKeySize) { try AES.GCM.seal(Data(), using: key) }
        #expect(throws: CryptoKitError.incorrectKeySize) { try ChaChaPoly.seal(Data(), using: key) }
        #expect(throws: CryptoKitError.incorrectKeySize) { _ = try AES.GCM.Sealer(key: key).self }
        #expect(throws: CryptoKitError.incorrectKeySize) { _ = try ChaChaPoly.Opener(key: key).self }
    }

    @Test func everyFlippedBitAndEveryCutIsRefused() throws {
        let key = SymmetricKey(size: .bits256)
        let message = Data("a message of some length".utf8)
        let sealed = try AES.GCM.seal(message, using: key).combined
        let whole = try [#require(sealed), ChaChaPoly.seal(message, using: key).combined]
        for (index, combined) in whole.enumerated() {
            let open = { (box: Data) throws -> Data in
                index == 0
                    ? try AES.GCM.open(.init(combined: box), using: key)
                    : try ChaChaPoly.open(.init(combined: box), using: key)
            }
            #expect(try open(combined) == message)
            for bit in 0..<combined.count * 8 {
                var flipped = combined
                flipped[bit / 8] ^= 1 << (bit % 8)
                #expect(throws: CryptoKitError.authenticationFailure) { try open(flipped) }
            }
            for size in 0..<combined.count {
                #expect(throws: size < 28 ? CryptoKitError.incorrectParameterSize : .authenticationFailure) {
                    try open(combined.prefix(size))
                }
            }
        }
    }

    @Test func aFailedOpeningReleasesNothing() throws {
        let key = SymmetricKey(size: .bits256)
        var opener = try ChaChaPoly.Opener(key: key)
        let nonce = ChaChaPoly.Nonce()
        let box = try ChaChaPoly.seal(Data("a message".utf8), using: key, nonce: nonce)
        var text = Array(box.ciphertext)
        let tag = [UInt8](repeating: 0, count: 16)
        var span = text.mutableSpan
        do {
            try opener.open(inPlace: &span, nonce: nonce, tag: tag.span)
            Issue.record("opened")
        } catch {
            #expect(error == .authenticationFailure)
        }
        #expect(text == [UInt8](repeating: 0, count: 9))
        // The opener is still good.
        text = Array(box.ciphertext + box.tag)
        try opener.open(inPlace: &text, nonce: nonce)
        #expect(text == Array("a message".utf8))
    }

    @Test func dataInPieces() throws {
        let pieces = unsafe Data("one piece".utf8).withUnsafeBytes { unsafe DispatchData(bytes: $0) }
        var several = pieces
        several.append(pieces)
        let whole = Data("one pieceone piece".utf8)
        #expect(SHA256.hash(data: several) == SHA256.hash(data: whole))
        let key = SymmetricKey(size: .bits128)
        #expect(try AES.GCM.open(AES.GCM.seal(several, using: key), using: key) == whole)
    }

    @Test func costsOutOfRangeAreRefused() {
        let (password, salt) = (Data("password".utf8), Data(count: 16))
        let derive = [
            { try KDF.Argon2id.deriveKey(from: password, salt: salt.dropLast(), memoryKiB: 64, passes: 1) },
            { try KDF.Argon2id.deriveKey(from: password, salt: salt, memoryKiB: 7, passes: 1) },
            { try KDF.Argon2id.deriveKey(from: password, salt: salt, memoryKiB: 64, passes: 0) },
            { try KDF.Argon2id.deriveKey(from: password, salt: salt, outputByteCount: 15, memoryKiB: 64, passes: 1) },
            { try KDF.PBKDF2.deriveKey(from: password, salt: salt, using: .sha256, outputByteCount: 0, rounds: 1) },
            { try KDF.PBKDF2.deriveKey(from: password, salt: salt, using: .sha256, outputByteCount: 32, rounds: 0) },
            {
                try KDF.Scrypt.deriveKey(
                    from: password,
                    salt: salt,
                    outputByteCount: 32,
                    rounds: 3,
                    blockSize: 8,
                    parallelism: 1
                )
            },
        ]
        for derive in derive { #expect(throws: CryptoKitError.incorrectParameterSize) { try derive() } }
        #expect(throws: CryptoKitError.self) {
            try KDF.Scrypt.deriveKey(
                from: password,
                salt: salt,
                outputByteCount: 32,
                rounds: 1 << 20,
                blockSize: 8,
                parallelism: 1,
                maxMemory: 1 << 20
            )
        }
    }

    @Test func hkdfStopsBeforeItGivesTooMuch() async {
        let most = HKDF<SHA256>.deriveKey(inputKeyMaterial: SymmetricKey(size: .bits256), outputByteCount: 255 * 32)
        #expect(most.bitCount == 255 * 32 * 8)
        await #expect(processExitsWith: .failure) {
            _ = HKDF<SHA256>.deriveKey(inputKeyMaterial: SymmetricKey(size: .bits256), outputByteCount: 255 * 32 + 1)
        }
    }

    @Test func formsOfP256() throws {
        let key = P256.Signing.PrivateKey()
        let point = key.publicKey
        #expect(try P256.Signing.PublicKey(rawRepresentation: point.rawRepresentation) == point)
        #expect(try P256.Signing.PublicKey(x963Representation: point.x963Representation) == point)
        #expect(try P256.Signing.PublicKey(compressedRepresentation: point.compressedRepresentation) == point)
        #expect(try P256.Signing.PrivateKey(x963Representation: key.x963Representation).publicKey == point)
        #expect(try P256.Signing.PrivateKey(rawRepresentation: key.rawRepresentation).publicKey == point)
        let other = P256.Signing.PrivateKey().publicKey.x963Representation + key.rawRepresentation
        #expect(throws: CryptoKitError.invalidParameter) { try P256.Signing.PrivateKey(x963Representation: other) }
        #expect(throws: CryptoKitError.incorrectKeySize) { try P256.Signing.PublicKey(x963Representation: Data([0])) }
        let order = try bytes("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")
        for scalar in [[UInt8](repeating: 0, count: 32), order] {
            #expect(throws: CryptoKitError.invalidParameter) { try P256.Signing.PrivateKey(rawRepresentation: scalar) }
        }
        let signature = try key.signature(for: Data("data".utf8))
        let raw = try P256.Signing.ECDSASignature(rawRepresentation: signature.rawRepresentation)
        #expect(raw == signature && point.isValidSignature(raw, for: Data("data".utf8)))
        #expect(!point.isValidSignature(raw, for: Data("date".utf8)))
    }
}
