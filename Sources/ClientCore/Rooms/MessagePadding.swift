/// What is put behind an application message, so that its size says little (H33): Padmé, 256 bytes at least
/// (Nikitin et al., "Reducing Metadata Leakage from Encrypted Files and Communication with PURBs", 2019, section 4).
enum MessagePadding {
    /// The smallest size with padding, in bytes.
    static let minimum = 256

    /// How many zeros go behind so many bytes.
    static func count(behind size: Int) -> Int {
        guard size > minimum else { return minimum - size }
        let exponent = Int.bitWidth - 1 - size.leadingZeroBitCount
        let significant = Int.bitWidth - exponent.leadingZeroBitCount
        let mask = (1 << (exponent - significant)) - 1
        return (size + mask) & ~mask - size
    }
}
