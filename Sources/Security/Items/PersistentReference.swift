import FoundationEssentials
import MildamKeychain
import MildamWire

/// What `kSecReturnPersistentRef` gives: 28 bytes, which stay the same through every update.
///
/// ```
/// struct {
///     opaque class[4];        /* "genp", "inet", "cert", "keys" or "idnt" */
///     opaque keychain[16];
///     uint64 number;          /* of the item; of an identity, that of its certificate */
/// } PersistentReference;
/// ```
struct PersistentReference: Equatable, Sendable {
    static let size = 4 + KeychainIdentifier.size + 8
    let itemClass: ItemClass
    let item: ItemReference

    init(_ itemClass: ItemClass, _ item: ItemReference) {
        self.itemClass = itemClass
        self.item = item
    }

    /// - Throws: `errSecInvalidItemRef` for other bytes.
    init(_ data: Data) throws(Refusal) {
        guard data.count == Self.size, let read = try? PersistentReference(wireBytes: Array(data)) else {
            throw Refusal(errSecInvalidItemRef, "this is no reference to an item")
        }
        self = read
    }

    var data: Data { Data(wireBytes) }
}

extension PersistentReference: WireEncodable, WireDecodable {
    func encode(into writer: inout WireWriter) {
        writer.fixed(itemClass.constant.utf8)
        writer.fixed(item.keychain.bytes)
        writer.integer(UInt64(bitPattern: item.number))
    }

    init(from reader: inout WireReader) throws(WireError) {
        let name = String(decoding: try reader.fixed(4), as: UTF8.self)
        guard let itemClass = ItemClass.allCases.first(where: { $0.constant == name }) else {
            throw .invalidValue(field: "class")
        }
        guard let keychain = KeychainIdentifier(try reader.fixed(KeychainIdentifier.size)) else {
            throw .invalidValue(field: "keychain")
        }
        let number = Int64(bitPattern: try reader.integer(UInt64.self))
        guard number > 0 else { throw .invalidValue(field: "number") }
        self.init(itemClass, ItemReference(keychain: keychain, number: number))
    }
}
