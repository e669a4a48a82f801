/// What a SelfRemove says in its authenticated data: that the account leaves, `struct { uint8 version = 1; uint8 kind = 1; }` (H6).
public enum LeavingMark {
    /// The two bytes.
    public static let bytes: [UInt8] = [1, 1]
}
