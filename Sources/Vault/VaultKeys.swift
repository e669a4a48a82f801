import FoundationEssentials
import Glibc
import MildamCrypto
import MildamFiles
import MildamSystem
import MildamWire

/// What opens a vault: the identities that its files are for, newest last, the key of its index, and who else can open
/// the files. Kept in one file beside them, sealed under a key that is derived from the profile's root key.
///
/// ```
/// "mildam vault 1\n" ‖ id[16] ‖ ChaChaPoly(key = HKDF-SHA256(root key, salt = id, info = "mildam/1 vault keys"))
/// ```
struct VaultKeys: Sendable {
    /// The file's name in the vault.
    static let fileName = "vault.keys"
    private static let signature = Array("mildam vault 1\n".utf8)
    private static let maximumSize = 1 << 20
    static let maximumRecipients = 1000
    /// The largest recipient, in bytes of its text.
    static let maximumRecipientSize = 10_000
    /// The most for the texts of all recipients, in bytes: half of what the header of an age file can be, in which each of
    /// them has about as much.
    static let maximumRecipientsSize = 512 << 10
    /// What stands for files that none of the identities opens yet.
    static let noGeneration: UInt32 = 0
    /// Characters of base64 for 32 bytes.
    static let storePasswordSize = 43

    /// Whether a name in the vault's folder is that of keys that never took their place.
    static func isTemporary(_ name: String) -> Bool { name.hasPrefix(fileName + ".") && name.hasSuffix(".part") }

    /// An identity, and since when files are for it.
    struct Generation: Sendable {
        let number: UInt32
        let identity: AgeX25519Identity
        /// Whether the content was, or is to be, encrypted anew for it.
        let contentToo: Bool
    }

    /// The vault's id, 16 bytes.
    let id: [UInt8]
    /// The key of the index, 32 bytes.
    private(set) var index: SymmetricKey
    /// The key that rows of the index may lie under still, while it is sealed anew.
    private(set) var earlierIndex: SymmetricKey?
    /// One or, while a rekeying goes on, two.
    var generations: [Generation]
    /// What stores are written under, once one was.
    var storePassword: SymmetricKey?
    /// Others who can open every file, `age1…`, `ssh-ed25519 …` or `ssh-rsa …`.
    private(set) var recipients: [String]

    /// Keys for a new vault.
    ///
    /// - Throws: as ``kept(_:)``.
    init(recipients: [String]) throws(VaultError) {
        self.recipients = try Self.kept(recipients)
        id = SecureRandom.bytes(count: 16)
        index = SymmetricKey(size: .bits256)
        generations = [Generation(number: 1, identity: AgeX25519Identity(), contentToo: true)]
    }

    /// Whether a folder has the keys of a vault.
    ///
    /// - Throws: `io` where that cannot be known.
    static func areThere(in folder: String) throws(VaultError) -> Bool {
        do throws(SystemError) { return try WholeFile.isThere(folder + "/" + fileName) } catch { throw .io(error) }
    }

    /// Reads a vault's keys.
    ///
    /// - Throws: `noVault`, `keysDoNotOpen`, `io`.
    init(in folder: String, under root: SymmetricKey) throws(VaultError) {
        let path = folder + "/" + Self.fileName
        guard try Self.areThere(in: folder) else { throw .noVault(folder) }
        let file: [UInt8]
        do throws(SystemError) {
            file = try WholeFile.read(path, limit: Self.maximumSize)
        } catch  where error.code == EFBIG {
            throw .keysDoNotOpen(path)
        } catch {
            throw .io(error)
        }
        let start = Self.signature.count
        guard file.starts(with: Self.signature), file.count > start + 16 else { throw .keysDoNotOpen(path) }
        id = Array(file[start..<start + 16])
        do {
            let box = try ChaChaPoly.SealedBox(combined: file[(start + 16)...])
            var content = try ChaChaPoly.open(box, using: Self.sealingKey(id, root))
            defer { content.wipe() }
            var bytes = [UInt8](content)
            defer { bytes.wipe() }
            var reader = WireReader(bytes.span)
            var key = try reader.fixed(32)
            defer { key.wipe() }
            index = SymmetricKey(data: key)
            generations = []
            for _ in 0..<(try reader.integer(UInt8.self)) {
                let number = try reader.integer(UInt32.self)
                let text = try reader.text(UInt8.self, in: 1...100)
                let contentToo = try reader.integer(UInt8.self) == 1
                generations.append(
                    Generation(number: number, identity: try AgeX25519Identity(text), contentToo: contentToo)
                )
            }
            recipients = []
            for _ in 0..<(try reader.integer(UInt16.self)) {
                recipients.append(try reader.text(UInt16.self, in: 1...Self.maximumRecipientSize))
            }
            if try reader.integer(UInt8.self) == 1 {
                var password = try reader.fixed(Self.storePasswordSize)
                defer { password.wipe() }
                storePassword = SymmetricKey(data: password)
            }
            // Vaults of the first kind end here.
            if reader.remaining > 0 {
                var key = try reader.fixed(32)
                defer { key.wipe() }
                earlierIndex = SymmetricKey(data: key)
            }
            try reader.finish()
            guard !generations.isEmpty else { throw WireError.truncated }
        } catch {
            throw .keysDoNotOpen(path)
        }
    }

    /// Writes the keys, synced, in the place of those that were there.
    ///
    /// - Throws: `recipientsTooLarge` for what could not be read again, with nothing written; `io`.
    func save(in folder: String, under root: SymmetricKey) throws(VaultError) {
        var writer = WireWriter(capacity: Self.maximumSize)
        unsafe index.withUnsafeBytes { unsafe writer.fixed($0) }
        writer.integer(UInt8(generations.count))
        for generation in generations {
            writer.integer(generation.number)
            writer.text(UInt8.self, generation.identity.secretText)
            writer.integer(UInt8(generation.contentToo ? 1 : 0))
        }
        writer.integer(UInt16(recipients.count))
        for recipient in recipients { writer.text(UInt16.self, recipient) }
        writer.integer(UInt8(storePassword == nil ? 0 : 1))
        if let storePassword { unsafe storePassword.withUnsafeBytes { unsafe writer.fixed($0) } }
        if let earlierIndex { unsafe earlierIndex.withUnsafeBytes { unsafe writer.fixed($0) } }
        var content = writer.takeBytes()
        defer { content.wipe() }
        do {
            let box = try ChaChaPoly.seal(content, using: Self.sealingKey(id, root))
            let file = Self.signature + id + box.combined
            guard file.count <= Self.maximumSize else { throw VaultError.recipientsTooLarge }
            try WholeFile.write(file.span, to: folder + "/" + Self.fileName)
        } catch let error as SystemError {
            throw .io(error)
        } catch let error as VaultError {
            throw error
        } catch {
            throw .keysDoNotOpen(folder + "/" + Self.fileName)
        }
    }

    /// The newest identity, for which new files are.
    var current: Generation { generations[generations.count - 1] }

    /// Begins a new generation, and other recipients.
    ///
    /// - Throws: as ``kept(_:)``, with nothing changed.
    mutating func begin(_ recipients: [String], contentToo: Bool) throws(VaultError) {
        let kept = try Self.kept(recipients)
        generations.append(
            Generation(number: current.number + 1, identity: AgeX25519Identity(), contentToo: contentToo)
        )
        self.recipients = kept
    }

    /// Forgets the older generations: no file needs them any more.
    mutating func end() { generations.removeFirst(generations.count - 1) }

    /// Gives the index a new key; the present one is kept until every row lies under the new one.
    mutating func beginIndex() {
        guard earlierIndex == nil else { return }
        earlierIndex = index
        index = SymmetricKey(size: .bits256)
    }

    /// Forgets the index's earlier key.
    mutating func endIndex() { earlierIndex = nil }

    /// Whom new files are for.
    ///
    /// - Throws: `invalidRecipient`, `tooManyRecipients`.
    func allRecipients() throws(VaultError) -> [any AgeRecipient] {
        guard recipients.count <= Self.maximumRecipients else { throw .tooManyRecipients }
        var all: [any AgeRecipient] = [current.identity.recipient]
        all += try Self.recipients(in: recipients)
        return all
    }

    /// Recipients as they are kept: each key by itself, without a comment. A text may have several, on a line each.
    ///
    /// - Throws: `invalidRecipient`, `tooManyRecipients`; `recipientsTooLarge` for what could not be read again.
    static func kept(_ texts: [String]) throws(VaultError) -> [String] {
        guard texts.count <= maximumRecipients else { throw .tooManyRecipients }
        let kept = try recipients(in: texts).map { String(describing: $0) }
        guard kept.count <= maximumRecipients else { throw .tooManyRecipients }
        let sizes = kept.map(\.utf8.count)
        guard sizes.allSatisfy({ $0 <= maximumRecipientSize }), sizes.reduce(0, +) <= maximumRecipientsSize else {
            throw .recipientsTooLarge
        }
        return kept
    }

    private static func recipients(in texts: [String]) throws(VaultError) -> [any AgeRecipient] {
        var all: [any AgeRecipient] = []
        for text in texts {
            do throws(AgeKeyError) {
                all += try AgeKeyFile.recipients(in: Array(text.utf8).span)
            } catch {
                throw .invalidRecipient(text)
            }
        }
        return all
    }

    /// All identities, the newest first.
    var identities: [any AgeIdentity] { generations.reversed().map(\.identity) }

    private static func sealingKey(_ id: [UInt8], _ root: SymmetricKey) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: root,
            salt: id,
            info: Array("mildam/1 vault keys".utf8),
            outputByteCount: 32
        )
    }
}
