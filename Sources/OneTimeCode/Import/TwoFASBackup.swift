import MildamCrypto
import MildamOTP
import MildamWire

/// 2FAS's backup, as its program for Android writes it; no document describes it.
enum TwoFASBackup {
    private static let newestVersion: Int64 = 4
    private static let rounds = 10_000

    /// The services of a backup that is not encrypted.
    static func rows(
        _ backup: JSONNode,
        in text: Span<UInt8>,
        _ limits: ImportLimits
    ) throws(ImportError) -> [TokenImport.Row] {
        try checkVersion(backup, in: text, .twoFAS)
        return try rows(services: backup["services"], in: text, .twoFAS, limits)
    }

    /// The services, which an encrypted backup holds alone.
    static func rows(
        services: JSONNode?,
        in text: Span<UInt8>,
        _ format: ImportFormat,
        _ limits: ImportLimits
    ) throws(ImportError) -> [TokenImport.Row] {
        try TokenImport.rows(services, format, limits) { service, number in
            TokenImport.Row(number: number) { () throws(TokenError) in try token(service, in: text) }
        }
    }

    private static func token(_ service: JSONNode, in text: Span<UInt8>) throws(TokenError) -> OneTimePassword {
        let otp = service["otp"] ?? .null
        let label = try otp.text(.label, in: text) ?? ""
        var issuer = try otp.text(.issuer, in: text) ?? ""
        if issuer.trimmed.isEmpty { issuer = try service.text(.issuer, named: "name", in: text) ?? "" }
        let account = try otp.text(.account, in: text) ?? ""
        var fields = TokenFields(
            secret: try service.base32("secret", in: text),
            names: account.isEmpty
                ? TokenNames(label: label, issuer: issuer) : TokenNames(issuer: issuer, account: account)
        )
        if let type = try otp.text(.type, named: "tokenType", in: text) { fields.type = try .init(foreign: type) }
        try fields.readNumbers(otp, in: text)
        // Its program leaves out a counter that was never used.
        fields.counter = fields.counter ?? 0
        return try fields.token()
    }

    /// The services of an encrypted backup: `servicesEncrypted` is ciphertext, salt and nonce in base64, with colons
    /// between them.
    ///
    /// `reference` is a known text under the same password. Where it opens and the services do not, these are damaged.
    static func open(
        _ backup: JSONNode,
        in text: Span<UInt8>,
        _ password: SymmetricKey,
        _ limits: ImportLimits
    ) throws(ImportError) -> SecretBytes {
        try checkVersion(backup, in: text, .twoFASEncrypted)
        guard let box = Box(backup["servicesEncrypted"], in: text) else { throw .malformed(.twoFASEncrypted) }
        guard rounds <= limits.rounds else { throw .tooCostly(.twoFASEncrypted) }
        if let services = try box.open(password) { return services }
        if let reference = Box(backup["reference"], in: text), try reference.open(password) != nil {
            throw .damaged(.twoFASEncrypted)
        }
        throw .wrongPassword(.twoFASEncrypted)
    }

    private static func checkVersion(
        _ backup: JSONNode,
        in text: Span<UInt8>,
        _ format: ImportFormat
    ) throws(ImportError) {
        guard let version = backup["schemaVersion"]?.integer(in: text) else { throw .malformed(format) }
        guard (1...newestVersion).contains(version) else { throw .unsupportedVersion(format, version) }
    }

    private struct Box {
        private let sealed: [UInt8]
        private let salt: [UInt8]
        private let nonce: [UInt8]

        init?(_ node: JSONNode?, in text: Span<UInt8>) {
            guard let parts = node?.string(in: text)?.split(separator: ":", omittingEmptySubsequences: false),
                parts.count == 3, let sealed = Box.bytes(parts[0]), let salt = Box.bytes(parts[1]), salt.count <= 4096,
                let nonce = Box.bytes(parts[2]), nonce.count == 12, sealed.count >= SealedFile.tagByteCount
            else { return nil }
            self.sealed = sealed
            self.salt = salt
            self.nonce = nonce
        }

        func open(_ password: SymmetricKey) throws(ImportError) -> SecretBytes? {
            let key = try SealedFile.key(password, salt: salt, using: .sha256, rounds: rounds)
            return SealedFile.open(sealed.span, nonce: nonce, key: key)
        }

        private static func bytes(_ text: Substring) -> [UInt8]? { try? Base64.standard.decode(text) }
    }
}
