import MildamCrypto
import MildamWire

/// What lets its bearer make an account, once: 120 random bits. Only the digest is stored; guessing them is out of reach
/// without a slow hash.
struct InvitationCode: Sendable {
    private static let size = 15

    private let bytes: [UInt8]

    /// A new one.
    static func random() -> InvitationCode { InvitationCode(bytes: SecureRandom.bytes(count: size)) }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Reads what was typed: case does not matter, nor do spaces and dashes; `nil` when it is none.
    init?(typed text: String) {
        guard text.utf8.count <= 64 else { return nil }
        let letters = text.lowercased().filter { $0 != " " && $0 != "-" }
        guard let bytes = try? Base32.decode(letters), bytes.count == Self.size else { return nil }
        self.bytes = bytes
    }

    /// Six groups of four characters of base32.
    var text: String {
        let letters = Array(Base32.encode(bytes))
        return stride(from: 0, to: letters.count, by: 4).map { String(letters[$0..<$0 + 4]) }.joined(separator: "-")
    }

    /// What is stored: SHA-256.
    var digest: [UInt8] { Array(SHA256.hash(data: bytes)) }
}

extension InvitationCode: CustomStringConvertible {
    /// Nothing of the code.
    var description: String { "an invitation" }
}
