/// What members of a room compare: 30 decimal digits of the epoch's authenticator (H40), the same for all of them.
///
/// The first 30 bytes, five at a time, modulo 100,000: six groups of five digits.
public enum EpochDigits {
    /// The digits, with a space between groups; `nil` for an authenticator of fewer than 30 bytes.
    public static func text(of authenticator: [UInt8]) -> String? {
        guard authenticator.count >= size else { return nil }
        return stride(from: 0, to: size, by: 5).map { start in
            let number = authenticator[start..<start + 5].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 100_000
            let digits = String(number)
            return String(repeating: "0", count: 5 - digits.count) + digits
        }.joined(separator: " ")
    }

    private static let size = 30
}
