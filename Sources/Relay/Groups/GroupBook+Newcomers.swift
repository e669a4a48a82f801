import FoundationEssentials
import MildamIdentity
import MildamRelayAPI
import MildamRoomRules

/// Accounts that come into a room: who they are, the relay has in their own records.
extension GroupBook {
    /// Whether each has the identity in a room that its records say. What its device list says does not matter, nor how new it
    /// is: its devices' records are signed by that identity. Where there is no such account, that is said when it is stored.
    ///
    /// - Parameters:
    ///   - accounts: those that come in.
    ///   - members: the room's, with them.
    ///   - sender: who brings them in.
    /// - Throws: `refused` with `invalid_commit`; what reading throws.
    func check(
        newcomers accounts: [AccountID],
        in members: RoomMembers,
        by sender: Sender
    ) throws(GroupBookError) {
        for account in accounts where account != sender.account {
            guard let recorded = try recorded(account) else { continue }
            do throws(RoomRefusal) {
                try members.check(newcomer: account, is: recorded)
            } catch {
                throw .refused(.broken(error))
            }
        }
    }

    /// Whether the device that begins a group has the key that its account's records say.
    ///
    /// - Throws: `refused` with `invalid_commit`; what reading throws.
    func check(beginner sender: Sender, in members: RoomMembers) throws(GroupBookError) {
        guard let recorded = try recorded(sender.account) else { return }
        do throws(RoomRefusal) {
            try members.check(beginner: sender.account, is: recorded)
        } catch {
            throw .refused(.broken(error))
        }
    }

    private func recorded(_ account: AccountID) throws(GroupBookError) -> RecordedIdentity? {
        guard let stored = try bundle(of: account) else { return nil }
        guard let bundle = try? JSONDecoder().decode(AccountBundle.self, from: Data(stored)) else { throw .damaged }
        return RecordedIdentity(bundle)
    }
}
