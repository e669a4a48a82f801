import FoundationEssentials
import MildamCrypto
import MildamWire

/// What stands in for a lost second factor, once: 80 random bits. Only a ``SaltedVerifier`` of it is stored; guessing 80
/// bits is out of reach without a slow hash.
struct RecoveryCode: Sendable {
    /// How many an account gets.
    static let count = 10
    private static let size = 10

    private let bytes: [UInt8]

    /// A new one.
    static func random() -> RecoveryCode { RecoveryCode(bytes: SecureRandom.bytes(count: size)) }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Reads what was typed: case does not matter, nor do spaces and dashes; `nil` when it is none.
    init?(typed text: String) {
        let letters = text.lowercased().filter { $0 != " " && $0 != "-" }
        guard let bytes = try? Base32.decode(letters), bytes.count == Self.size else { return nil }
        self.bytes = bytes
    }

    /// Four groups of four characters of base32.
    var text: String {
        let letters = Array(Base32.encode(bytes))
        return stride(from: 0, to: letters.count, by: 4).map { String(letters[$0..<$0 + 4]) }.joined(separator: "-")
    }

    /// What is stored, under a new salt.
    var verifier: SaltedVerifier { SaltedVerifier(of: Data(bytes)) }

    /// Whether it is the one that was stored.
    func matches(_ verifier: SaltedVerifier) -> Bool { verifier.accepts(Data(bytes)) }
}
