import MildamWire

/// What an object in a TPM is known by: 0x000B, for SHA-256, and the digest of its public area (TPM 2.0 part 1, section
/// 16). Another key has another Name.
struct TPMName: Sendable, Hashable {
    static let byteCount = 34

    let bytes: [UInt8]

    /// - Throws: `invalidValue` for anything but 34 bytes that begin with 0x000B.
    init(bytes: [UInt8]) throws(WireError) {
        guard bytes.count == TPMName.byteCount, bytes.starts(with: [0x00, 0x0B]) else {
            throw .invalidValue(field: "Name")
        }
        self.bytes = bytes
    }
}
