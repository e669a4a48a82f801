import MildamCrypto
import MildamWire

/// An item as a line of a bundle: see ``KeychainBundle``.
enum BundleItem {
    /// Apple's codes of the classes (`kSecClass…`).
    private static let classes: [(ItemClass, String)] = [
        (.genericPassword, "genp"), (.internetPassword, "inet"), (.certificate, "cert"), (.key, "keys"),
    ]
    /// Apple's codes of what may leave the device (`kSecAttrAccessible…`).
    private static let accessibilities: [(Accessibility, String)] = [(.whenUnlocked, "ak"), (.afterFirstUnlock, "ck")]

    // MARK: Writing

    /// Appends the line of an item.
    ///
    /// - Returns: whether the format has a place for it.
    static func append(_ item: KeychainItem, _ secret: SecretValue, to line: inout SecretBuilder) -> Bool {
        guard let itemClass = classes.first(where: { $0.0 == item.itemClass })?.1,
            let accessible = accessibilities.first(where: { $0.0 == item.accessibility })?.1
        else { return false }
        line.append("{\"class\":\"\(itemClass)\",\"accessible\":\"\(accessible)\",\"group\":")
        append(item.accessGroup, to: &line)
        line.append(",\"synchronizable\":\(item.isSynchronizable),\"attributes\":{")
        for (place, (attribute, value)) in item.attributes.sorted.enumerated() {
            if place > 0 { line.append(",") }
            line.append("\"\(attribute.rawValue)\":")
            switch value {
            case .text(let text): append(text, to: &line)
            case .data(let bytes): append(base64: bytes.span, to: &line)
            case .number(let number), .date(let number): line.append("\(number)")
            case .flag(let flag): line.append("\(flag)")
            }
        }
        line.append("},\"secret\":")
        secret.withSpan { append(base64: $0, to: &line) }
        line.append("}\n")
        return true
    }

    private static func append(_ text: String, to line: inout SecretBuilder) {
        line.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                line.append(UInt8(ascii: "\\"))
                line.append(byte)
            case 0..<0x20:
                line.append("\\u00")
                line.append(Hex.encode([byte]))
            default: line.append(byte)
            }
        }
        line.append(UInt8(ascii: "\""))
    }

    private static func append(base64 bytes: Span<UInt8>, to line: inout SecretBuilder) {
        line.append(UInt8(ascii: "\""))
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        Base64.standard.encode(bytes, into: &text)
        line.append(text.span)
        text.wipe()
        line.append(UInt8(ascii: "\""))
    }

    // MARK: Reading

    /// The item that a line is.
    static func read(_ line: Span<UInt8>) throws(RowDefect) -> NewItem {
        guard let node = try? JSONReader.read(line), let members = node.members else {
            throw .notAnItem(reason: "it is no JSON object")
        }
        for name in members.keys where !names.contains(name) {
            throw .notAnItem(reason: "it has a member that is not known")
        }
        let code = node["class"]?.string(in: line)
        guard let itemClass = classes.first(where: { $0.1 == code })?.0 else {
            throw .notAnItem(reason: "its class is not known")
        }
        let accessible = node["accessible"]?.string(in: line)
        guard let accessibility = accessibilities.first(where: { $0.1 == accessible })?.0 else {
            throw .notAnItem(reason: "when it can be read is not known")
        }
        guard let group = node["group"]?.string(in: line), let isSynchronizable = node["synchronizable"]?.flag,
            let values = node["attributes"]?.members
        else { throw .notAnItem(reason: "a member is missing") }
        var attributes = ItemAttributes()
        for (code, value) in values {
            guard let attribute = ItemAttribute(rawValue: code), let value = read(value, attribute.kind, line) else {
                throw .notAnItem(reason: "an attribute is not known, or of another kind")
            }
            attributes[attribute] = value
        }
        guard let secret = node["secret"].flatMap({ BundleItem.secret($0, line) }) else {
            throw .notAnItem(reason: "its secret is no base64")
        }
        var item = NewItem(itemClass, attributes, secret: secret)
        item.accessGroup = group
        item.accessibility = accessibility
        item.isSynchronizable = isSynchronizable
        return item
    }

    private static let names: Set = ["class", "accessible", "group", "synchronizable", "attributes", "secret"]

    private static func read(_ node: JSONNode, _ kind: AttributeValue.Kind, _ line: Span<UInt8>) -> AttributeValue? {
        switch kind {
        case .text: node.string(in: line).map { .text($0) }
        case .data: node.string(in: line).flatMap { try? Base64.standard.decode($0) }.map { .data($0) }
        case .number: node.integer(in: line).map { .number($0) }
        case .date: node.integer(in: line).map { .date($0) }
        case .flag: node.flag.map { .flag($0) }
        }
    }

    private static func secret(_ node: JSONNode, _ line: Span<UInt8>) -> SecretValue? {
        guard let text = node.secret(in: line), let bytes = SecretBytes(base64: text.span) else { return nil }
        return SecretValue(bytes)
    }
}
