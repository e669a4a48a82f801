import MildamCrypto
import MildamWire

/// What people compare: 60 decimal digits that stand for an account's identity key.
///
/// SHA-512 over label, account and key; its first 60 bytes, five at a time, modulo 100,000: 12 groups of five digits.
public struct Fingerprint: Hashable, Sendable, CustomStringConvertible {
    /// Twelve groups of five digits, with a space between.
    public let description: String

    /// The fingerprint of an account's key.
    public init(account: AccountID, key: Curve25519.Signing.PublicKey) {
        var writer = WireWriter()
        Label("fingerprint").encode(into: &writer)
        account.encode(into: &writer)
        writer.fixed(key.rawRepresentation)
        let digest = Array(SHA512.hash(data: writer.bytes))
        description = stride(from: 0, to: 60, by: 5).map { start in
            let number = digest[start..<start + 5].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 100_000
            let digits = String(number)
            return String(repeating: "0", count: 5 - digits.count) + digits
        }.joined(separator: " ")
    }

    /// Whether a text that a person typed or pasted is this fingerprint: its 60 digits, grouped by white space in any way.
    public func isTyped(_ text: String) -> Bool {
        text.filter { !$0.isWhitespace } == description.filter { !$0.isWhitespace }
    }
}
