import MildamWire

/// What a program asks the agent for.
enum AgentRequest: Sendable {
    /// How open the keychain is.
    case state
    /// Open it.
    case unlock(SlotSecret)
    /// Forget the keys that end with the lock.
    case lock
    case add(NewItem)
    case set(NewItem)
    case copyMatching(KeychainQuery, limit: KeychainQuery.Limit, returningSecrets: Bool)
    case update(KeychainQuery, ItemChange)
    case delete(KeychainQuery)
    /// Look at every row. This and what follows, down to `auditLog`, is for the owner's own tool.
    case verify
    case grants
    case grant(AccessGrant)
    case revoke(AccessGrant)
    case auditLog
    /// End the agent: whoever may ask could kill it as well.
    case stop
    /// Which agent this is, and what it keeps.
    case hello
    /// Forget every key.
    case close
    /// How many items can be read as it is.
    case readable
    /// Remove an item, and keep it.
    case trash(ItemReference)
    /// Change an item, and keep the secret that it had; with a time (milliseconds since 1970), only where the item was last
    /// changed then.
    case replace(ItemReference, ItemChange, unlessChangedSince: Int64?)
    /// What is kept of an item, or of all.
    case past(of: ItemReference?)
    case pastSecret(Int64)
    /// Put back what is kept.
    case restore(Int64)
    /// Take away for good one past item, or all that was removed.
    case forget(Int64?)
    /// Remove an item for good, with what is kept of it and the copies.
    case erase(ItemReference)
    /// Put back what is kept, where the item was last changed then or, without a time, is not there.
    case restoreUnchanged(Int64, Int64?)

    /// Whether only the owner's own tool may ask for it.
    var isForOwner: Bool {
        switch self {
        case .hello, .state, .unlock, .lock, .close, .readable, .stop: false
        case .add, .set, .copyMatching, .update, .delete: false
        case .trash, .replace, .past, .pastSecret, .restore, .restoreUnchanged, .forget, .erase: false
        case .verify, .grants, .grant, .revoke, .auditLog: true
        }
    }

    /// Throws `invalidRequest` for what the keychain would refuse by its form: there may be no way to write it.
    func check() throws(KeychainError) {
        switch self {
        case .unlock(let secret): try secret.check()
        case .add(let item), .set(let item): try item.check()
        case .copyMatching(let query, _, _), .delete(let query): try query.check()
        case .update(let query, let change):
            try query.check()
            try change.check()
        case .replace(_, let change, _): try change.check()
        case .grant(let grant), .revoke(let grant): try grant.check()
        case .hello, .state, .lock, .close, .readable, .verify, .grants, .auditLog, .stop: break
        case .trash, .past, .pastSecret, .restore, .forget, .erase, .restoreUnchanged: break
        }
    }
}

/// ```
/// struct { uint8 kind; … } AgentRequest;
/// ```
extension AgentRequest: WireEncodable, WireDecodable {
    func encode(into writer: inout WireWriter) {
        switch self {
        case .state: writer.integer(UInt8(1))
        case .unlock(let secret):
            writer.integer(UInt8(2))
            secret.encode(into: &writer)
        case .lock: writer.integer(UInt8(3))
        case .add(let item):
            writer.integer(UInt8(4))
            item.encode(into: &writer)
        case .set(let item):
            writer.integer(UInt8(5))
            item.encode(into: &writer)
        case .copyMatching(let query, let limit, let returningSecrets):
            writer.integer(UInt8(6))
            query.encode(into: &writer)
            writer.integer(UInt32(clamping: limit.count))
            writer.integer(UInt8(returningSecrets ? 1 : 0))
        case .update(let query, let change):
            writer.integer(UInt8(7))
            query.encode(into: &writer)
            change.encode(into: &writer)
        case .delete(let query):
            writer.integer(UInt8(8))
            query.encode(into: &writer)
        case .verify: writer.integer(UInt8(9))
        case .grants: writer.integer(UInt8(10))
        case .grant(let grant):
            writer.integer(UInt8(11))
            grant.encode(into: &writer)
        case .revoke(let grant):
            writer.integer(UInt8(12))
            grant.encode(into: &writer)
        case .auditLog: writer.integer(UInt8(13))
        case .stop: writer.integer(UInt8(14))
        case .hello: writer.integer(UInt8(15))
        case .close: writer.integer(UInt8(16))
        case .readable: writer.integer(UInt8(17))
        case .trash(let reference):
            writer.integer(UInt8(18))
            reference.encode(into: &writer)
        case .replace(let reference, let change, let time):
            writer.integer(UInt8(19))
            reference.encode(into: &writer)
            change.encode(into: &writer)
            writer.optional(time) { $1.integer(UInt64(bitPattern: $0)) }
        case .past(let reference):
            writer.integer(UInt8(20))
            writer.optional(reference) { $0.encode(into: &$1) }
        case .pastSecret(let number):
            writer.integer(UInt8(21))
            writer.integer(UInt64(bitPattern: number))
        case .restore(let number):
            writer.integer(UInt8(22))
            writer.integer(UInt64(bitPattern: number))
        case .forget(let number):
            writer.integer(UInt8(23))
            writer.optional(number) { $1.integer(UInt64(bitPattern: $0)) }
        case .erase(let reference):
            writer.integer(UInt8(24))
            reference.encode(into: &writer)
        case .restoreUnchanged(let number, let time):
            writer.integer(UInt8(25))
            writer.integer(UInt64(bitPattern: number))
            writer.optional(time) { $1.integer(UInt64(bitPattern: $0)) }
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.integer(UInt8.self) {
        case 1: self = .state
        case 2: self = .unlock(try SlotSecret(from: &reader))
        case 3: self = .lock
        case 4: self = .add(try NewItem(from: &reader))
        case 5: self = .set(try NewItem(from: &reader))
        case 6:
            let query = try KeychainQuery(from: &reader)
            let limit = KeychainQuery.Limit.atMost(Int(try reader.integer(UInt32.self)))
            self = .copyMatching(query, limit: limit, returningSecrets: try reader.flag())
        case 7:
            let query = try KeychainQuery(from: &reader)
            self = .update(query, try ItemChange(from: &reader))
        case 8: self = .delete(try KeychainQuery(from: &reader))
        case 9: self = .verify
        case 10: self = .grants
        case 11: self = .grant(try AccessGrant(from: &reader))
        case 12: self = .revoke(try AccessGrant(from: &reader))
        case 13: self = .auditLog
        case 14: self = .stop
        case 15: self = .hello
        case 16: self = .close
        case 17: self = .readable
        case 18: self = .trash(try ItemReference(from: &reader))
        case 19:
            let reference = try ItemReference(from: &reader)
            let change = try ItemChange(from: &reader)
            self = .replace(reference, change, unlessChangedSince: try reader.flag() ? try reader.number() : nil)
        case 20: self = .past(of: try reader.flag() ? try ItemReference(from: &reader) : nil)
        case 21: self = .pastSecret(try reader.number())
        case 22: self = .restore(try reader.number())
        case 23: self = .forget(try reader.flag() ? try reader.number() : nil)
        case 24: self = .erase(try ItemReference(from: &reader))
        case 25:
            let number = try reader.number()
            self = .restoreUnchanged(number, try reader.flag() ? try reader.number() : nil)
        default: throw .invalidValue(field: "request")
        }
    }
}
