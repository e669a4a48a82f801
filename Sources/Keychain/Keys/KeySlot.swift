import FoundationEssentials
import MildamCrypto
import MildamWire

/// The parameters of one way to open a keychain. They are stored in clear, and authenticated by what they seal.
struct KeySlot: Equatable, Sendable {
    /// The way.
    let kind: SlotKind
    /// Milliseconds since 1970.
    let created: Int64
    /// How the passphrase is stretched.
    let passphrase: Passphrase?
    /// Which key of the enclave's, and what it agrees with.
    let enclave: EnclavePart?

    struct Passphrase: Equatable, Sendable {
        let costs: PassphraseCosts
        let salt: [UInt8]
    }

    struct EnclavePart: Equatable, Sendable {
        /// What restores the enclave's key.
        let blob: [UInt8]
        /// The public key that it agrees with: 0x04 ‖ X ‖ Y.
        let peer: [UInt8]

        static let maximumBlob = 4096
        static let peerSize = 65
    }

    /// What a slot seals: the keychain's key and, where a passcode is part of the slot, the key of what only a passcode
    /// opens.
    struct Content: Sendable {
        let main: SymmetricKey
        let passcode: SymmetricKey?
    }

    /// The key that the slot's content is sealed under: HKDF-SHA256 of its parts, one after the other.
    static func sealingKey(_ parts: [SymmetricKey], _ kind: SlotKind, _ keychain: KeychainIdentifier) -> SymmetricKey {
        let sizes = parts.map { $0.bitCount / 8 }
        let material = unsafe SecretBytes(count: sizes.reduce(0, +)) { whole in
            var place = 0
            for (part, size) in zip(parts, sizes) {
                unsafe part.withUnsafeBytes { part in
                    unsafe UnsafeMutableRawBufferPointer(rebasing: whole[place..<place + size]).copyMemory(from: part)
                }
                place += size
            }
        }
        return HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(material),
            salt: keychain.bytes,
            info: Array("mildam/1 keychain slot ".utf8) + [kind.rawValue],
            outputByteCount: 32
        )
    }

    /// Seals the content for whoever has the key.
    func seal(
        _ content: Content,
        under key: SymmetricKey,
        _ keychain: KeychainIdentifier
    ) throws(KeychainError) -> [UInt8] {
        let keys = [content.main] + (content.passcode.map { [$0] } ?? [])
        let whole = unsafe SecretBytes(count: keys.count * 32) { whole in
            for (index, key) in keys.enumerated() {
                unsafe key.withUnsafeBytes { key in
                    unsafe UnsafeMutableRawBufferPointer(rebasing: whole[index * 32..<index * 32 + 32])
                        .copyMemory(from: key)
                }
            }
        }
        return try KeyWrap.wrap(whole, under: key, for: purpose(keychain))
    }

    /// The content.
    ///
    /// - Returns: `nil` when the key is not the slot's, or the slot was changed.
    func open(_ sealed: [UInt8], under key: SymmetricKey, _ keychain: KeychainIdentifier) -> Content? {
        let count = kind.hasPasscode ? 64 : 32
        guard let whole = KeyWrap.unwrap(sealed, count: count, under: key, for: purpose(keychain)) else { return nil }
        return unsafe whole.withUnsafeBytes { whole in
            let main = unsafe SymmetricKey(data: UnsafeRawBufferPointer(rebasing: whole[..<32]))
            guard count == 64 else { return Content(main: main, passcode: nil) }
            return unsafe Content(
                main: main,
                passcode: SymmetricKey(data: UnsafeRawBufferPointer(rebasing: whole[32...]))
            )
        }
    }

    private func purpose(_ keychain: KeychainIdentifier) -> [UInt8] {
        Array("mildam/1 keychain slot".utf8) + keychain.bytes + wireBytes
    }
}

/// ```
/// struct {
///     uint8 version = 1; uint8 kind; uint64 created;
///     if passphrase: uint32 memory_kib; uint32 passes; opaque salt[16];
///     if enclave: opaque blob<1..4096>; opaque peer[65];
/// } KeySlot;
/// ```
extension KeySlot: WireEncodable, WireDecodable {
    func encode(into writer: inout WireWriter) {
        writer.integer(UInt8(1))
        writer.integer(kind.rawValue)
        writer.integer(UInt64(bitPattern: created))
        if let passphrase {
            passphrase.costs.encode(into: &writer)
            writer.fixed(passphrase.salt)
        }
        if let enclave {
            writer.vector(UInt16.self, enclave.blob)
            writer.fixed(enclave.peer)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        guard try reader.integer(UInt8.self) == 1 else { throw .invalidValue(field: "version") }
        guard let kind = SlotKind(rawValue: try reader.integer()) else { throw .invalidValue(field: "kind") }
        self.kind = kind
        created = Int64(bitPattern: try reader.integer(UInt64.self))
        if kind.stretchesPassphrase {
            let costs = try PassphraseCosts(from: &reader)
            passphrase = Passphrase(costs: costs, salt: try reader.fixed(KDF.Argon2id.saltByteCount))
        } else {
            passphrase = nil
        }
        if kind.usesEnclave {
            let blob = try reader.vector(UInt16.self, in: 1...EnclavePart.maximumBlob)
            enclave = EnclavePart(blob: blob, peer: try reader.fixed(EnclavePart.peerSize))
        } else {
            enclave = nil
        }
    }
}
