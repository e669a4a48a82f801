/// A certificate of a key, in DER, with a signature that nobody looks at.
enum Certificate {
    /// What a key is for.
    enum Kind {
        case x25519, ed25519, ed448, p256, p384, p521

        /// The identifiers of the algorithm and of its parameters (RFC 8410, section 3; RFC 5480, section 2.1.1).
        fileprivate var identifiers: [[UInt8]] {
            let curve: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1]
            return switch self {
            case .x25519: [[0x2B, 0x65, 110]]
            case .ed25519: [[0x2B, 0x65, 112]]
            case .ed448: [[0x2B, 0x65, 113]]
            case .p256: [curve, [0x2A, 0x86, 0x48, 0xCE, 0x3D, 3, 1, 7]]
            case .p384: [curve, [0x2B, 0x81, 4, 0, 34]]
            case .p521: [curve, [0x2B, 0x81, 4, 0, 35]]
            }
        }
    }

    static func of(_ key: [UInt8], _ kind: Kind) -> [UInt8] {
        let nobody = item(0x30, item(0x31, item(0x30, item(0x06, [0x55, 4, 3]), item(0x0C, [0x41]))))
        let time = item(0x17, Array("300101000000Z".utf8))
        let content = item(
            0x30,
            item(0xA0, item(0x02, [2])),
            item(0x02, [1]),
            algorithm(.ed25519),
            nobody,
            item(0x30, time, time),
            nobody,
            item(0x30, algorithm(kind), item(0x03, [0], key))
        )
        return item(0x30, content, algorithm(.ed25519), item(0x03, [UInt8](repeating: 0, count: 65)))
    }

    private static func algorithm(_ kind: Kind) -> [UInt8] {
        item(0x30, kind.identifiers.flatMap { item(0x06, $0) })
    }

    private static func item(_ tag: UInt8, _ parts: [UInt8]...) -> [UInt8] {
        let content = Array(parts.joined())
        let length: [UInt8] =
            content.count < 128
            ? [UInt8(content.count)] : [0x82, UInt8(content.count >> 8), UInt8(content.count & 0xFF)]
        return [tag] + length + content
    }
}
