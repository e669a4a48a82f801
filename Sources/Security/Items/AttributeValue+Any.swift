import FoundationEssentials
import MildamKeychain

extension AttributeValue {
    /// A value of a dictionary as an attribute's. Texts come as UTF-8 data, too, and data as text, because Apple keeps
    /// accounts, services and tags as either; numbers come as decimal digits, as the constants of key types do.
    ///
    /// - Throws: `errSecParam` for what the attribute cannot have.
    init(_ value: Any, of attribute: ItemAttribute) throws(Refusal) {
        guard let converted = AttributeValue.convert(value, to: attribute.kind) else {
            throw .parameter("the value of \"\(attribute.rawValue)\" is no \(attribute.kind)")
        }
        self = converted
    }

    private static func convert(_ value: Any, to kind: Kind) -> AttributeValue? {
        switch kind {
        case .text: text(value).map(AttributeValue.text)
        case .data: bytes(value).map(AttributeValue.data)
        case .number: number(value).map(AttributeValue.number)
        case .flag: flag(value).map(AttributeValue.flag)
        case .date: milliseconds(value).map(AttributeValue.date)
        }
    }

    private static func text(_ value: Any) -> String? {
        if let text = value as? String { return text }
        guard let data = value as? Data else { return nil }
        return String(validating: data, as: UTF8.self)
    }

    /// Bytes, or a text's UTF-8.
    static func bytes(_ value: Any) -> [UInt8]? {
        if let data = value as? Data { return Array(data) }
        if let bytes = value as? [UInt8] { return bytes }
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

    private static func milliseconds(_ value: Any) -> Int64? {
        guard let date = value as? Date else { return nil }
        return Int64(exactly: (date.timeIntervalSince1970 * 1000).rounded())
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
