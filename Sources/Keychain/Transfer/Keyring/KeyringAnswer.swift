import MildamCrypto
import MildamWire

/// What `mildam-keyring` says to who started it, on its standard output:
/// ```
/// enum { failure(0), logins(1), (255) } AnswerKind;
/// struct {
///     AnswerKind kind;
///     select (kind) {
///         case failure: opaque words<0..2^16-1>;
///         case logins: uint32 count; Row rows[count];
///     };
/// } KeyringAnswer;
/// ```
/// Integers and lengths are big-endian (RFC 8446, section 3). It holds secrets, and is kept in secret memory at both ends.
package enum KeyringAnswer: Sendable {
    /// Why the keyring could not be read; foreign text.
    case failure(String)
    /// What is in it.
    case logins(ImportedLogins)

    private enum Kind: UInt8 {
        case failure = 0
        case logins = 1
    }

    /// The answer's bytes.
    package var bytes: SecretBytes {
        var bytes = SecretBuilder(capacity: 1 << 16)
        var head = WireWriter()
        switch self {
        case .failure(let words):
            head.integer(Kind.failure.rawValue)
            head.vector(UInt16.self, words.utf8.prefix(Int(UInt16.max)))
            bytes.append(head.bytes.span)
        case .logins(let logins):
            head.integer(Kind.logins.rawValue)
            head.integer(UInt32(logins.rows.count))
            bytes.append(head.bytes.span)
            for row in logins.rows {
                // With room for all of it, it never moves, and leaves no copy behind.
                var writer = WireWriter(capacity: row.maximumWireSize)
                row.encode(into: &writer)
                var encoded = writer.takeBytes()
                bytes.append(encoded.span)
                encoded.wipe()
            }
        }
        return bytes.finish()
    }

    /// Reads an answer.
    ///
    /// - Throws: `WireError` for anything else, and for more rows than an import may have.
    package init(_ bytes: Span<UInt8>) throws(WireError) {
        var reader = WireReader(bytes)
        switch try reader.value(Kind.self) {
        case .failure: self = .failure(try reader.text(UInt16.self, in: 0...Int(UInt16.max)))
        case .logins:
            let count = Int(try reader.integer(UInt32.self))
            guard count <= TransferLimits.rows else { throw .lengthOutOfRange(count) }
            var logins = ImportedLogins()
            for _ in 0..<count { logins.rows.append(try ImportedLogins.Row(from: &reader)) }
            self = .logins(logins)
        }
        try reader.finish()
    }
}
