import MildamContent
import MildamIdentity
import MildamMLS
import MildamRoomRules
import MildamWire

/// What the room is called, for those who come in (H27): by a Welcome it is told with it, from outside by a member who sees them
/// come.
extension RoomCore {
    /// How many bytes are told of a room at most. What is longer, as with a picture, is not told to those who come in.
    static let longestTitle = 4096
    /// How many are remembered: what is said of a room counts once the group's context has its digest.
    static let rememberedTitles = 4

    /// What the room is called by the group's context, as far as this device knows it.
    var title: WelcomedInfo? {
        guard let digest = members?.room.infoDigest else { return nil }
        return titles.last { $0.digest == digest }
    }

    /// What a room that is awake is called, as far as this device was told; where it has no leaf any more, what it heard last.
    public var info: RoomInfo? {
        guard let members else { return titles.last.flatMap { try? RoomInfo(encoded: $0.info) } }
        guard members.room.infoDigest.isEmpty else { return title.flatMap { try? RoomInfo(encoded: $0.info) } }
        // Nothing was written yet: the name that this device is about to say.
        for intent in intents {
            if case .rename(let info) = intent.wish { return info }
        }
        return nil
    }

    /// Somebody says what the room is called.
    mutating func hear(_ info: RoomInfo, salt: MessageID) {
        let told = WelcomedInfo(salt: info.repeats ?? salt, info: info.repeating(nil).encoded)
        if told.digest == members?.room.infoDigest { owesTitle = false }
        guard told.info.count <= RoomCore.longestTitle, !titles.contains(told) else { return }
        // What the context has is not pushed out by what others say.
        let present = title
        let others = Array(titles.filter { $0 != present }.suffix(RoomCore.rememberedTitles - 2))
        titles = (present.map { [$0] } ?? []) + others + [told]
    }

    /// What a Welcome tells of the room, where that is what its members have agreed on.
    static func title(in told: WelcomedInfo?, _ members: RoomMembers) -> WelcomedInfo? {
        guard let told, told.info.count <= longestTitle, (try? members.check(told)) != nil else { return nil }
        return (try? RoomInfo(encoded: told.info)) == nil ? nil : told
    }

    /// What a commit's Welcome is to tell.
    func welcomeExtensions(with proposals: [Proposal]) -> Extensions {
        let isWelcoming = proposals.contains { if case .add = $0 { true } else { false } }
        guard isWelcoming, let title else { return Extensions() }
        return Extensions([title.mls])
    }

    /// Somebody came in from outside who was not in before: they have not heard what the room is called, unless they were heard
    /// here earlier.
    mutating func oweTitle(to newcomer: RoomLeaf) {
        guard standing == .member, title != nil, counters[newcomer.client] == nil else { return }
        if !owesTitle { live.titleDueAt = nil }
        owesTitle = true
    }

    /// When the room's name is told, unless somebody else does it first: at the latest half a second for each leaf, and 30 seconds.
    mutating func titleDue(_ step: StepDraft) -> UInt64 {
        let due = live.titleDueAt ?? step.now + step.draw(upTo: min(30_000, UInt64(leafCount) * 500))
        live.titleDueAt = due
        return due
    }

    /// What is said again, for those who have not heard it.
    var titleSaidAgain: NestedPart? {
        guard owesTitle, let title, let info = try? RoomInfo(encoded: title.info) else { return nil }
        return info.repeating(title.salt).part
    }
}
