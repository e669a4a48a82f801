/// What is read and written at most: known before memory is taken.
public enum TransferLimits {
    /// Bytes of a file, and of what it becomes when it is decrypted: 64 MiB.
    public static let documentSize = 64 << 20
    /// Bytes of a file that may be encrypted, which adds a header and 16 bytes for each 64 KiB.
    public static let fileSize = documentSize + documentSize / 1024 + (1 << 20)
    /// Rows, entries or items of a file.
    public static let rows = 100_000
    /// Columns of a CSV file.
    static let columns = 256
    /// Elements of an XML file that stand in one another.
    static let depth = 64
    /// Bytes of the names of the groups that an entry lies in, with a slash between them: each entry has them all.
    static let folder = 4096
    /// Attributes of an XML element.
    static let elementAttributes = 16
    /// Rounds of PBKDF2: the most that Bitwarden lets its users choose.
    static let pbkdf2Rounds: ClosedRange<Int64> = 1...2_000_000
    /// KiB that Argon2id fills, passes over them, and lanes: the most that Bitwarden lets its users choose.
    static let argon2MebiBytes: ClosedRange<Int64> = 1...1024
    static let argon2Passes: ClosedRange<Int64> = 1...10
    static let argon2Lanes: ClosedRange<Int64> = 1...16
}
