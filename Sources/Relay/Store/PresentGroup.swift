import MildamIdentity
import MildamRelayAPI
import MildamRoomRules

/// A room's present group as a reader finds it.
struct PresentGroup: Equatable, Sendable {
    let generation: UInt32
    let epoch: UInt64
    /// The number that the room's next message will get.
    let next: UInt64
    let group: RoomGroup

    /// What a member is told.
    ///
    /// - Parameter proposals: those that wait, each an MLSMessage.
    func state(with infos: StoredGroupInfos, waiting proposals: [[UInt8]]) -> RoomGroupState {
        RoomGroupState(
            generation: generation,
            groupID: group.id,
            epoch: epoch,
            treeHash: group.treeHash,
            next: next,
            handshake: group.handshake,
            due: group.due,
            groupInfos: infos.inOrder,
            proposals: proposals
        )
    }
}

/// The GroupInfos of a group's present epoch as a reader finds them.
struct StoredGroupInfos: Equatable, Sendable {
    /// In the order in which they came: the committer's is the first.
    let given: [StoredGroupInfo]
    /// Which of them members say to be like their own.
    let answers: [StoredAnswer]

    /// That one first which most accounts stand behind (H10). Whoever gave one stands behind it, unless they said something else
    /// since.
    var inOrder: [KeptGroupInfo] {
        guard let first = given.first else { return [] }
        var votes = GroupInfoVotes(committers: first.externalPub)
        for info in given {
            _ = votes.add(info.externalPub)
            votes.answer(info.externalPub, by: info.account)
        }
        for answer in answers { votes.answer(answer.externalPub, by: answer.account) }
        return votes.order.compactMap { digest in
            given.first { $0.externalPub == digest }.map { info in
                KeptGroupInfo(
                    accounts: UInt32(clamping: votes.count(of: digest)),
                    externalPub: digest,
                    groupInfo: info.bytes
                )
            }
        }
    }
}

/// A GroupInfo that the relay keeps.
struct StoredGroupInfo: Equatable, Sendable {
    /// Who gave it.
    let account: AccountID
    /// SHA-256 of its key for joining from outside, 32 bytes.
    let externalPub: [UInt8]
    /// An MLSMessage, encoded.
    let bytes: [UInt8]
}

/// That an account says which key for joining from outside is its own.
struct StoredAnswer: Equatable, Sendable {
    let account: AccountID
    /// SHA-256 of the key, 32 bytes.
    let externalPub: [UInt8]
}

/// A group as it was once.
struct StoredSnapshot: Equatable, Sendable {
    /// The number of the commit that it was made after.
    let number: UInt64
    let epoch: UInt64
    let bytes: [UInt8]
}

/// A proposal or a commit in a room's log.
struct StoredHandshake: Equatable, Sendable {
    let number: UInt64
    let generation: UInt32
    /// The epoch that it was sent in.
    let epoch: UInt64
    /// Who had sent it.
    let account: AccountID
    /// An MLSMessage, encoded.
    let message: [UInt8]
}
