import MildamCrypto

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

/// `OtpParameters`: one token of the export.
private struct MigrationParameters {
    private var secret: SymmetricKey?
    private var name: String?
    private var issuer: String?
    private var algorithm: UInt64 = 0
    private var digits: UInt64 = 0
    private var type: UInt64 = 0
    private var counter: UInt64 = 0

    init(_ message: Span<UInt8>) throws(MigrationError) {
        var reader = ProtobufReader(message)
        name = ""
        issuer = ""
        while let (number, value) = try reader.next() {
            switch (number, value) {
            case (1, .bytes(let range)): secret = SymmetricKey(SecretBytes(copying: message.extracting(range)))
            case (2, .bytes(let range)): name = MigrationParameters.text(message.extracting(range))
            case (3, .bytes(let range)): issuer = MigrationParameters.text(message.extracting(range))
            case (4, .varint(let value)): algorithm = value
            case (5, .varint(let value)): digits = value
            case (6, .varint(let value)): type = value
            case (7, .varint(let value)): counter = value
            case (1...7, _): throw .malformed
            default: break
            }
        }
    }

    func token() throws(TokenError) -> OneTimePassword {
        guard let secret, secret.bitCount > 0 else { throw .missing(.secret) }
        guard let name else { throw .malformed(.label) }
        guard let issuer else { throw .malformed(.issuer) }
        var fields = TokenFields(secret: secret, names: TokenNames(label: name, issuer: issuer))
        switch algorithm {
        case 0, 1: fields.algorithm = .sha1
        case 2: fields.algorithm = .sha256
        case 3: fields.algorithm = .sha512
        case 4: throw .unsupported(.md5)
        default: throw .invalid(.algorithm)
        }
        switch digits {
        case 0, 1: fields.digits = 6
        case 2: fields.digits = 8
        default: throw .unsupported(.digits)
        }
        switch type {
        case 0, 2: fields.type = .totp
        case 1: fields.type = .hotp
        default: throw .invalid(.type)
        }
        guard counter <= UInt64(Int64.max) else { throw .outOfRange(.counter) }  // a negative int64
        fields.counter = counter
        return try fields.token()
    }

    private static func text(_ bytes: Span<UInt8>) -> String? {
        unsafe bytes.withUnsafeBufferPointer { unsafe String(validating: $0, as: UTF8.self) }
    }
}
