import MildamCrypto
import MildamOTP

/// What one QR code of Google Authenticator's export holds: some of the tokens, and which part of the whole they are.
///
/// ```
/// message MigrationPayload {
///   message OtpParameters {
///     bytes secret = 1;  string name = 2;  string issuer = 3;
///     Algorithm algorithm = 4;  // 1 SHA1, 2 SHA256, 3 SHA512, 4 MD5
///     DigitCount digits = 5;    // 1 six, 2 eight
///     OtpType type = 6;         // 1 HOTP, 2 TOTP
///     int64 counter = 7;
///   }
///   repeated OtpParameters otp_parameters = 1;
///   int32 version = 2;  int32 batch_size = 3;  int32 batch_index = 4;  int32 batch_id = 5;
/// }
/// ```
///
/// Google published no description; this one is what programs that read it have in common. A zero, which is what a field
/// that is not there says, stands for SHA-1, six digits and TOTP, as in Aegis and others: exports are about without them.
public struct MigrationBatch: Sendable {
    /// The most bytes of an `otpauth-migration://` URI. A QR code has room for 2,953.
    public static let maximumURIByteCount = 1 << 16
    /// How many tokens Google Authenticator puts in a batch, and so the most that are written in one.
    public static let tokenLimit = 10
    /// The most batches of an export.
    public static let batchLimit = 1000

    /// The tokens, or why they are none, in their order.
    public let tokens: [Result<OneTimePassword, TokenError>]
    /// The version of the export's kind: 1 is written. It is not looked at.
    public let version: Int32
    /// How many batches the export has: 1 or more.
    public let count: Int
    /// Which one this is, from 0.
    public let index: Int
    /// What all batches of the export share.
    public let id: Int32

    init(tokens: [Result<OneTimePassword, TokenError>], version: Int32 = 1, count: Int, index: Int, id: Int32) {
        self.tokens = tokens
        self.version = version
        self.count = count
        self.index = index
        self.id = id
    }

    /// Puts tokens in batches of ten.
    ///
    /// - Parameter id: a random number, so that batches of two exports are told apart.
    /// - Throws: `empty`; `notRepresentable` for the first token that the export has no words for.
    public static func batches(
        of tokens: [OneTimePassword],
        id: Int32
    ) throws(MigrationError) -> [MigrationBatch] {
        guard !tokens.isEmpty, tokens.count <= tokenLimit * batchLimit else {
            throw tokens.isEmpty ? .empty : .tooLong
        }
        for index in tokens.indices {
            if let field = tokens[index].unknownToMigration { throw .notRepresentable(index: index, field) }
        }
        let starts = Array(stride(from: 0, to: tokens.count, by: tokenLimit))
        return starts.enumerated().map { index, start in
            MigrationBatch(
                tokens: tokens[start..<min(start + tokenLimit, tokens.count)].map { .success($0) },
                count: starts.count,
                index: index,
                id: id
            )
        }
    }

    /// The tokens of an export whose batches were read one by one, in any order, some of them perhaps twice.
    ///
    /// - Throws: `empty`; `differentExports`; `conflictingBatches`; `missingBatches`, which names all that are.
    public static func join(
        _ batches: [MigrationBatch]
    ) throws(MigrationError) -> [Result<OneTimePassword, TokenError>] {
        guard let first = batches.first else { throw .empty }
        var byIndex = [MigrationBatch?](repeating: nil, count: first.count)
        for batch in batches {
            guard batch.id == first.id, batch.count == first.count else { throw .differentExports }
            if let known = byIndex[batch.index], known.tokens != batch.tokens {
                throw .conflictingBatches(index: batch.index)
            }
            byIndex[batch.index] = batch
        }
        let missing = byIndex.indices.filter { byIndex[$0] == nil }
        guard missing.isEmpty else { throw .missingBatches(missing, of: first.count) }
        return byIndex.flatMap { $0?.tokens ?? [] }
    }
}

extension OneTimePassword {
    /// What of the token Google's export has no words for; `nil` where the export holds the token.
    public var unknownToMigration: TokenField? {
        switch kind {
        case .steam: return .type
        case .totp(let period) where period != Kind.defaultPeriod: return .period
        case .hotp(let counter) where counter > UInt64(Int64.max): return .counter
        case .totp, .hotp: return digits == 6 || digits == 8 ? nil : .digits
        }
    }
}
