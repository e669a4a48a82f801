import MildamCrypto
import MildamWire

extension JSONNode {
    /// What a string says, in secret memory, if this is one.
    func secret(in text: Span<UInt8>) -> SecretBytes? {
        guard case .string(let range) = self else { return nil }
        var bytes = SecretBuilder(capacity: range.count)
        guard decode(in: text, { bytes.append($0) }) else { return nil }
        return bytes.finish()
    }

    /// The same, to be shared; `nil` for an empty one.
    func secretValue(in text: Span<UInt8>) -> SecretValue? {
        guard let secret = secret(in: text), secret.count > 0 else { return nil }
        return SecretValue(secret)
    }
}

extension SecretBytes {
    /// The bytes of a text in base64, padded (RFC 4648, section 4); `nil` when it is none.
    init?(base64 text: Span<UInt8>) {
        var bytes = unsafe SecretBytes(count: Base64.maximumByteCount(of: text.count)) { _ in }
        let count: Int? = unsafe bytes.withUnsafeMutableBytes { memory in
            var output = unsafe MutableSpan<UInt8>(_unsafeBytes: memory)
            return try? Base64.standard.decode(ascii: text, into: &output)
        }
        guard let count else { return nil }
        self.init(copying: bytes.span.extracting(..<count))
    }
}
