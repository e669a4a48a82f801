/// Which items are meant.
public struct KeychainQuery: Sendable {
    /// Whether items are meant that go to other devices (`kSecAttrSynchronizable`).
    public enum Synchronizable: UInt8, Sendable {
        /// Only those that do not: what Apple's queries mean when they say nothing.
        case no = 0
        /// Only those that do.
        case yes = 1
        /// Both (`kSecAttrSynchronizableAny`).
        case any = 2
    }

    /// How many (`kSecMatchLimit`).
    public enum Limit: Equatable, Sendable {
        /// The first.
        case one
        /// So many at most.
        case atMost(Int)
        /// Every one.
        case all

        /// As a number.
        var count: Int {
            switch self {
            case .one: 1
            case .atMost(let count): count
            case .all: .max
            }
        }
    }

    /// The kind; `nil` only where a reference says it all.
    public var itemClass: ItemClass?
    /// Attributes that an item has to have, byte by byte.
    public var attributes: ItemAttributes
    /// The group; `nil` is every group that the program may use.
    public var accessGroup: String?
    /// Whether items are meant that go to other devices.
    public var synchronizable = Synchronizable.no
    /// Only items that can be read at these times.
    public var accessibility: Accessibility?
    /// This very item.
    public var reference: ItemReference?

    /// Items of a kind that have these attributes.
    public init(_ itemClass: ItemClass, _ attributes: ItemAttributes = [:]) {
        self.itemClass = itemClass
        self.attributes = attributes
    }

    /// One item.
    public init(_ reference: ItemReference) {
        attributes = [:]
        self.reference = reference
        synchronizable = .any
    }

    /// The password of an account with a service.
    public static func genericPassword(service: String, account: String? = nil) -> KeychainQuery {
        var query = KeychainQuery(.genericPassword, [.service: .text(service)])
        if let account { query.attributes[.account] = .text(account) }
        return query
    }

    /// The password of an account with a server.
    public static func internetPassword(server: String, account: String? = nil) -> KeychainQuery {
        var query = KeychainQuery(.internetPassword, [.server: .text(server)])
        if let account { query.attributes[.account] = .text(account) }
        return query
    }

    /// The key with an application tag.
    public static func key(tag: [UInt8]) -> KeychainQuery {
        KeychainQuery(.key, [.applicationTag: .data(tag)])
    }
}
