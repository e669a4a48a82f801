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

    /// Reads a number of bytes, with K, M, G or T behind it for thousands, millions and so on; `nil` for anything else.
    public static func parse(_ text: String) -> Int? {
        let units: [Character: Int] = ["K": 1_000, "M": 1_000_000, "G": 1_000_000_000, "T": 1_000_000_000_000]
        let unit = text.last.flatMap { units[$0] }
        let digits = unit == nil ? text[...] : text.dropLast()
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = Int(digits)
        else { return nil }
        let (bytes, overflow) = number.multipliedReportingOverflow(by: unit ?? 1)
        return overflow ? nil : bytes
    }
}
