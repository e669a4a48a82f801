import MildamOTP
import MildamOneTimeCode

extension FuzzTarget {
    /// Google Authenticator's export. The first byte says what the rest is: a message, or a URI.
    static let otpMigration = FuzzTarget(
        name: "otp-migration",
        source: .file,
        seeds: {
            let tokens = [
                "otpauth://totp/Example:alice?secret=JBSWY3DPEHPK3PXP&algorithm=SHA256&digits=8",
                "otpauth://hotp/bob?secret=GEZDGNBVGY3TQOJQ&counter=77",
            ].map { uri in must { () throws(TokenError) in try OneTimePassword(uri: uri) } }
            let batch = must { () throws(MigrationError) in try MigrationBatch.batches(of: tokens, id: -3) }[0]
            let payload = batch.payload
            return [[0] + payload.span.indices.map { payload.span[$0] }, [1] + Array(batch.uri.utf8)]
        },
        take: { input in
            guard let first = input.first else { return }
            let rest = Array(input.dropFirst())
            let read = first == 0 ? try? MigrationBatch(payload: rest.span) : try? MigrationBatch(uri: rest.span)
            guard let read else { return }
            planted(read.count == 3 && read.tokens.contains { (try? $0.get()) != nil })
            let tokens = read.tokens.compactMap { try? $0.get() }
            mustHold(tokens.allSatisfy(isStable), "a token that was read is written and read as the same")
            let payload = read.payload
            let again = try? MigrationBatch(payload: payload.span)
            mustHold(again?.tokens == tokens.map { .success($0) }, "what is written of a batch are its tokens")
            mustHold(again?.id == read.id && again?.index == read.index, "what is written of a batch is its place")
            let isWhole = (try? MigrationBatch.join([read])) != nil
            mustHold(isWhole == (read.count == 1), "a batch is a whole export if it is the only one")
        }
    )
}
