import MildamRelayAPI

/// Something that is given back, as it was sent, and what a worker has found out about it.
enum CheckedRefill: Sendable {
    /// A message, a proposal or a commit.
    case message(GroupSendRequest, CheckedContent)
    /// The room's next group.
    case generation(GenerationRequest, CheckedGroup)
}

extension RefillRequest {
    /// What is looked at of it: what has a number that is due, or one above.
    ///
    /// What was said is left out where the room has gone on: whoever knows a number above what is new knew another history, and
    /// nobody here could tell words that are made up. It is said again as new. What is signed is taken all the same.
    ///
    /// - Parameter next: the number that is due.
    func due(from next: UInt64, in restored: RestoredRoom?) -> [RefilledMessage] {
        let hasGoneOn = restored?.hasGoneOn == true
        return messages.filter { $0.number >= next && !(hasGoneOn && $0.isSaid) }
    }
}

extension RefilledMessage {
    var isSaid: Bool { if case .application = content { true } else { false } }

    /// What it takes of ``RateRule/refilledBytes``.
    var cost: Int {
        guard case .commit(_, let groupInfo) = content else { return message.count + DiskUsage.row }
        return message.count + groupInfo.count + DiskUsage.row
    }

    /// The same as it was sent, as far as that is known.
    func sent(as content: GroupSendRequest.Content) -> GroupSendRequest {
        GroupSendRequest(id: id, generation: generation, epoch: epoch, seen: 0, content: content)
    }

    /// The same for a room's next group.
    func sent(as groupInfo: [UInt8]) -> GenerationRequest {
        GenerationRequest(id: id, generation: generation, epoch: epoch, seen: 0, groupInfo: groupInfo)
    }
}
