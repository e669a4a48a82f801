/// What a client serves: the rooms of a profile, and what is known beside them.
public struct ClientService: Sendable {
    /// The rooms.
    public let rooms: any RoomService
    /// What is known beside them.
    public let book: any ProfileBook
    /// What sends and saves files; `nil` where there can be none.
    public let files: FileTransfers?
    /// What strangers ask; `nil` where nobody can ask anything.
    public let requests: (any RequestService)?

    /// What a client serves.
    public init(
        rooms: any RoomService,
        book: any ProfileBook,
        files: FileTransfers? = nil,
        requests: (any RequestService)? = nil
    ) {
        self.rooms = rooms
        self.book = book
        self.files = files
        self.requests = requests
    }
}

/// Who lends a profile to programs that work with it by themselves, and has it back. One call at a time.
public protocol ProfileLender: Sendable {
    /// Lets the profile go: when this returns nothing of this process works with it any more.
    ///
    /// - Throws: ``RoomFault``: `not-lent`. What was served may have ended all the same: the profile is to be had back.
    func lend() async throws(RoomFault)

    /// Has the profile back, once nobody else works with it, and opens it as it is now.
    ///
    /// - Throws: `CancellationError`; the profile is nobody's then. What else keeps it from being opened: it is over.
    func reclaim() async throws -> ClientService
}
