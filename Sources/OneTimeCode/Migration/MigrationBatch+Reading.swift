import MildamCrypto
import MildamOTP

extension MigrationBatch {
    /// Reads an `otpauth-migration://offline?data=…` URI.
    ///
    /// One bad token does not lose the others: its place holds the reason.
    ///
    /// - Parameter uri: up to 65,536 bytes; what surrounds it, and case, are as free as for `otpauth://`.
    /// - Throws: `tooLong`, `notMigration`, `malformedBase64`, `malformed`.
    public init(uri: Span<UInt8>) throws(MigrationError) {
        guard uri.count <= MigrationBatch.maximumURIByteCount else { throw .tooLong }
        let text = uri.extracting(uri.trimmedRange)
        guard text.starts(with: "otpauth-migration://offline"),
            let start = text.firstIndex(of: UInt8(ascii: "?")),
            let parameters = try? URIParameters(text, from: start + 1)
        else { throw .notMigration }
        let data = parameters.value("data", in: text)
        guard data.count > 0 else { throw .notMigration }
        // Base64 has plus signs: one that became a space is one again.
        var characters = SecretBuilder(capacity: data.count)
        let isWellFormed = PercentText.decode(data) { byte in
            characters.append(byte == UInt8(ascii: " ") ? UInt8(ascii: "+") : byte)
        }
        guard isWellFormed, let payload = Base64Secret.decodeTolerantly(characters.span) else {
            throw .malformedBase64
        }
        try self.init(payload: payload.span)
    }

    /// Reads a `MigrationPayload` message.
    ///
    /// - Throws: `malformed`.
    public init(payload: Span<UInt8>) throws(MigrationError) {
        var tokens: [Result<OneTimePassword, TokenError>] = []
        var version: Int32 = 0
        var count: Int32 = 0
        var index: Int32 = 0
        var id: Int32 = 0
        var reader = ProtobufReader(payload)
        while let (number, value) = try reader.next() {
            switch (number, value) {
            case (1, .bytes(let range)):
                let parameters = try MigrationParameters(payload.extracting(range))
                tokens.append(Result { () throws(TokenError) in try parameters.token() })
            // int32 takes the low 32 bits, and the last of several counts: Protocol Buffers, "Encoding".
            case (2, .varint(let value)): version = Int32(truncatingIfNeeded: value)
            case (3, .varint(let value)): count = Int32(truncatingIfNeeded: value)
            case (4, .varint(let value)): index = Int32(truncatingIfNeeded: value)
            case (5, .varint(let value)): id = Int32(truncatingIfNeeded: value)
            case (1...5, _): throw .malformed
            default: break
            }
        }
        guard (0...Int32(MigrationBatch.batchLimit)).contains(count), (0..<max(count, 1)).contains(index) else {
            throw .malformed
        }
        self.init(tokens: tokens, version: version, count: max(Int(count), 1), index: Int(index), id: id)
    }
}
