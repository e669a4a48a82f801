import MildamCrypto
import MildamOTP
import MildamWire

/// Aegis's vault: `docs/vault.md` of beemdevelopment/Aegis.
enum AegisVault {
    private static let versions: ClosedRange<Int64> = 1...3
    private static let passwordSlot: Int64 = 1
    private static let slotLimit = 64

    /// The entries of a vault's content.
    static func rows(
        _ content: JSONNode?,
        in text: Span<UInt8>,
        _ format: ImportFormat,
        _ limits: ImportLimits
    ) throws(ImportError) -> [TokenImport.Row] {
        guard let content, let version = content["version"]?.integer(in: text) else { throw .malformed(format) }
        guard versions.contains(version) else { throw .unsupportedVersion(format, version) }
        return try TokenImport.rows(content["entries"], format, limits) { entry, number in
            TokenImport.Row(number: number) { () throws(TokenError) in try token(entry, in: text) }
        }
    }

    private static func token(_ entry: JSONNode, in text: Span<UInt8>) throws(TokenError) -> OneTimePassword {
        let info = entry["info"] ?? .null
        guard let type = try entry.text(.type, in: text) else { throw .missing(.type) }
        let known = try TokenFields.TokenType(foreign: type)
        var fields = TokenFields(
            secret: try info.base32("secret", in: text),
            names: TokenNames(
                issuer: try entry.text(.issuer, in: text) ?? "",
                account: try entry.text(.account, named: "name", in: text) ?? ""
            )
        )
        fields.type = known
        try fields.readNumbers(info, algorithm: "algo", in: text)
        return try fields.token()
    }

    /// The content of an encrypted vault.
    ///
    /// The costs of all slots are counted before the first is tried, since each may have to be.
    static func open(
        _ vault: JSONNode,
        in text: Span<UInt8>,
        _ password: SymmetricKey,
        _ limits: ImportLimits
    ) throws(ImportError) -> SecretBytes {
        guard let version = vault["version"]?.integer(in: text) else { throw .malformed(.aegisEncrypted) }
        guard version == 1 else { throw .unsupportedVersion(.aegisEncrypted, version) }
        guard let header = vault["header"], let found = header["slots"]?.elements, found.count <= slotLimit,
            let nonce = header["params"]?["nonce"]?.hexadecimal(in: text),
            let tag = header["params"]?["tag"]?.hexadecimal(in: text),
            let sealed = vault["db"]?.base64(in: text)
        else { throw .malformed(.aegisEncrypted) }
        var meter = ImportLimits.Meter(limits)
        var slots: [Slot] = []
        for slot in found where slot["type"]?.integer(in: text) == passwordSlot {
            guard let slot = Slot(slot, in: text) else { throw .malformed(.aegisEncrypted) }
            guard meter.allows(memory: slot.memory, passes: slot.parallelism) else { throw .tooCostly(.aegisEncrypted) }
            slots.append(slot)
        }
        guard !slots.isEmpty else { throw .noPasswordSlot }
        for slot in slots {
            guard let key = try slot.masterKey(password) else { continue }
            // A slot that opens was wrapped under this password: what does not open now is damaged.
            guard let content = SealedFile.open(sealed.span, nonce: nonce, tag: tag, key: key) else {
                throw .damaged(.aegisEncrypted)
            }
            return content
        }
        throw .wrongPassword(.aegisEncrypted)
    }

    /// A slot for a password: the master key, wrapped under a key that scrypt makes of it.
    private struct Slot {
        let rounds: Int
        let blockSize: Int
        let parallelism: Int
        /// What scrypt fills, in bytes.
        let memory: Int
        private let salt: [UInt8]
        private let key: [UInt8]
        private let nonce: [UInt8]
        private let tag: [UInt8]

        init?(_ slot: JSONNode, in text: Span<UInt8>) {
            guard let rounds = slot["n"]?.integer(in: text), let blockSize = slot["r"]?.integer(in: text),
                let parallelism = slot["p"]?.integer(in: text), let salt = slot["salt"]?.hexadecimal(in: text),
                let key = slot["key"]?.hexadecimal(in: text), key.count == 32,
                let nonce = slot["key_params"]?["nonce"]?.hexadecimal(in: text),
                let tag = slot["key_params"]?["tag"]?.hexadecimal(in: text),
                rounds > 1, rounds & (rounds - 1) == 0, rounds <= 1 << 40, (1...1024).contains(blockSize),
                (1...1024).contains(parallelism)
            else { return nil }
            self.rounds = Int(rounds)
            self.blockSize = Int(blockSize)
            self.parallelism = Int(parallelism)
            memory = 128 * self.rounds * self.blockSize
            self.salt = salt
            self.key = key
            self.nonce = nonce
            self.tag = tag
        }

        /// The master key; `nil` when the password is not the slot's.
        func masterKey(_ password: SymmetricKey) throws(ImportError) -> SymmetricKey? {
            let wrapping = try SealedFile.derived {
                try unsafe password.withUnsafeBytes { password in
                    try unsafe KDF.Scrypt.deriveKey(
                        from: password,
                        salt: salt,
                        outputByteCount: 32,
                        rounds: rounds,
                        blockSize: blockSize,
                        parallelism: parallelism,
                        // libcrypto counts the blocks that it works in, too.
                        maxMemory: memory + 128 * blockSize * (parallelism + 3)
                    )
                }
            }
            guard let key = SealedFile.open(key.span, nonce: nonce, tag: tag, key: wrapping) else { return nil }
            return SymmetricKey(key)
        }
    }
}
