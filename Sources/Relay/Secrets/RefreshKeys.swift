import MildamCrypto

/// The keys that refresh tokens are derived under; the newest derives, the others repeat what they derived.
struct RefreshKeys: Sendable {
    /// One key and the number that rows name it by.
    struct Entry: Sendable {
        let id: UInt32
        let key: SymmetricKey
    }

    private let older: [Entry]
    /// The key that derives.
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
