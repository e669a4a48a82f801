import Foundation
import MildamCrypto
import Testing

@Suite("bcrypt_pbkdf, as OpenBSD has it")
struct BcryptPBKDFTests {
    private func derive(
        _ password: String,
        _ salt: [UInt8],
        _ count: Int,
        rounds: Int = 4
    ) throws(CryptoKitError) -> [UInt8] {
        let key = try KDF.BcryptPBKDF.deriveBytes(
            from: Array(password.utf8).span,
            salt: salt,
            outputByteCount: count,
            rounds: rounds
        )
        return (0..<key.count).map { key.span[$0] }
    }

    /// The values that implementations of it have in common (pyca/bcrypt, `test_kdf`; RustCrypto, `bcrypt-pbkdf`).
    @Test(
        "Published values",
        arguments: [
            ("password", "salt", "5bbf0cc293587f1c3635555c27796598d47e579071bf427e9d8fbe842aba34d9"),
            ("password", "\0", "c12b566235eee04c212598970a579a67"),
            ("\0", "salt", "6051be18c2f4f82cbf0efee5471b4bb9"),
            ("password\0", "salt\0", "7410e44cf4fa07bfaac8a928b1727fac001375e7bf7384370f48efd121743050"),
        ]
    )
    func published(_ password: String, _ salt: String, _ expected: String) throws {
        let found = try derive(password, Array(salt.utf8), expected.utf8.count / 2)
        #expect(found.map { String(format: "%02x", $0) }.joined() == expected)
    }

    /// A longer key is made of blocks whose bytes are interleaved, so that a part of it is not a shorter key.
    @Test("Blocks are interleaved")
    func blocks() throws {
        let one = try derive("password", [1, 2, 3], 32, rounds: 1)
        let two = try derive("password", [1, 2, 3], 63, rounds: 1)
        #expect(two.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element) == one)
        #expect(Set(two.enumerated().filter { !$0.offset.isMultiple(of: 2) }.map(\.element)) != Set(one))
    }

    @Test("What is out of range is refused")
    func ranges() throws {
        for (password, salt, count, rounds) in [
            ("", 1, 1, 1), ("p", 0, 1, 1), ("p", 1025, 1, 1), ("p", 1, 0, 1), ("p", 1, 1025, 1), ("p", 1, 1, 0),
        ] {
            #expect(throws: CryptoKitError.incorrectParameterSize) {
                try derive(password, [UInt8](repeating: 1, count: salt), count, rounds: rounds)
            }
        }
    }

    /// NIST SP 800-38A, section F.5.5; and the counter carries through all of its bytes.
    @Test("Counter mode counts in big-endian order")
    func counterMode() throws {
        func bytes(_ hex: String) -> [UInt8] {
            let digits = Array(hex)
            return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
        }
        let key = SymmetricKey(
            data: bytes("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4")
        )
        var text = bytes("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51")
        var span = text.mutableSpan
        try Insecure.AES.CounterMode.apply(
            inPlace: &span,
            using: key,
            iv: Insecure.AES.IV(data: bytes("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"))
        )
        #expect(text == bytes("601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5"))

        #expect(throws: CryptoKitError.incorrectParameterSize) {
            var odd = [UInt8](repeating: 0, count: 17)
            var span = odd.mutableSpan
            try Insecure.AES.CounterMode.apply(inPlace: &span, using: key, iv: Insecure.AES.IV())
        }
    }
}
