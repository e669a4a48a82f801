import MildamMLS
import MildamRoomRules

/// Commits that the relay has not stored, so that others are made in their place. Where what was sent comes to it a second time, one
/// of them may be in the order after all: then the group goes on with it.
extension RoomCore {
    /// A group with such a commit in it.
    struct Aside: Sendable {
        /// The commit, as it is on the wire.
        let body: [UInt8]
        let group: Group
    }

    /// How many are remembered, the last ones of an epoch.
    private static let mostAside = 8

    /// Remembers what is staged in the group.
    mutating func setAside(_ message: OutgoingMessage) {
        guard let group else { return }
        aside = Array((aside + [Aside(body: message.body, group: group)]).suffix(RoomCore.mostAside))
    }

    /// Goes on with a commit that was set aside.
    ///
    /// - Returns: whether it was, in this epoch.
    mutating func mergeAside(_ message: NumberedMessage, _ step: StepDraft) -> Bool {
        guard let present = group?.publicGroup.context,
            var next = aside.first(where: { $0.body == message.body })?.group, next.publicGroup.context == present,
            let content = try? MLSMessage(wireBytes: message.body)
        else { return false }
        next.environment = step.environment
        if let members { next.environment.policy = RoomPolicy(knowing: members, in: present) }
        guard case .commit? = try? next.process(content) else { return false }
        group = next
        return true
    }
}
