import MildamWire

/// What a message's extension fields may be, known or not (draft-ietf-mimi-content-08, "CBOR Data Model and Encoding
/// Restrictions").
enum ExtensionField {
    /// How many levels of maps, lists and tags there are at most; the map of all fields is the first.
    static let maximumLevels = 4

    /// Whether every field has a name, and nothing in it is too deep.
    static func areAllowed(_ fields: CBORMap) -> Bool {
        fields.entries.allSatisfy { isName($0.key) && isAllowed($0.value, levels: maximumLevels - 1) }
    }

    /// Whether this names a field: an integer, or a text of 1 to 255 bytes.
    private static func isName(_ key: CBORValue) -> Bool {
        switch key {
        case .unsigned, .negative: true
        case .text(let text): (1...255).contains(text.utf8.count)
        case .bytes, .array, .map, .uri, .bool, .null: false
        }
    }

    /// Whether an item may stand where so many levels are left.
    private static func isAllowed(_ value: CBORValue, levels: Int) -> Bool {
        switch value {
        case .unsigned, .negative, .bytes, .text, .bool, .null: true
        case .uri: levels > 0
        case .array(let elements): levels > 0 && elements.allSatisfy { isAllowed($0, levels: levels - 1) }
        case .map(let map):
            levels > 0 && map.entries.allSatisfy { isKey($0.key) && isAllowed($0.value, levels: levels - 1) }
        }
    }

    /// Whether this is a key of a map within a field: an integer, a text, or bytes.
    private static func isKey(_ key: CBORValue) -> Bool {
        switch key {
        case .unsigned, .negative, .text, .bytes: true
        case .array, .map, .uri, .bool, .null: false
        }
    }
}
