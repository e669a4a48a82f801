import MildamCrypto
import MildamWire

/// What opens the keychain when all else is lost: 160 random bits, to be written down.
///
/// Shown as eight groups of four letters and digits ("abcd-efgh-…", base32 without padding, RFC 4648); groups and case
/// are for the eye.
public struct RecoveryCode: Sendable, CustomStringConvertible, CustomReflectable {
    /// How many bytes it has.
    public static let size = 20
    let secret: SecretValue

    /// A new random one.
    public init() { secret = SecretValue(SecretBytes.random(count: Self.size)) }

    /// The code of its bytes; `nil` unless there are 20.
    init?(bytes: SecretValue) {
        guard bytes.count == Self.size else { return nil }
        secret = bytes
    }

    /// The code of a text, in any case, with hyphens and spaces anywhere.
    ///
    /// - Returns: `nil` for what is no code.
    public init?(_ text: SecretValue) {
        var letters = unsafe text.withUnsafeBytes { text in
            unsafe text.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\n") }
        }
        defer { letters.wipe() }
        for index in letters.indices where (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(letters[index]) {
            letters[index] += 32
        }
        guard letters.count == Self.size * 8 / 5, var bytes = try? Base32.decode(letters.span) else { return nil }
        defer { bytes.wipe() }
        secret = SecretValue(copying: bytes)
    }

    /// The text to write down: "abcd-efgh-…", 39 bytes.
    public var text: SecretValue {
        var bytes = secret.bytes
        defer { bytes.wipe() }
        var letters = Base32.encode(bytes.span)
        defer { letters.wipe() }
        return SecretValue(
            unsafe SecretBytes(count: letters.count + letters.count / 4 - 1) { text in
                var place = 0
                for (index, letter) in letters.enumerated() {
                    if index > 0, index.isMultiple(of: 4) {
                        unsafe text[place] = UInt8(ascii: "-")
                        place += 1
                    }
                    unsafe text[place] = letter
                    place += 1
                }
            }
        )
    }

    /// What it is, and nothing of the code.
    public var description: String { "RecoveryCode" }

    /// Empty: a dump shows nothing of the code.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
