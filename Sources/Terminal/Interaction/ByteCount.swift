/// A number of bytes as people read it.
public enum ByteCount {
    /// Decimal units (IEC 80000-13), three digits at most: "999 B", "1.2 kB", "13 MB".
    public static func text(_ bytes: Int64) -> String {
        guard bytes >= 1000 else { return "\(max(bytes, 0)) B" }
        var tenths = UInt64(bytes) / 100
        for unit in ["kB", "MB", "GB", "TB", "PB", "EB"] {
            if tenths < 100 { return "\(tenths / 10).\(tenths % 10) \(unit)" }
            if tenths < 10_000 || unit == "EB" { return "\(tenths / 10) \(unit)" }
            tenths /= 1000
        }
        return "\(bytes) B"
    }
}
