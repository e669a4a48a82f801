import MildamWire

/// What the agent answers.
enum AgentReply: Sendable {
    case done
    case failed(KeychainError)
    case state(KeychainState, KeychainIdentifier, LocalKeychain.CounterState)
    case reference(ItemReference)
    case items([KeychainItem])
    case count(Int)
    case report(KeychainReport)
    case grants([AccessGrant])
    case auditLog([AuditRecord])
    case agent(AgentInfo)
    case past([PastItem])
    case secret(SecretValue)
}

/// ```
/// struct { uint8 kind; … } AgentReply;
/// ```
extension AgentReply: WireEncodable, WireDecodable {
    func encode(into writer: inout WireWriter) {
        switch self {
        case .done: writer.integer(UInt8(0))
        case .failed(let error):
            writer.integer(UInt8(1))
            error.encode(into: &writer)
        case .state(let state, let identifier, let counter):
            writer.integer(UInt8(2))
            writer.integer(state.rawValue)
            writer.fixed(identifier.bytes)
            counter.encode(into: &writer)
        case .reference(let reference):
            writer.integer(UInt8(3))
            reference.encode(into: &writer)
        case .items(let items): Self.encode(4, items, into: &writer)
        case .count(let count):
            writer.integer(UInt8(5))
            writer.integer(UInt64(count))
        case .report(let report):
            writer.integer(UInt8(6))
            report.encode(into: &writer)
        case .grants(let grants): Self.encode(7, grants, into: &writer)
        case .auditLog(let records): Self.encode(8, records, into: &writer)
        case .agent(let info):
            writer.integer(UInt8(9))
            info.encode(into: &writer)
        case .past(let items): Self.encode(10, items, into: &writer)
        case .secret(let secret):
            writer.integer(UInt8(11))
            writer.secret(secret)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.integer(UInt8.self) {
        case 0: self = .done
        case 1: self = .failed(try KeychainError(from: &reader))
        case 2:
            let state = try reader.value(KeychainState.self)
            guard let identifier = KeychainIdentifier(try reader.fixed(KeychainIdentifier.size)) else {
                throw .invalidValue(field: "identifier")
            }
            self = .state(state, identifier, try LocalKeychain.CounterState(from: &reader))
        case 3: self = .reference(try ItemReference(from: &reader))
        case 4: self = .items(try Self.list(&reader))
        case 5: self = .count(try reader.count())
        case 6: self = .report(try KeychainReport(from: &reader))
        case 7: self = .grants(try Self.list(&reader))
        case 8: self = .auditLog(try Self.list(&reader))
        case 9: self = .agent(try AgentInfo(from: &reader))
        case 10: self = .past(try Self.list(&reader))
        case 11: self = .secret(try reader.secret())
        default: throw .invalidValue(field: "reply")
        }
    }

    private static func encode(_ kind: UInt8, _ list: [some WireEncodable], into writer: inout WireWriter) {
        writer.integer(kind)
        writer.integer(UInt32(list.count))
        for element in list { element.encode(into: &writer) }
    }

    /// Each element has a byte at least, so that no count makes for more than the frame has.
    private static func list<Element: WireDecodable>(_ reader: inout WireReader) throws(WireError) -> [Element] {
        let count = Int(try reader.integer(UInt32.self))
        guard count <= reader.remaining else { throw .lengthOutOfRange(count) }
        var list: [Element] = []
        for _ in 0..<count { list.append(try Element(from: &reader)) }
        return list
    }
}

extension KeychainReport: WireEncodable, WireDecodable {
    /// Appends the report.
    public func encode(into writer: inout WireWriter) {
        writer.integer(UInt64(items))
        writer.integer(UInt64(unopened))
        writer.integer(UInt32(damaged.count))
        for number in damaged { writer.integer(UInt64(bitPattern: number)) }
        writer.optional(problem) { $0.encode(into: &$1) }
    }

    /// Reads a report.
    public init(from reader: inout WireReader) throws(WireError) {
        self.init()
        items = try reader.count()
        unopened = try reader.count()
        let count = Int(try reader.integer(UInt32.self))
        guard count <= reader.remaining / 8 else { throw .lengthOutOfRange(count) }
        for _ in 0..<count { damaged.append(Int64(bitPattern: try reader.integer(UInt64.self))) }
        problem = try reader.flag() ? try KeychainError(from: &reader) : nil
    }
}

/// ```
/// struct { uint8 state; if unknown: opaque reason<0..2^16-1>; } CounterState;
/// ```
extension LocalKeychain.CounterState: WireEncodable, WireDecodable {
    /// Appends the state.
    public func encode(into writer: inout WireWriter) {
        switch self {
        case .none: writer.integer(UInt8(0))
        case .agrees: writer.integer(UInt8(1))
        case .unknown(let reason):
            writer.integer(UInt8(2))
            writer.text(UInt16.self, String(reason.prefix(1000)))
        }
    }

    /// Reads a state.
    public init(from reader: inout WireReader) throws(WireError) {
        switch try reader.integer(UInt8.self) {
        case 0: self = .none
        case 1: self = .agrees
        case 2: self = .unknown(reason: try reader.text(UInt16.self, in: 0...4096))
        default: throw .invalidValue(field: "counter")
        }
    }
}
