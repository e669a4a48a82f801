import MildamStorage
import MildamWire

/// What an item's row says about it, once opened.
struct ItemContent: Equatable, Sendable {
    let itemClass: ItemClass
    let accessibility: Accessibility
    let accessGroup: String
    let isSynchronizable: Bool
    let attributes: ItemAttributes

    /// The most bytes of a group's name.
    static let maximumGroup = 1024

    /// What is sealed as the row's `attributes`.
    ///
    /// ```
    /// struct { opaque access_group<1..1024>; uint8 synchronizable; ItemAttributes attributes; }
    /// ```
    var sealedPart: [UInt8] {
        var writer = WireWriter(capacity: 512)
        writer.text(UInt16.self, accessGroup)
        writer.integer(UInt8(isSynchronizable ? 1 : 0))
        attributes.encode(into: &writer)
        return writer.takeBytes()
    }

    init(
        _ itemClass: ItemClass,
        _ accessibility: Accessibility,
        group: String,
        isSynchronizable: Bool,
        _ attributes: ItemAttributes
    ) {
        self.itemClass = itemClass
        self.accessibility = accessibility
        accessGroup = group
        self.isSynchronizable = isSynchronizable
        self.attributes = attributes
    }

    /// - Throws: `WireError` for what this program would not have sealed.
    init(_ row: ItemRow, opened: Span<UInt8>) throws(WireError) {
        guard let itemClass = UInt8(exactly: row.itemClass).flatMap(ItemClass.init),
            let accessibility = UInt8(exactly: row.accessibility).flatMap(Accessibility.init)
        else { throw .invalidValue(field: "class") }
        var reader = WireReader(opened)
        let group = try reader.text(UInt16.self, in: 1...Self.maximumGroup)
        let isSynchronizable = try reader.flag()
        let attributes = try ItemAttributes(from: &reader)
        try reader.finish()
        self.init(itemClass, accessibility, group: group, isSynchronizable: isSynchronizable, attributes)
    }

    /// What names the row, for the seal of its attributes.
    static func place(
        _ number: Int64,
        _ version: Int64,
        _ itemClass: Int64,
        _ accessibility: Int64
    ) -> [RowSealer.KeyPart] {
        [.integer(number), .integer(version), .integer(itemClass), .integer(accessibility)]
    }

    /// What the item's key and its secret are bound to: class, group, accessibility, place and version.
    func secretPlace(_ number: Int64, _ version: Int64) -> [UInt8] {
        var writer = WireWriter(capacity: 96)
        writer.fixed("mildam/1 keychain item".utf8)
        writer.integer(UInt64(bitPattern: number))
        writer.integer(UInt64(bitPattern: version))
        writer.integer(itemClass.rawValue)
        writer.integer(accessibility.rawValue)
        writer.integer(UInt8(isSynchronizable ? 1 : 0))
        writer.text(UInt16.self, accessGroup)
        return writer.bytes
    }

    /// Whether the item is one of those that are meant.
    func matches(_ query: KeychainQuery, _ scope: AccessScope) -> Bool {
        guard query.itemClass == nil || query.itemClass == itemClass else { return false }
        guard scope.contains(accessGroup), query.accessGroup == nil || query.accessGroup == accessGroup else {
            return false
        }
        guard query.accessibility == nil || query.accessibility == accessibility else { return false }
        switch query.synchronizable {
        case .any: break
        case .no: if isSynchronizable { return false }
        case .yes: if !isSynchronizable { return false }
        }
        return attributes.include(query.attributes)
    }
}
