import FoundationEssentials
import MildamCrypto
import MildamWire

/// What stands in the index in place of a value: HMAC-SHA256 under a key of the class and the attribute, cut to 16 bytes.
///
/// Whoever reads the file sees that two items of a class share a value, and not which.
struct BlindIndex: ~Copyable {
    /// How many bytes of the code are kept.
    static let size = 16
    private let metadata: SymmetricKey
    private var authenticators: [UInt64: Keyed] = [:]

    /// A key that is expanded once.
    private final class Keyed {
        var authenticator: HMAC<SHA256>.Authenticator
        init(_ key: SymmetricKey) { authenticator = HMAC<SHA256>.Authenticator(key: key) }
    }

    init(_ metadata: SymmetricKey) { self.metadata = metadata }

    /// The entry for a value of an attribute.
    mutating func hash(_ itemClass: ItemClass, _ attribute: ItemAttribute, _ value: AttributeValue) -> [UInt8] {
        hash(itemClass, attribute.rawValue, value.wireBytes)
    }

    /// The entry for an item's primary key, of which there is one.
    mutating func primary(_ content: ItemContent) -> [UInt8] {
        primary(content.itemClass, content.attributes, content.accessGroup, content.isSynchronizable)
    }

    /// The entry for a primary key. What is missing is empty text, data of no bytes or zero, as Apple has it.
    mutating func primary(
        _ itemClass: ItemClass,
        _ attributes: ItemAttributes,
        _ group: String,
        _ isSynchronizable: Bool
    ) -> [UInt8] {
        var writer = WireWriter(capacity: 256)
        for attribute in itemClass.primaryKey {
            (attributes[attribute] ?? attribute.emptyValue).encode(into: &writer)
        }
        writer.text(UInt16.self, group)
        writer.integer(UInt8(isSynchronizable ? 1 : 0))
        return hash(itemClass, "primary key", writer.bytes)
    }

    /// Every entry of an item.
    mutating func entries(_ content: ItemContent) -> [[UInt8]] {
        var entries = [primary(content)]
        for (attribute, value) in content.attributes.sorted where attribute.isIndexed {
            entries.append(hash(content.itemClass, attribute, value))
        }
        return entries
    }

    private mutating func hash(_ itemClass: ItemClass, _ name: String, _ bytes: [UInt8]) -> [UInt8] {
        let place = UInt64(itemClass.rawValue) << 32 | name.utf8.prefix(4).reduce(0) { $0 << 8 | UInt64($1) }
        let keyed: Keyed
        if let known = authenticators[place] {
            keyed = known
        } else {
            let label = Array("mildam/1 keychain index \(itemClass.rawValue) \(name)".utf8)
            let key = HKDF<SHA256>.deriveKey(inputKeyMaterial: metadata, info: label, outputByteCount: 32)
            keyed = Keyed(key)
            authenticators[place] = keyed
        }
        let code = unsafe bytes.withUnsafeBytes { unsafe keyed.authenticator.authenticationCode(bufferPointer: $0) }
        return unsafe code.withUnsafeBytes { unsafe [UInt8]($0.prefix(Self.size)) }
    }
}

extension ItemAttribute {
    /// What a missing attribute counts as in a primary key.
    var emptyValue: AttributeValue {
        switch kind {
        case .text: .text("")
        case .data: .data([])
        case .number: .number(0)
        case .flag: .flag(false)
        case .date: .date(0)
        }
    }
}
