/// The u-coordinates of low order on X25519 and X448, as they are sent: all agree on zeros with one of them.
///
/// RFC 7748 looks at the result for it (sections 6.1, 6.2 and 7); here the key is looked at before it is used. On Curve25519 and
/// its twist, of cofactors 8 and 4, the values are those of Bernstein's page on Curve25519 (cr.yp.to/ecdh.html, "How do I
/// validate Curve25519 public keys?"): 0, 1, −1 and two of order 8. On Curve448, of cofactor 4, they are 0, 1 and −1. Each is
/// here with the prime added, too, where that still fits. Project Wycheproof has all of them (`ZeroSharedSecret`).
enum LowOrderPoints {
    /// Of 32 bytes, little-endian, with and without the highest bit, which no coordinate has (RFC 7748, section 5).
    static let x25519: [[UInt8]] = coordinates.flatMap { low -> [[UInt8]] in
        [low, Array(low.dropLast()) + [low[31] | 0x80]]
    }

    /// Of 56 bytes, little-endian.
    static let x448: [[UInt8]] = [
        halves(0x00, 0x00, 0x00, 0x00),
        halves(0x01, 0x00, 0x00, 0x00),
        halves(0xfe, 0xff, 0xfe, 0xff),
        halves(0xff, 0xff, 0xfe, 0xff),
        halves(0x00, 0x00, 0xff, 0xff),
    ]

    private static let coordinates: [[UInt8]] = [
        ends(0x00, 0x00, 0x00),
        ends(0x01, 0x00, 0x00),
        ends(0xec, 0xff, 0x7f),
        ends(0xed, 0xff, 0x7f),
        ends(0xee, 0xff, 0x7f),
        [
            0xe0, 0xeb, 0x7a, 0x7c, 0x3b, 0x41, 0xb8, 0xae, 0x16, 0x56, 0xe3, 0xfa, 0xf1, 0x9f, 0xc4, 0x6a,
            0xda, 0x09, 0x8d, 0xeb, 0x9c, 0x32, 0xb1, 0xfd, 0x86, 0x62, 0x05, 0x16, 0x5f, 0x49, 0xb8, 0x00,
        ],
        [
            0x5f, 0x9c, 0x95, 0xbc, 0xa3, 0x50, 0x8c, 0x24, 0xb1, 0xd0, 0xb1, 0x55, 0x9c, 0x83, 0xef, 0x5b,
            0x04, 0x44, 0x5c, 0xc4, 0x58, 0x1c, 0x8e, 0x86, 0xd8, 0x22, 0x4e, 0xdd, 0xd0, 0x9f, 0x11, 0x57,
        ],
    ]

    /// 32 bytes: the first, 30 alike, and the last.
    private static func ends(_ first: UInt8, _ middle: UInt8, _ last: UInt8) -> [UInt8] {
        [first] + [UInt8](repeating: middle, count: 30) + [last]
    }

    /// 56 bytes: of each half the first, and 27 alike.
    private static func halves(_ first: UInt8, _ rest: UInt8, _ upperFirst: UInt8, _ upperRest: UInt8) -> [UInt8] {
        [first] + [UInt8](repeating: rest, count: 27) + [upperFirst] + [UInt8](repeating: upperRest, count: 27)
    }
}
