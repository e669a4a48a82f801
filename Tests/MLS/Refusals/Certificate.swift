/// A certificate of a key, in DER, with a signature that nobody looks at.
enum Certificate {
    /// What a key is for.
    enum Kind: UInt8 {
        // The last part of 1.3.101.….
        case x25519 = 110
        case ed25519 = 112
        case ed448 = 113
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

    private static func algorithm(_ kind: Kind) -> [UInt8] { item(0x30, item(0x06, [0x2B, 0x65, kind.rawValue])) }

    private static func item(_ tag: UInt8, _ parts: [UInt8]...) -> [UInt8] {
        let content = Array(parts.joined())
        let length: [UInt8] =
            content.count < 128
            ? [UInt8(content.count)] : [0x82, UInt8(content.count >> 8), UInt8(content.count & 0xFF)]
        return [tag] + length + content
    }
}
