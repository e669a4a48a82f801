import MildamIdentity

extension Messenger {
    /// Tells the relay that a room is one of the account's own: its keys come past the strangers' part of the mailboxes from
    /// here on. Whether the account is still a member, reading the room says.
    func accept(_ room: RoomID, _ account: AccountState, _ store: ClientStore) async throws(MessengerError) {
        do throws(MessengerError) {
            try await authorized(account, store) { (relay, access) throws(MessengerError) in
                try await relay.acceptRoom(room, access)
            }
        } catch .refused(let error) where [.notAMember, .unknownRoom, .unknownRoute].contains(error.code) {
            return
        }
    }
}
