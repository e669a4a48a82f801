import MildamCrypto
import MildamOTP
import MildamWire

/// andOTP's backup, as its program wrote it to its end in 2022.
enum AndOTPBackup {
    private static let saltByteCount = 12
    private static let nonceByteCount = 12
    /// What its program asks for, with room on both sides; less or more is another kind of file.
    private static let plausibleRounds = 1_000...1_000_000

    /// The entries.
    static func rows(
        _ backup: JSONNode,
        in text: Span<UInt8>,
        _ format: ImportFormat,
        _ limits: ImportLimits
    ) throws(ImportError) -> [TokenImport.Row] {
        try TokenImport.rows(backup, format, limits) { entry, number in
            TokenImport.Row(number: number) { () throws(TokenError) in try token(entry, in: text) }
        }
    }

    private static func token(_ entry: JSONNode, in text: Span<UInt8>) throws(TokenError) -> OneTimePassword {
        guard let type = try entry.text(.type, in: text) else { throw .missing(.type) }
        let known = try TokenFields.TokenType(foreign: type)
        let label = try entry.text(.label, in: text) ?? ""
        let issuer = try entry.text(.issuer, in: text)
        var fields = TokenFields(
            secret: try entry.base32("secret", in: text),
            names: issuer.map { TokenNames(label: label, issuer: $0) } ?? names(oldLabel: label)
        )
        fields.type = known
        try fields.readNumbers(entry, in: text)
        return try fields.token()
    }

    /// Before there was a field for the issuer, it stood in the label: "issuer - account".
    private static func names(oldLabel label: String) -> TokenNames {
        let bytes = Array(label.utf8)
        guard let place = bytes.indices.first(where: { bytes[$0...].starts(with: " - ".utf8) }) else {
            return TokenNames(account: label)
        }
        return TokenNames(
            issuer: String(decoding: bytes[..<place], as: UTF8.self),
            account: String(decoding: bytes[(place + 3)...], as: UTF8.self)
        )
    }

    /// Whether a file begins with as many rounds as andOTP asks for, and is long enough to be one of its backups.
    static func hasPlausibleRounds(_ file: Span<UInt8>) -> Bool {
        file.count >= 4 + saltByteCount + nonceByteCount + SealedFile.tagByteCount
            && plausibleRounds.contains(Int(clamping: rounds(file)))
    }

    /// The entries of an encrypted backup.
    ///
    /// Rounds (four bytes, the highest first), salt (12 bytes), nonce (12 bytes), ciphertext, tag. In the old kind, rounds
    /// and salt are not there, and the key is the password's SHA-256. Nothing tells a wrong password from damage.
    static func open(
        _ file: Span<UInt8>,
        _ password: SymmetricKey,
        _ limits: ImportLimits,
        isOld: Bool
    ) throws(ImportError) -> SecretBytes {
        let format: ImportFormat = isOld ? .andOTPEncryptedOld : .andOTPEncrypted
        let start = isOld ? 0 : 4 + saltByteCount
        guard file.count >= start + nonceByteCount + SealedFile.tagByteCount else { throw .malformed(format) }
        let key: SymmetricKey
        if isOld {
            let digest = unsafe password.withUnsafeBytes { unsafe SHA256.hash(bufferPointer: $0) }
            key = SymmetricKey(data: digest)
        } else {
            let rounds = rounds(file)
            guard rounds > 0 else { throw .malformed(format) }
            guard rounds <= limits.rounds else { throw .tooCostly(format) }
            key = try SealedFile.key(
                password,
                salt: (4..<start).map { file[$0] },
                using: .insecureSHA1,
                rounds: Int(rounds)
            )
        }
        let end = start + nonceByteCount
        let nonce = (start..<end).map { file[$0] }
        guard let content = SealedFile.open(file.extracting(end...), nonce: nonce, key: key) else {
            throw .wrongPassword(format)
        }
        return content
    }

    private static func rounds(_ file: Span<UInt8>) -> UInt32 {
        (0..<4).reduce(0) { $0 << 8 | UInt32(file[$1]) }
    }
}
