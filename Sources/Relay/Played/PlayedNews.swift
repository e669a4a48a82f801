import MildamIdentity

/// What somebody is to be told of, after a relay that is played was asked something.
package struct PlayedNews: Sendable {
    /// Accounts whose devices' mailboxes have something more.
    package private(set) var mailboxes: Set<AccountID> = []
    /// Rooms whose members are asked which GroupInfo is like their own (H10).
    package private(set) var groupInfos: Set<RoomID> = []

    mutating func take(_ notice: LiveNotice) {
        switch notice {
        case .mailbox(let address, next: _): mailboxes.insert(address.account)
        case .groupInfo(let room): groupInfos.insert(room)
        case .message, .removed, .generation, .blobsDropped, .sessionEnded, .keysRenewed: break
        }
    }
}
