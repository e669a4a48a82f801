import MildamIdentity

/// What a path names: nothing, a handle, an id, or a blob of a room.
public protocol PathNames: Sendable {
    /// Reads the names where they stand in a path.
    ///
    /// - Throws: ``APIError`` with `bad_request` for an id or a handle that is none.
    init(_ path: Span<UInt8>, _ match: PathMatch) throws(APIError)

    /// The names as a path shows them.
    var texts: [String] { get }
}

/// What a path names that is always the same.
public struct NoNames: PathNames {
    /// Nothing.
    public init() {}

    /// Reads nothing.
    public init(_ path: Span<UInt8>, _ match: PathMatch) {}

    /// None.
    public var texts: [String] { [] }
}

extension Handle: PathNames {
    /// Reads a handle.
    public init(_ path: Span<UInt8>, _ match: PathMatch) throws(APIError) {
        guard let text = try? UTF8Span(validating: path.extracting(match[0])),
            let handle = try? Handle(String(copying: text))
        else { throw APIError(.badRequest, "a handle is 3 to 32 of a-z, 0-9, '_', '.', '-'") }
        self = handle
    }

    /// The handle.
    public var texts: [String] { [text] }
}

extension Identifier: PathNames {
    /// Reads an id.
    public init(_ path: Span<UInt8>, _ match: PathMatch) throws(APIError) {
        self = try Self.read(path.extracting(match[0]))
    }

    fileprivate static func read(_ part: Span<UInt8>) throws(APIError) -> Identifier {
        guard let identifier = try? Identifier(ascii: part) else {
            throw APIError(.badRequest, "an id is 26 characters of lower-case base32")
        }
        return identifier
    }

    /// The id.
    public var texts: [String] { [description] }
}

/// A blob, and the room that it is in.
public struct BlobPlace: PathNames, Equatable {
    /// The room.
    public let room: RoomID
    /// The blob.
    public let blob: BlobID

    /// A blob of a room.
    public init(_ room: RoomID, _ blob: BlobID) {
        self.room = room
        self.blob = blob
    }

    /// Reads both ids.
    public init(_ path: Span<UInt8>, _ match: PathMatch) throws(APIError) {
        room = try RoomID.read(path.extracting(match[0]))
        blob = try BlobID.read(path.extracting(match[1]))
    }

    /// Both ids.
    public var texts: [String] { [room.description, blob.description] }
}
