import Foundation

/// A request's fields, as protobuf's JSON has them: names with underscores, bytes in base64. What is missing is empty.
struct Fields {
    private let values: [String: Any]

    init(_ values: [String: Any]) { self.values = values }

    func bytes(_ name: String) throws -> [UInt8] {
        guard let value = values[name] else { return [] }
        guard let text = value as? String, let data = Data(base64Encoded: text) else { throw InteropError.field(name) }
        return Array(data)
    }

    func list(_ name: String) throws -> [[UInt8]] {
        guard let value = values[name] else { return [] }
        guard let texts = value as? [String] else { throw InteropError.field(name) }
        return try texts.map { text in
            guard let data = Data(base64Encoded: text) else { throw InteropError.field(name) }
            return Array(data)
        }
    }

    func objects(_ name: String) throws -> [Fields] {
        guard let value = values[name] else { return [] }
        guard let objects = value as? [[String: Any]] else { throw InteropError.field(name) }
        return objects.map(Fields.init)
    }

    func object(_ name: String) throws -> Fields {
        guard let object = values[name] as? [String: Any] else { throw InteropError.field(name) }
        return Fields(object)
    }

    func text(_ name: String) throws -> String {
        guard let value = values[name] else { return "" }
        guard let text = value as? String else { throw InteropError.field(name) }
        return text
    }

    func flag(_ name: String) -> Bool { values[name] as? Bool ?? false }

    /// A number; protobuf's JSON writes those of 64 bits as strings.
    func number<Number: FixedWidthInteger>(_ name: String, _ type: Number.Type = Number.self) throws -> Number {
        guard let value = values[name] else { return 0 }
        let number =
            (value as? String).flatMap(Number.init) ?? (value as? NSNumber).flatMap { Number(exactly: $0.int64Value) }
        guard let number else { throw InteropError.field(name) }
        return number
    }
}

/// Why a call was not answered.
enum InteropError: Error, CustomStringConvertible {
    case call(String)
    case field(String)
    case state(UInt32)
    case message(String)
    case member
    case removed

    var description: String {
        switch self {
        case .call(let name): "no such call: \(name)"
        case .field(let name): "\(name) is not what it should be"
        case .state(let number): "no such state, transaction or signer: \(number)"
        case .message(let name): "\(name) is another kind of message"
        case .member: "no member has this identity"
        case .removed: "the commit removes this client"
        }
    }
}
