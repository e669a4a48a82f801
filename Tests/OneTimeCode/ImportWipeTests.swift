import Foundation
import MildamCrypto
import MildamOTP
import TestSupport
import Testing

@testable import MildamOneTimeCode

/// What is left in memory of secrets that were imported, printed and let go of.
@Suite(
    "Wiped memory: one-time codes",
    .serialized,
    .disabled(if: Sanitizer.isOn, "a sanitizer keeps freed memory, and shadows terabytes of it")
)
struct ImportWipeTests {
    private func masked(_ bytes: Span<UInt8>) -> MaskedSecret {
        unsafe bytes.withUnsafeBytes { unsafe MaskedSecret($0) }
    }

    private func traces(of secrets: [MaskedSecret]) throws -> [Int] {
        try ProcessMemory.occurrences(of: secrets.map(\.bytes))
    }

    /// The text of forty random bytes; they are remembered, and it is.
    private func newSecret(_ secrets: inout [MaskedSecret]) -> SecretBytes {
        let secret = SymmetricKey(size: SymmetricKeySize(bitCount: 320))
        var text = SecretBuilder()
        Base32Secret.encode(secret, into: &text)
        secrets = [unsafe secret.withUnsafeBytes { unsafe MaskedSecret($0) }, masked(text.span)]
        return text.finish()
    }

    /// A file with the secret in it, in secret memory, as a program reads files.
    private func file(_ before: String, _ secret: borrowing SecretBytes, _ after: String) -> SecretBytes {
        var file = SecretBuilder()
        file.append(before)
        file.append(secret.span)
        file.append(after)
        return file.finish()
    }

    private func use(_ before: String, _ after: String) throws -> [MaskedSecret] {
        var secrets: [MaskedSecret] = []
        let text = newSecret(&secrets)
        let file = file(before, text, after)
        let tokens = try TokenImport(file.span).tokens
        try #require(tokens.count == 1)
        #expect(tokens[0].matches(tokens[0].code(at: 5), at: 5) == 0)
        let uri = tokens[0].uriBytes
        let payload = try MigrationBatch.batches(of: tokens, id: 1)[0].uriBytes
        // The search finds what is there: the token's own, and the texts; at -O some of them are gone after their last use.
        let found = try traces(of: secrets)
        #expect(found[0] == 1 && (1...3).contains(found[1]), "\(found)")
        withExtendedLifetime(tokens) {}
        let (uriCount, textCount, fileCount, payloadCount) = (uri.count, text.count, file.count, payload.count)
        #expect(uriCount > textCount && fileCount >= textCount && payloadCount > 40)
        return secrets
    }

    @Test(
        "A token that was read, used, written and let go of leaves no trace: not its bytes, nor its text",
        arguments: [
            ("otpauth://totp/a?secret=", ""), (#"[{"secret":""#, #""}]"#),
            (#"{"header":{"slots":null},"db":{"version":3,"entries":[{"type":"totp","info":{"secret":""#, #""}}]}}"#),
        ]
    )
    func tokens(before: String, after: String) throws {
        let secrets = try use(before, after)
        #expect(try traces(of: secrets) == [0, 0])
    }
}
