import MildamIdentity
import MildamMLS
import MildamWire

/// What binds a group to a room, in its GroupContext: the extension `mildam_room`, 0xF4D1 for private use (H4).
///
///     struct { opaque account[16]; RoomRole role; } RoleEntry;
///     struct { opaque account[16]; ListVersion version; } WrittenList;
///     struct { opaque account[16]; uint64 epoch; } WrittenLeaving;
///     struct {
///         uint8 version = 1;
///         opaque room[16];
///         uint64 generation;
///         optional<PreviousGroup> previous;
///         RoleEntry roles<V>;        // ascending by account; admins and owners alone
///         Seat seats<V>;             // ascending by account
///         WrittenList lists<V>;      // ascending by account
///         WrittenLeaving leavings<V>; // ascending by account
///         uint32 policy;
///         uint32 timer;              // seconds; 0 for none
///         opaque info_digest<V>;     // 32 bytes, or none
///     } RoomExtension;
public struct RoomExtension: Hashable, Sendable {
    /// The extension's number.
    public static let extensionType = ExtensionType(rawValue: 0xF4D1)
    /// The size of a digest, in bytes.
    public static let digestSize = 32
    /// How many entries each of its lists has at most.
    public static let maximumEntries = 4096

    /// The room.
    public let room: RoomID
    /// Which of the room's groups this is.
    public let generation: UInt64
    /// What the room was before.
    public let previous: PreviousGroup?
    /// Those who have a role.
    public var roles: [AccountID: RoomRole]
    /// Those who have a seat.
    public var seats: [AccountID: Seat]
    /// The device lists that somebody's leaves were removed by.
    public var lists: [AccountID: ListVersion]
    /// The epochs that Leavings named by which somebody was put out.
    public var leavings: [AccountID: UInt64]
    /// What members may do without a role.
    public var policy: RoomPolicyBits
    /// After how many seconds messages go; 0 for never.
    public var timer: UInt32
    /// What the room's information is known by: 32 bytes, or none.
    public var infoDigest: [UInt8]

    /// A new group's.
    public init(
        room: RoomID,
        generation: UInt64 = 0,
        previous: PreviousGroup? = nil,
        roles: [AccountID: RoomRole] = [:],
        seats: [Seat] = [],
        lists: [AccountID: ListVersion] = [:],
        leavings: [AccountID: UInt64] = [:],
        policy: RoomPolicyBits = [.membersInvite],
        timer: UInt32 = 0,
        infoDigest: [UInt8] = []
    ) {
        self.room = room
        self.generation = generation
        self.previous = previous
        self.roles = roles
        self.seats = Dictionary(seats.map { ($0.account, $0) }) { _, last in last }
        self.lists = lists
        self.leavings = leavings
        self.policy = policy
        self.timer = timer
        self.infoDigest = infoDigest
    }

    /// The one among a group's extensions; `nil` where there is none, or one that this version does not know.
    public init?(in extensions: Extensions) {
        guard let data = extensions[RoomExtension.extensionType], let room = try? RoomExtension(wireBytes: data)
        else { return nil }
        self = room
    }

    /// As it stands among a group's extensions.
    public var mls: Extension { Extension(type: RoomExtension.extensionType, data: wireBytes) }

    /// What every member has to be able to do, in a group of a room.
    public static var requirements: Extension {
        let required = RequiredCapabilities(extensionTypes: [extensionType], proposalTypes: [.selfRemove])
        return Extension(type: .requiredCapabilities, data: required.wireBytes)
    }

    /// Whether a group's extensions are of a later version: of `mildam_room`, or with something required of members that this
    /// version does not know (H34).
    public static func needsLaterVersion(_ extensions: Extensions) -> Bool {
        if let version = extensions[extensionType]?.first, version > 1 { return true }
        guard let data = extensions[.requiredCapabilities], let required = try? RequiredCapabilities(wireBytes: data)
        else { return false }
        return required.extensionTypes.contains { $0 != extensionType }
            || required.proposalTypes.contains { $0 != .selfRemove }
            || required.credentialTypes.contains { $0 != .basic }
    }

    /// Whether a group's extensions ask of every member to know this one and SelfRemove.
    static func isRequired(in extensions: Extensions) -> Bool {
        guard let data = extensions[.requiredCapabilities], let required = try? RequiredCapabilities(wireBytes: data)
        else { return false }
        return required.extensionTypes.contains(extensionType) && required.proposalTypes.contains(.selfRemove)
    }
}

extension RoomExtension: WireEncodable, WireDecodable {
    /// Appends the structure.
    ///
    /// - Precondition: the digest has 32 bytes, or none.
    public func encode(into writer: inout WireWriter) {
        precondition([0, RoomExtension.digestSize].contains(infoDigest.count), "a digest")
        writer.integer(UInt8(1))
        room.encode(into: &writer)
        writer.integer(generation)
        writer.optional(previous)
        AccountEntries(values: roles.filter { $0.value > .member }).encode(into: &writer)
        AccountEntries(values: seats.mapValues(\.identity)).encode(into: &writer)
        AccountEntries(values: lists).encode(into: &writer)
        AccountEntries(values: leavings.mapValues { EpochNumber(rawValue: $0) }).encode(into: &writer)
        policy.encode(into: &writer)
        writer.integer(timer)
        writer.vector(infoDigest)
    }

    /// Reads the structure.
    public init(from reader: inout WireReader) throws(WireError) {
        try reader.version(1)
        room = try RoomID(from: &reader)
        generation = try reader.integer()
        previous = try reader.optional(PreviousGroup.self)
        roles = try AccountEntries<RoomRole>(from: &reader).values
        guard roles.values.allSatisfy({ $0 > .member }) else { throw .invalidValue(field: "roles") }
        let identities = try AccountEntries<RoomIdentity>(from: &reader).values
        seats = Dictionary(identities.map { ($0.key, Seat(account: $0.key, identity: $0.value)) }) { _, last in last }
        lists = try AccountEntries<ListVersion>(from: &reader).values
        leavings = try AccountEntries<EpochNumber>(from: &reader).values.mapValues(\.rawValue)
        policy = try RoomPolicyBits(from: &reader)
        timer = try reader.integer()
        infoDigest = try reader.vector()
        guard [0, RoomExtension.digestSize].contains(infoDigest.count) else {
            throw .lengthOutOfRange(infoDigest.count)
        }
    }
}
