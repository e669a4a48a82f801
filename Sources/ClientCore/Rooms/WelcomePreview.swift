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

/// Why it cannot be seen what a Welcome leads to.
public enum WelcomeDefect: Error, Hashable, Sendable {
    /// It does not open with any of this device's key packages.
    case sealedForOthers
    /// It opens with one of them, and does not lead to the tree that came with it, or to its room.
    case otherGroup
}

extension RoomCore {
    /// A stranger's Welcome that waits until a person accepts; its tree may be empty.
    public var requestedWelcome: ArrivedWelcome? { standing == .requested ? waitingWelcome : nil }
}

extension ClientCore {
    /// Looks at what a Welcome leads to, and leaves all as it is.
    ///
    /// - Parameter arrived: with its tree.
    public func preview(of arrived: ArrivedWelcome, at moment: Moment) -> Result<WelcomePreview, WelcomeDefect> {
        let draft = draft(at: moment)
        let room =
            rooms[arrived.room]
            ?? RoomCore(
                arrived.room,
                .requested,
                generation: arrived.generation,
                history: RunningHistory(joinedAt: arrived.number)
            )
        let named = RoomCore.keyPackages(namedBy: arrived)
        var defect = WelcomeDefect.sealedForOthers
        for bundle in keyPackages.bundles
        where (try? bundle.keyPackage.reference()).map({ named.contains($0) }) ?? false {
            do {
                return .success(try room.preview(of: arrived, with: bundle, draft))
            } catch {
                if !error.isOfWhatIsSealed { defect = .otherGroup }
            }
        }
        return .failure(defect)
    }
}

extension RoomCore {
    fileprivate func preview(
        of arrived: ArrivedWelcome,
        with bundle: KeyPackageBundle,
        _ step: StepDraft
    ) throws -> WelcomePreview {
        let next = try joined(by: arrived, with: bundle, step)
        return WelcomePreview(
            inviter: next.inviter,
            members: try RoomMembers(of: next.group.publicGroup),
            info: next.title.flatMap { try? RoomInfo(encoded: $0.info) }
        )
    }
}

extension Error {
    /// Whether it says that what is sealed in a Welcome does not open.
    fileprivate var isOfWhatIsSealed: Bool {
        switch self as? MLSError {
        case .decryptionFailed, .notWelcome: true
        default: false
        }
    }
}
