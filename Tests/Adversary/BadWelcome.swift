import HouseSupport
import MildamIdentity
import MildamMLS
import MildamWire
import Testing

/// What is wrong with a Welcome that the relay takes: it sees only whom it is for.
enum BadWelcome: String, CaseIterable, Sendable {
    /// Its secrets are sealed for another device.
    case forAnother
    /// It opens, and leads into the group of another room.
    case otherRoom
    /// It brings the tree of another group.
    case otherTree
    /// Its secrets are those of another group.
    case otherSecrets
    /// What it says of the group lacks the last byte.
    case truncated
    /// A bit of the key that its secrets are sealed with is another.
    case flipped
    /// Its tree says that it has 2^16 leaves, and has one.
    case leavesClaimed
    /// Its tree has 2^15 leaves, of which all but the last are blank.
    case leavesBlank

    /// A commit that brings somebody into a room that is made for that, with the bad Welcome.
    ///
    /// - Parameter other: somebody else.
    func change(
        by member: RawMember,
        bringing guest: Person,
        or other: Person,
        into room: RoomID
    ) async throws -> (change: RawMember.Change, welcome: Welcome) {
        var group = try member.group(for: room)
        try await member.create(room, group)
        let keyPackage = try await member.keyPackage(of: guest, for: room)
        // The relay knows nothing of this one.
        var aside = try member.group(for: .random())
        let lone = aside.ratchetTree
        let asked = if self == .forAnother { try await member.keyPackage(of: other, for: room) } else { keyPackage }
        let elsewhere = try member.change(&aside, [.add(asked)], sendsTree: self == .otherRoom)
        let sent = tree(lone: lone, aside.ratchetTree).map { [Extension(type: .ratchetTree, data: $0)] } ?? []
        let change = try member.change(&group, [.add(keyPackage)], telling: sent)
        var welcome = try #require(change.welcome)
        let stray = try #require(elsewhere.welcome)
        switch self {
        case .forAnother:
            let guests = welcome.secrets[0].newMember
            welcome = stray
            welcome.secrets[0].newMember = guests
        case .otherRoom: welcome = stray
        case .otherSecrets: welcome.secrets = stray.secrets
        case .truncated: welcome.encryptedGroupInfo.removeLast()
        case .flipped: welcome.secrets[0].encryptedGroupSecrets.kemOutput[0] ^= 1
        case .otherTree, .leavesClaimed, .leavesBlank: break
        }
        return (change, welcome)
    }

    /// The tree that stands in the Welcome; `nil` for none.
    ///
    /// - Parameters:
    ///   - lone: that of a group of one.
    ///   - other: that of another group.
    private func tree(lone: [UInt8], _ other: [UInt8]) -> [UInt8]? {
        switch self {
        case .otherTree: return other
        // A length of four bytes, for as many nodes as there would be.
        case .leavesClaimed: return [0x80, 0x01, 0xFF, 0xFF] + lone
        case .leavesBlank:
            var writer = WireWriter(capacity: 1 << 17)
            // The length of one node has two bytes.
            writer.vector([UInt8](repeating: 0, count: (1 << 16) - 2) + lone.dropFirst(2))
            return writer.bytes
        case .forAnother, .otherRoom, .otherSecrets, .truncated, .flipped: return nil
        }
    }
}
