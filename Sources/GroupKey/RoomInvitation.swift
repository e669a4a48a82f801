import FoundationEssentials
import MildamCrypto
import MildamIdentity
import MildamWire

/// What an envelope holds: the room key, and what a member must know to take part from here on.
///
/// ```
/// struct {
///     opaque room_key[32];
///     opaque name<0..255>;
///     uint64 number;                 // the last message before the one this envelope came with
///     opaque running_hash[32];       // of everything up to that message
///     uint16 count;                  // 1..730
///     Member members[count];         // with the recipient, without those removed, no account twice
///     uint64 lists[count];           // of each member: the device list under which it last spoke, from 1
/// } InvitationContent;
/// ```
public struct RoomInvitation: Sendable {
    /// How many members a room of this kind can have: as many as an envelope holds with handles of any length.
    public static let maximumMembers = 730

    /// The room key; it says which room and generation.
    public let key: RoomKey
    /// The room's name, at most 255 bytes of UTF-8.
    public let name: String
    /// Where the recipient's view of the room begins.
    public let history: HistoryPoint
    /// Who is in the room, by the sender's knowledge.
    public let members: [Member]
    /// The device lists below which nothing that a member says counts; 1 for those that are not here.
    public let lists: [AccountID: UInt64]

    /// Makes an invitation.
    public init(
        key: RoomKey,
        name: String,
        history: HistoryPoint,
        members: [Member],
        lists: [AccountID: UInt64] = [:]
    ) {
        self.key = key
        self.name = name
        self.history = history
        self.members = members
        self.lists = lists
    }

    /// Whether it can be encoded, and would be read back.
    var isWithinBounds: Bool {
        name.utf8.count <= 255 && history.hash.count == 32 && hasNext
            && (1...RoomInvitation.maximumMembers).contains(members.count)
            && Set(members.map(\.account)).count == members.count
            && lists.values.allSatisfy { (1..<UInt64(Int64.max)).contains($0) }
    }

    /// Whether numbers and generations can go on from here: foreign ones that could not would overflow.
    private var hasNext: Bool {
        history.number < UInt64(Int64.max) && (1..<UInt32(Int32.max)).contains(key.generation)
    }

    /// The encoding, as a secret.
    var secretContent: SymmetricKey {
        var writer = WireWriter(capacity: 400 + members.count * 100)
        unsafe key.secretKey.withUnsafeBytes { unsafe writer.fixed($0) }
        writer.text(UInt8.self, name)
        history.encode(into: &writer)
        writer.integer(UInt16(members.count))
        for member in members { member.encode(into: &writer) }
        for member in members { writer.integer(lists[member.account] ?? 1) }
        var bytes = writer.takeBytes()
        defer { bytes.wipe() }
        return SymmetricKey(data: bytes)
    }

    init(secretContent: Data, room: RoomID, generation: UInt32) throws(GroupKeyError) {
        do {
            var reader = WireReader(secretContent.span)
            var secret = try reader.fixed(32)
            defer { secret.wipe() }
            key = RoomKey(room: room, generation: generation, key: SymmetricKey(data: secret))
            name = try reader.text(UInt8.self, in: 0...255)
            history = try HistoryPoint(from: &reader)
            let count = Int(try reader.integer(UInt16.self))
            guard (1...RoomInvitation.maximumMembers).contains(count) else { throw WireError.lengthOutOfRange(count) }
            var members: [Member] = []
            for _ in 0..<count { members.append(try Member(from: &reader)) }
            self.members = members
            var lists: [AccountID: UInt64] = [:]
            for member in members { lists[member.account] = try reader.integer() }
            self.lists = lists.filter { $0.value != 1 }
            try reader.finish()
        } catch {
            throw .malformed
        }
        guard isWithinBounds else { throw .malformed }
    }
}
