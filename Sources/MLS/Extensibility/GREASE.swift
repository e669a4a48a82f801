/// The values that nobody may give a meaning, so that everybody learns to pass over what they do not know (RFC 9420,
/// section 13.5).
public enum GREASE {
    /// 0x0A0A to 0xEAEA.
    public static let values: [UInt16] = (0...14).map { 0x0A0A + 0x1010 * $0 }
}
