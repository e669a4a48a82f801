import MildamCrypto

/// Keys that rows name by a number: the newest is used for what is new, the others for what was made under them.
struct NumberedKeys: Sendable {
    /// One key and the number that rows name it by.
    struct Entry: Sendable {
        let id: UInt32
        let key: SymmetricKey
    }

    private let older: [Entry]
    /// The key for what is new.
    let newest: Entry

    /// Keys in the order in which they were made.
    init(older: [Entry] = [], newest: Entry) {
        self.older = older
        self.newest = newest
    }

    /// The key of this number.
    subscript(id: UInt32) -> SymmetricKey? {
        all.first { $0.id == id }?.key
    }

    /// All of them, oldest first.
    var all: [Entry] { older + [newest] }
}

/// The keys that refresh tokens are derived under.
typealias RefreshKeys = NumberedKeys

/// The keys that the secrets of second factors are sealed under.
typealias CodeKeys = NumberedKeys
