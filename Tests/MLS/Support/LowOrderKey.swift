import MildamMLS

/// Public keys that nothing can be encrypted to, though each has the size of one: some of each curve's.
enum LowOrderKey {
    /// 0, 1 with the highest bit, one of order 8, and the prime, which is 0 again.
    static let x25519: [[UInt8]] = [
        [UInt8](repeating: 0, count: 32),
        [1] + [UInt8](repeating: 0, count: 30) + [0x80],
        [
            0xe0, 0xeb, 0x7a, 0x7c, 0x3b, 0x41, 0xb8, 0xae, 0x16, 0x56, 0xe3, 0xfa, 0xf1, 0x9f, 0xc4, 0x6a,
            0xda, 0x09, 0x8d, 0xeb, 0x9c, 0x32, 0xb1, 0xfd, 0x86, 0x62, 0x05, 0x16, 0x5f, 0x49, 0xb8, 0x00,
        ],
        [0xed] + [UInt8](repeating: 0xff, count: 30) + [0x7f],
    ]

    /// 0, 1, and one more than the prime, which is 1 again.
    static let x448: [[UInt8]] = [
        [UInt8](repeating: 0, count: 56),
        [1] + [UInt8](repeating: 0, count: 55),
        [UInt8](repeating: 0, count: 28) + [UInt8](repeating: 0xff, count: 28),
    ]

    /// Those of a suite; the curves of NIST have none.
    static func of(_ suite: CipherSuite) -> [[UInt8]] {
        switch suite {
        case .x25519AES128, .x25519ChaChaPoly: x25519
        case .x448AES256, .x448ChaChaPoly: x448
        default: []
        }
    }
}
