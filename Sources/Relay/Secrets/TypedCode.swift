import MildamCrypto
import MildamWire

/// Random bytes that a person types: groups of four characters of base32. Guessing them is out of reach without a slow hash.
protocol TypedCode: Sendable {
    /// How many bytes: a multiple of five, so that the groups come out whole.
    static var size: Int { get }

    var bytes: [UInt8] { get }

    init(bytes: [UInt8])
}

extension TypedCode {
    /// A new one.
    static func random() -> Self { Self(bytes: SecureRandom.bytes(count: size)) }

    /// Reads what was typed: case does not matter, nor do spaces and dashes; `nil` when it is none.
    init?(typed text: String) {
        guard text.utf8.count <= 64 else { return nil }
        let letters = text.lowercased().filter { $0 != " " && $0 != "-" }
        guard let bytes = try? Base32.decode(letters), bytes.count == Self.size else { return nil }
        self.init(bytes: bytes)
    }

    /// As it is shown.
    var text: String {
        let letters = Array(Base32.encode(bytes))
        return stride(from: 0, to: letters.count, by: 4).map { String(letters[$0..<$0 + 4]) }.joined(separator: "-")
    }
}
