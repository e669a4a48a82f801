import FoundationEssentials
import MildamKeychain

extension AttributeValue {
    /// A value of a dictionary as an attribute's.
    ///
    /// - Throws: `errSecParam` for what the attribute cannot have.
    init(_ value: Any, of attribute: ItemAttribute) throws(Refusal) {
        let converted: AttributeValue? =
            switch attribute.kind {
            case .text: DictionaryValue.text(value).map { .text($0) }
            case .data: DictionaryValue.bytes(value).map { .data($0) }
            case .number: DictionaryValue.number(value).map { .number($0) }
            case .flag: DictionaryValue.flag(value).map { .flag($0) }
            case .date: DictionaryValue.milliseconds(value).map { .date($0) }
            }
        guard let converted else { throw .parameter("the value of \"\(attribute.rawValue)\" is no \(attribute.kind)") }
        self = converted
    }

    /// As a dictionary has it.
    var object: Any {
        switch self {
        case .text(let text): text
        case .data(let bytes): Data(bytes)
        case .number(let number): Int(number)
        case .flag(let flag): flag
        case .date(let milliseconds): Date(timeIntervalSince1970: Double(milliseconds) / 1000)
        }
    }
}

/// Reads values of dictionaries. Texts come as UTF-8 data, too, and data as text, because Apple keeps accounts, services
/// and tags as either; numbers come as decimal digits, as the constants of key types do.
enum DictionaryValue {
    /// A text, or its UTF-8.
    static func text(_ value: Any) -> String? {
        if let text = value as? String { return text }
        guard let data = value as? Data else { return nil }
        return String(validating: data, as: UTF8.self)
    }

    /// Bytes, or a text's UTF-8.
    static func bytes(_ value: Any) -> [UInt8]? {
        if let data = value as? Data { return Array(data) }
        return (value as? String).map { Array($0.utf8) }
    }

    /// An integer of any type, or its decimal digits.
    static func number(_ value: Any) -> Int64? {
        if let text = value as? String { return Int64(text).flatMap { String($0) == text ? $0 : nil } }
        if let integer = value as? any BinaryInteger { return Int64(exactly: integer) }
        return (value as? Int).map(Int64.init)
    }

    /// A flag, or 0 or 1.
    static func flag(_ value: Any) -> Bool? {
        if let flag = value as? Bool { return flag }
        return switch number(value) {
        case 0: false
        case 1: true
        default: nil
        }
    }

    /// A date, in milliseconds since 1970.
    static func milliseconds(_ value: Any) -> Int64? {
        guard let date = value as? Date else { return nil }
        return Int64(exactly: (date.timeIntervalSince1970 * 1000).rounded())
    }
}
