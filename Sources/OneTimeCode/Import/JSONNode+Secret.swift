import MildamCrypto
import MildamOTP
import MildamWire

/// What strings and numbers of imports stand for; a secret goes into secret memory and nowhere else.
extension JSONNode {
    /// What a string says, in secret memory, if this is one.
    func secret(in text: Span<UInt8>) -> SecretBytes? {
        guard case .string(let range) = self else { return nil }
        var bytes = SecretBuilder(capacity: range.count)
        guard decode(in: text, { bytes.append($0) }) else { return nil }
        return bytes.finish()
    }

    /// The bytes that a string stands for in base64, padded, in secret memory.
    func base64(in text: Span<UInt8>) -> SecretBytes? {
        guard let characters = secret(in: text) else { return nil }
        return Base64Secret.decode(characters.span)
    }

    /// The bytes that a string stands for in hexadecimal.
    func hexadecimal(in text: Span<UInt8>) -> [UInt8]? { string(in: text).flatMap { try? Hex.decode($0) } }

    /// A whole number, also one that is written as a string, or with a fraction of zeros.
    func tolerantInteger(in text: Span<UInt8>) -> Int64? {
        switch self {
        case .number(let range), .string(let range):
            guard range.count <= 32 else { return nil }
            let parts = range.map { text[$0] }.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            guard parts.count == 1 || parts.count == 2 && parts[1].allSatisfy({ $0 == UInt8(ascii: "0") }),
                let first = parts[0].first, first.isDigit || first == UInt8(ascii: "-")
            else { return nil }
            return Int64(String(decoding: parts[0], as: UTF8.self))
        case .object, .array, .bool, .null: return nil
        }
    }
}
