import MildamFiles
import MildamWire

extension FuzzTarget {
    /// Bech32, base32, base64 and hex. The first byte says which.
    static let textCodecs = FuzzTarget(
        name: "text-codecs",
        source: .network,
        seeds: {
            [
                [0] + Array(Bech32.encode([1, 2, 3], prefix: "age").utf8),
                [0] + Array(Bech32.encode([UInt8](repeating: 5, count: 32), prefix: "AGE-SECRET-KEY-").utf8),
                [1, 3] + Array("agexyz".utf8), [2] + Array("mzxw6ytb".utf8), [3] + Array("Zm9vYg==".utf8),
                [4] + Array("Zm9vYg".utf8), [5] + Array("Zm9v-_".utf8), [6] + Array("0aff".utf8),
            ]
        },
        take: { input in
            guard let first = input.first else { return }
            let rest = Array(input.dropFirst())
            let text = String(decoding: rest, as: UTF8.self)
            switch first {
            case 0: readBech32(text)
            case 1: writeBech32(rest)
            case 2: mustBeCanonical(text, "base32", Base32.encode) { text throws(WireError) in try Base32.decode(text) }
            case 3:
                mustBeCanonical(text, "base64", Base64.standard.encode) { text throws(WireError) in
                    try Base64.standard.decode(text)
                }
            case 4:
                mustBeCanonical(text, "base64 without padding", Base64.unpadded.encode) { text throws(WireError) in
                    try Base64.unpadded.decode(text)
                }
            case 5:
                mustBeCanonical(text, "base64url", Base64.url.encode) { text throws(WireError) in
                    try Base64.url.decode(text)
                }
            default:
                mustBeCanonical(text.lowercased(), "hex", Hex.encode) { text throws(WireError) in try Hex.decode(text) }
            }
        }
    )

    private static func readBech32(_ text: String) {
        _ = try? AgeX25519Identity(text)
        _ = try? AgeX25519Recipient(text)
        guard let (prefix, bytes) = try? Bech32.decode(text) else { return }
        // A prefix without letters does not say in which case the rest stood.
        mustHold(
            Bech32.encode(bytes, prefix: prefix).lowercased() == text.lowercased(),
            "Bech32 has one spelling but for case"
        )
        var again = [UInt8](repeating: 0, count: bytes.count)
        var span = again.mutableSpan
        mustHold((try? Bech32.decode(text, prefix: prefix, into: &span)) != nil, "both ways of reading agree")
        mustHold(again == bytes, "both ways of reading agree")
    }

    /// The first byte says how many of those behind it are the prefix; the rest is the content.
    private static func writeBech32(_ input: [UInt8]) {
        guard let count = input.first else { return }
        let prefix = input.dropFirst().prefix(Int(count))
        guard !prefix.isEmpty, prefix.allSatisfy({ (33...126).contains($0) && !(65...90).contains($0) }) else { return }
        let content = Array(input.dropFirst(1 + prefix.count))
        let name = String(decoding: prefix, as: UTF8.self)
        planted(prefix.count >= 5)
        let text = Bech32.encode(content, prefix: name)
        guard let (readName, readContent) = try? Bech32.decode(text) else {
            return mustHold(false, "Bech32 that is written can be read")
        }
        mustHold(readName == name && readContent == content, "Bech32 that is written is read as it was")
    }

    private static func mustBeCanonical(
        _ text: String,
        _ codec: String,
        _ encode: ([UInt8]) -> String,
        _ decode: (String) throws(WireError) -> [UInt8]
    ) {
        guard let bytes = try? decode(text) else { return }
        mustHold(encode(bytes) == text, "\(codec) has one spelling")
    }
}
