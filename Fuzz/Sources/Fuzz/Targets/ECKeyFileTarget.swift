import FoundationEssentials
import MildamCrypto

@testable import MildamFiles

extension FuzzTarget {
    /// Files of keys of elliptic curves, and packets as text. The first byte says which: a private key, a public one, or
    /// in which form a packet is written.
    static let ecKeyFile = FuzzTarget(
        name: "ec-key-file",
        source: .file,
        seeds: {
            [
                [0] + sec1,
                [0] + Array("-----BEGIN EC PRIVATE KEY-----\n".utf8) + base64(sec1)
                    + Array("\n-----END EC PRIVATE KEY-----\n".utf8),
                [0] + Array(genuine.x963Representation), [1] + Array(genuine.publicKey.derRepresentation),
                [1] + Array(ECKeyFile.text(publicKey: genuine.publicKey.derRepresentation).utf8),
                [2] + ECIESPacketForm.base64.encode(Data(sec1)), [3] + ECIESPacketForm.hex.encode(Data(sec1)),
            ]
        },
        take: { input in
            guard let first = input.first else { return }
            let rest = Array(input.dropFirst())
            switch first {
            case 0: readPrivate(rest)
            case 1: readPublic(rest)
            case 2: readText(rest, .base64)
            default: readText(rest, .hex)
            }
        }
    )

    private static func readPrivate(_ input: [UInt8]) {
        guard let key = try? ECIESPrivateKey(input.span) else { return }
        planted(key.publicKey != .p256(genuine.publicKey))
        mustHold((try? ECIESPublicKey(input.span)) == nil, "a private key is no public one")
        if case .p256(let key) = key {
            mustHold(
                (try? ECIESPrivateKey(Array(key.x963Representation).span))?.publicKey == .p256(key.publicKey),
                "a key that is written is what was read"
            )
        }
    }

    private static func readPublic(_ input: [UInt8]) {
        guard let key = try? ECIESPublicKey(input.span) else { return }
        mustHold((try? ECIESPrivateKey(input.span)) == nil, "a public key is no private one")
        let der =
            switch key {
            case .p256(let key): key.derRepresentation
            case .p384(let key): key.derRepresentation
            case .p521(let key): key.derRepresentation
            }
        mustHold((try? ECIESPublicKey(Array(der).span)) == key, "a key that is written is what was read")
        let text = Array(ECKeyFile.text(publicKey: der).utf8)
        mustHold((try? ECIESPublicKey(text.span)) == key, "a key that is written is what was read")
    }

    private static func readText(_ input: [UInt8], _ form: ECIESPacketForm) {
        guard let packet = try? form.decode(input) else { return }
        mustHold((try? form.decode(form.encode(packet))) == packet, "a packet that is written is what was read")
    }

    private static func base64(_ bytes: [UInt8]) -> [UInt8] {
        Array(ECIESPacketForm.base64.encode(Data(bytes)).dropLast())
    }

    private static let genuine = must { () throws(CryptoKitError) in
        try P256.KeyAgreement.PrivateKey(rawRepresentation: [UInt8](repeating: 1, count: 32))
    }

    /// Without its public key, so that another scalar is another key.
    private static let sec1: [UInt8] =
        [0x30, 49, 2, 1, 1, 4, 32] + [UInt8](repeating: 1, count: 32)
        + [0xA0, 10, 6, 8, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
}
