import MildamWire

/// A key's private half as a TPM gives it away: encrypted and authenticated under the storage key, which is in the TPM.
///
///     struct {
///         opaque storage_key_name[34];
///         opaque chip_name<0..34>;            // 0 or 34 bytes
///         opaque private<1..1024>;            // the content of TPM2B_PRIVATE
///     } TPMProtectedKey;
///
/// The public area is not part of it: it follows from the key's purpose, its PIN and its point
/// (`TPMTemplate.key`), so that nobody can write another one, such as of a key that may leave the TPM.
struct TPMProtectedKey: Sendable, Hashable, WireEncodable, WireDecodable {
    /// The storage key's Name when the key was made.
    let storageKeyName: TPMName
    /// What tells this TPM from others even after it was cleared; `nil` where its owner forbids to ask.
    let chipName: TPMName?
    /// The content of TPM2B_PRIVATE (TPM 2.0 part 2, section 12.3.7).
    let privateArea: [UInt8]

    func encode(into writer: inout WireWriter) {
        writer.fixed(storageKeyName.bytes)
        writer.vector(UInt8.self, chipName?.bytes ?? [])
        writer.vector(UInt16.self, privateArea)
    }
}

extension TPMProtectedKey {
    @_lifetime(reader: copy reader)
    init(from reader: inout WireReader) throws(WireError) {
        storageKeyName = try TPMName(bytes: try reader.fixed(TPMName.byteCount))
        let chip = try reader.vector(UInt8.self, in: 0...TPMName.byteCount)
        chipName = chip.isEmpty ? nil : try TPMName(bytes: chip)
        privateArea = try reader.vector(UInt16.self, in: 1...1024)
    }
}
