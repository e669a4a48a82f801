import MildamContent
import MildamIdentity
import MildamMLS
import MildamRoomRules

/// What a Welcome leads to, looked at before a person has accepted: nothing of it counts yet.
public struct WelcomePreview: Sendable {
    /// Whose device made it; `nil` where no leaf is that device's.
    public let inviter: AccountID?
    /// Who is in the room.
    public let members: RoomMembers
    /// What it is called, where the Welcome says so and the members have agreed on that.
    public let info: RoomInfo?
}

extension RoomCore {
    /// A stranger's Welcome that waits until a person accepts; its tree may be empty.
    public var requestedWelcome: ArrivedWelcome? { standing == .requested ? waitingWelcome : nil }
}

extension ClientCore {
    /// Looks at what a Welcome leads to, and leaves all as it is.
    ///
    /// - Parameter arrived: with its tree.
    /// - Returns: `nil` for one that does not open with this device's key packages, or leads to another room.
    public func preview(of arrived: ArrivedWelcome, at moment: Moment) -> WelcomePreview? {
        let draft = draft(at: moment)
        let room =
            rooms[arrived.room]
            ?? RoomCore(
                arrived.room,
                .requested,
                generation: arrived.generation,
                history: RunningHistory(joinedAt: arrived.number)
            )
        for bundle in keyPackages.bundles {
            guard let next = try? room.joined(by: arrived, with: bundle, draft),
                let members = try? RoomMembers(of: next.group.publicGroup)
            else { continue }
            return WelcomePreview(
                inviter: next.inviter,
                members: members,
                info: next.title.flatMap { try? RoomInfo(encoded: $0.info) }
            )
        }
        return nil
    }
}
