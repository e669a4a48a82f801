import MildamIdentity
import MildamRelayAPI

@testable import MildamRelay

/// What is done in rooms that are MLS groups, as a store sees it. What a worker finds out is made up: a store looks into none of it.
enum ScriptGroup {
    /// What a new room with one member counts for whoever makes it, in bytes: the rows of the room, the member and the group, the
    /// GroupInfo, and the snapshot.
    static let roomBytes = 5 * DiskUsage.row + Limits.groupInfo + snapshot.count

    /// A Welcome's item in a mailbox, in bytes, where the Welcome has so many, 63 at most.
    static func itemBytes(_ welcome: Int) -> Int { 22 + welcome }

    private static let snapshot: [UInt8] = [3]

    /// Makes a room, whose generation is 1.
    static func create(
        _ room: RoomID,
        by sender: Sender,
        with others: [AccountID] = [],
        asking policy: RequestPolicy = .open
    ) -> CreateGroup {
        let group = CheckedGroup(
            generation: 1,
            groupID: [7],
            treeHash: [1],
            groupInfo: [2],
            externalPub: [UInt8](repeating: 0, count: Limits.digest),
            snapshot: snapshot,
            accounts: [sender.account] + others
        )
        return CreateGroup(id: room, sender: sender, group: group, policy: policy)
    }

    /// Says something.
    static func say(
        _ text: [UInt8],
        in room: RoomID,
        by sender: Sender,
        epoch: UInt64 = 0,
        id: MessageID = .random(),
        blobs: [BlobID] = []
    ) -> SendToGroup {
        let request = GroupSendRequest(
            id: id,
            generation: 1,
            epoch: epoch,
            seen: 0,
            content: .application(text),
            blobs: blobs
        )
        return SendToGroup(request, .application, to: room, by: sender)
    }

    /// Leaves.
    ///
    /// - Parameters:
    ///   - handshake: the number of the room's last proposal or commit; 0 for none.
    ///   - size: of the proposal, in bytes.
    static func leave(
        _ room: RoomID,
        by sender: Sender,
        epoch: UInt64 = 0,
        after handshake: UInt64 = 0,
        size: Int = 1
    ) -> SendToGroup {
        let content = GroupSendRequest.Content.proposal([UInt8](repeating: 9, count: size))
        let request = GroupSendRequest(id: .random(), generation: 1, epoch: epoch, seen: 0, content: content)
        return SendToGroup(request, .leaving(after: handshake), to: room, by: sender)
    }

    /// Commits.
    ///
    /// - Parameters:
    ///   - handshake: the number of the room's last proposal or commit; 0 for none.
    ///   - welcomed: whose devices a Welcome is for.
    ///   - welcome: the size of each Welcome, in bytes.
    ///   - size: of the commit, in bytes.
    static func commit(
        to room: RoomID,
        by sender: Sender,
        epoch: UInt64 = 0,
        after handshake: UInt64 = 0,
        adding added: [AccountID] = [],
        removing removed: [AccountID] = [],
        welcoming welcomed: [MailboxAddress] = [],
        welcome: Int = 1,
        size: Int = 1,
        id: MessageID = .random(),
        asking policy: RequestPolicy = .open
    ) -> SendToGroup {
        let checked = CheckedCommit(
            handshake: handshake,
            treeHash: [UInt8(truncatingIfNeeded: epoch)],
            groupInfo: [4],
            externalPub: [UInt8](repeating: UInt8(truncatingIfNeeded: epoch + 1), count: Limits.digest),
            added: added,
            removed: removed,
            welcomes: welcomed.map {
                CheckedCommit.Welcome(address: $0, message: [UInt8](repeating: 5, count: welcome))
            },
            snapshot: nil
        )
        let content = GroupSendRequest.Content.commit([UInt8](repeating: 8, count: size), groupInfo: [4], welcome: [])
        let request = GroupSendRequest(id: id, generation: 1, epoch: epoch, seen: 0, content: content)
        return SendToGroup(request, .commit(checked), to: room, by: sender, requests: policy)
    }

    /// Puts a room with one key for each generation into the store, as earlier relays made them.
    static func roomOfBefore(_ room: RoomID, of account: AccountID) -> Doing<Void> {
        Doing { facts, _ in
            facts.make(Room(id: room, creator: account, members: [account: 1], accepted: [account]))
            return .success(())
        }
    }
}
