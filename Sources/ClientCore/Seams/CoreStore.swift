import MildamIdentity
import MildamMLS

/// Where a client's rooms are kept.
public protocol CoreStore {
    /// Stores all changes of a step, or none.
    ///
    /// - Throws: what keeps them from being stored.
    mutating func store(_ changes: [StoreChange]) throws

    /// Everything that is stored, for a client that begins. Rooms may be asleep, without their groups.
    ///
    /// - Throws: what keeps it from being read.
    func stored() throws -> StoredClient

    /// The group of a room that is asleep; `nil` where what is stored of it is damaged.
    ///
    /// - Throws: what keeps it from being read now.
    func group(of room: RoomID) throws -> Group?
}

/// What a client begins with.
public struct StoredClient: Sendable {
    /// The rooms, as they were stored.
    public let rooms: [RoomCore]
    /// The private parts of key packages.
    public let keyPackages: KeyPackageStock
    /// The rooms of which something that is stored does not open, among the others.
    public let damaged: Set<RoomID>

    /// What is stored; nothing, for a new client.
    public init(
        rooms: [RoomCore] = [],
        keyPackages: KeyPackageStock = KeyPackageStock(),
        damaged: Set<RoomID> = []
    ) {
        self.rooms = rooms
        self.keyPackages = keyPackages
        self.damaged = damaged
    }
}
