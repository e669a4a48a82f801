import MildamCrypto
import MildamWire

/// ente's encrypted export, version 1: "Auth Encrypted Export format" in ente's documentation.
enum EnteExport {
    /// The lines of an export.
    ///
    /// Argon2id makes the key; the content is one message of libsodium's secretstream, marked as the last, and
    /// `encryptionNonce` is the stream's header. Nothing tells a wrong password from damage.
    static func open(
        _ export: JSONNode,
        in text: Span<UInt8>,
        _ password: SymmetricKey,
        _ limits: ImportLimits
    ) throws(ImportError) -> SecretBytes {
        guard let version = export["version"]?.integer(in: text) else { throw .malformed(.enteEncrypted) }
        guard version == 1 else { throw .unsupportedVersion(.enteEncrypted, version) }
        guard let parameters = export["kdfParams"], let memory = parameters["memLimit"]?.integer(in: text),
            let passes = parameters["opsLimit"]?.integer(in: text), memory >= 8192, passes > 0,
            let salt = parameters["salt"]?.base64(in: text), salt.count == KDF.Argon2id.saltByteCount,
            let header = export["encryptionNonce"]?.base64(in: text), header.count == SecretStream.headerByteCount,
            let sealed = export["encryptedData"]?.base64(in: text), sealed.count >= SecretStream.overhead
        else { throw .malformed(.enteEncrypted) }
        var meter = ImportLimits.Meter(limits)
        guard meter.allows(memory: Int(memory), passes: Int(passes)) else { throw .tooCostly(.enteEncrypted) }
        let saltBytes = salt.span.indices.map { salt.span[$0] }
        let key = try SealedFile.derived {
            try unsafe password.withUnsafeBytes { password in
                try unsafe KDF.Argon2id.deriveKey(
                    from: password,
                    salt: saltBytes,
                    memoryKiB: Int(memory) / 1024,
                    passes: Int(passes)
                )
            }
        }
        guard let content = message(sealed.span, header: header.span, key: key) else {
            throw .wrongPassword(.enteEncrypted)
        }
        return content
    }

    /// The only message of a stream; `nil` when it is not this key's, or not the last.
    private static func message(_ sealed: Span<UInt8>, header: Span<UInt8>, key: SymmetricKey) -> SecretBytes? {
        guard var opener = try? SecretStream.Opener(key: key, header: header) else { return nil }
        return try? unsafe SecretBytes(count: sealed.count - SecretStream.overhead) { memory throws(CryptoKitError) in
            var content = unsafe MutableSpan<UInt8>(_unsafeBytes: memory)
            guard try opener.open(sealed, into: &content) == .final else { throw .authenticationFailure }
        }
    }
}
