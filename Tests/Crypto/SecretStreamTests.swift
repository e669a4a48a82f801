import Foundation
import MildamCrypto
import MildamWire
import Testing

@Suite("Secret streams (libsodium)")
struct SecretStreamTests {
    private let key = SymmetricKey(data: [UInt8](0..<32))

    /// Made with python3-nacl: `push` of "one" with additional data "ad", of "" with TAG_REKEY, and of "last" with
    /// TAG_FINAL, under the key 00 01 … 1f.
    private let header = "ce4fa1a07ad03a6ec9e28ce78d949b62cac1eb9962d201aa"
    private let messages = [
        "9e06abe701e43467f2318a3e09ff1e2ee1a58a02", "a2625dbab9395ee4250eb9b841ecf70bbc",
        "abeea1157211de1cb3503d0186d607d426fb8fa7fc",
    ]

    private func opener() throws -> SecretStream.Opener {
        let header = try Hex.decode(header)
        return try SecretStream.Opener(key: key, header: header.span)
    }

    private func open(
        _ opener: inout SecretStream.Opener,
        _ sealed: [UInt8],
        _ header: String = ""
    ) throws(CryptoKitError) -> (String, SecretStream.Tag) {
        var message = [UInt8](repeating: 0, count: max(0, sealed.count - SecretStream.overhead))
        let additional = Array(header.utf8)
        var span = message.mutableSpan
        let tag = try opener.open(sealed.span, authenticating: additional.span, into: &span)
        return (String(decoding: message, as: UTF8.self), tag)
    }

    @Test("What libsodium wrote in other hands opens, in its order")
    func opens() throws {
        var opener = try opener()
        let sealed = try messages.map(Hex.decode)
        for (index, (text, tag, additional)) in [
            ("one", SecretStream.Tag.message, "ad"), ("", .rekey, ""), ("last", .final, ""),
        ].enumerated() {
            let (opened, foundTag) = try open(&opener, sealed[index], additional)
            #expect(opened == text && foundTag == tag)
        }
    }

    @Test("Out of order, under another key, cut, or with any bit flipped, nothing opens")
    func refusals() throws {
        let first = try Hex.decode(messages[0])
        let second = try Hex.decode(messages[1])
        func refusal(_ sealed: [UInt8], _ additional: String = "ad") throws -> CryptoKitError? {
            var opener = try opener()
            do throws(CryptoKitError) {
                _ = try open(&opener, sealed, additional)
                return nil
            } catch { return error }
        }
        #expect(try refusal(first) == nil)
        #expect(try refusal(second, "") == .authenticationFailure)
        #expect(try refusal(first, "ae") == .authenticationFailure && refusal(first, "") == .authenticationFailure)
        for index in first.indices {
            for bit in 0..<8 {
                var other = first
                other[index] ^= 1 << bit
                #expect(try refusal(other) == .authenticationFailure)
            }
            let wanted: CryptoKitError = index < 17 ? .incorrectParameterSize : .authenticationFailure
            #expect(try refusal(Array(first[..<index])) == wanted)
        }
        let headerBytes = try Hex.decode(header)
        var other = try SecretStream.Opener(key: SymmetricKey(data: [UInt8](1...32)), header: headerBytes.span)
        #expect(throws: CryptoKitError.authenticationFailure) { try open(&other, first, "ad") }
        #expect(throws: CryptoKitError.incorrectParameterSize) {
            try SecretStream.Opener(key: key, header: headerBytes.span.extracting(..<23)).forget()
        }
        #expect(throws: CryptoKitError.incorrectKeySize) {
            try SecretStream.Opener(key: SymmetricKey(size: .bits128), header: headerBytes.span).forget()
        }
    }
}

extension SecretStream.Opener {
    /// `#expect` takes no value that cannot be copied.
    fileprivate consuming func forget() {}
}
