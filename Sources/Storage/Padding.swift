/// How sealed values hide their length: up to steps of 64 bytes, above 2 KiB of Padmé (Nikitin et al., "Reducing Metadata
/// Leakage from Encrypted Files and Communication with PURBs", 2019), which costs at most 1/16.
public enum Padding {
    /// How many bytes stand for `count`: its own, 4 of its length, and zeros.
    public static func paddedSize(_ count: Int) -> Int {
        let size = count + 4
        let exponent = Int.bitWidth - 1 - size.leadingZeroBitCount
        let digits = Int.bitWidth - exponent.leadingZeroBitCount
        let step = max(64, 1 << max(exponent - digits, 0))
        return (size + step - 1) / step * step
    }
}
