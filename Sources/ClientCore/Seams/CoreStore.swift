/// Where a client's rooms are kept.
public protocol CoreStore {
    /// Stores all changes of a step, or none.
    ///
    /// - Throws: what keeps them from being stored.
    mutating func store(_ changes: [StoreChange]) throws

    /// Everything that is stored, for a client that begins.
    ///
    /// - Throws: what keeps it from being read.
    func stored() throws -> StoredClient
}

/// What a client begins with.
public struct StoredClient: Sendable {
    /// The rooms, as they were stored.
    public let rooms: [RoomCore]
    /// The private parts of key packages.
    public let keyPackages: KeyPackageStock

    /// What is stored; nothing, for a new client.
    public init(rooms: [RoomCore] = [], keyPackages: KeyPackageStock = KeyPackageStock()) {
        self.rooms = rooms
        self.keyPackages = keyPackages
    }
}
