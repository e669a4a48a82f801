import MildamRelayAPI

/// Something that is given back, as it was sent, and what a worker has found out about it.
enum CheckedRefill: Sendable {
    /// A message, a proposal or a commit.
    case message(GroupSendRequest, CheckedContent)
    /// The room's next group.
    case generation(GenerationRequest, CheckedGroup)
}

extension RefilledMessage {
    /// The same as it was sent, as far as that is known.
    func sent(as content: GroupSendRequest.Content) -> GroupSendRequest {
        GroupSendRequest(id: id, generation: generation, epoch: epoch, seen: 0, content: content)
    }

    /// The same for a room's next group.
    func sent(as groupInfo: [UInt8]) -> GenerationRequest {
        GenerationRequest(id: id, generation: generation, epoch: epoch, seen: 0, groupInfo: groupInfo)
    }
}
