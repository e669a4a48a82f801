/// A JSON value that is written by hand; members are encoded in the order of their names.
enum JSONNode: Encodable, Equatable, Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    case text(String)
    case number(Int)
    case truth(Bool)
    case list([JSONNode])
    case object([String: JSONNode])

    init(stringLiteral value: String) { self = .text(value) }
    init(integerLiteral value: Int) { self = .number(value) }
    init(booleanLiteral value: Bool) { self = .truth(value) }
    init(arrayLiteral elements: JSONNode...) { self = .list(elements) }
    init(dictionaryLiteral elements: (String, JSONNode)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }

    /// A member of an object; setting it on anything else does nothing.
    subscript(name: String) -> JSONNode? {
        get { if case .object(let members) = self { members[name] } else { nil } }
        set {
            guard case .object(var members) = self else { return }
            members[name] = newValue
            self = .object(members)
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .number(let number): try container.encode(number)
        case .truth(let truth): try container.encode(truth)
        case .list(let list): try container.encode(list)
        case .object(let members): try container.encode(members)
        }
    }
}
