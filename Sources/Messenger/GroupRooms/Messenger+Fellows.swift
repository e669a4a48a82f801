import MildamClientCore
import MildamClientStore
import MildamContent
import MildamGroupKey
import MildamIdentity
import MildamRoomRules

/// Somebody who is in a room with this profile, under the key that they have there.
struct Fellow: Sendable {
    /// Who it is, by the room's word.
    let member: Member
    /// What the room is called.
    let room: String
}

extension Messenger {
    /// Who is in rooms with this profile, room by room: those whose handle is known. Rooms of the first kind come last.
    func fellows() async throws(MessengerError) -> [Fellow] {
        let handles = try await knownHandles()
        let (own, older) = try await alone { (_, store) throws(MessengerError) -> (AccountID?, [Fellow]) in
            let rooms = try store.allOlderRooms().filter { $0.standing == .member }
            let fellows = rooms.flatMap { room in room.members.map { Fellow(member: $0, room: room.name) } }
            return (try store.record(.account, [])?.account, fellows)
        }
        return try await groupFellows(of: own, calling: handles) + older
    }

    /// - Parameters:
    ///   - own: this profile's account.
    ///   - handles: what accounts are called.
    private func groupFellows(
        of own: AccountID?,
        calling handles: [AccountID: Handle]
    ) async throws(MessengerError) -> [Fellow] {
        let store = try await roomStore()
        var titles = RoomTitles()
        var fellows: [Fellow] = []
        do {
            for room in try store.stored().rooms where room.standing == .member {
                let awake = room.isAsleep ? room.awake(with: try store.group(of: room.room)) : room
                guard let members = awake.members else { continue }
                let name = titles.info(of: awake, in: store)?.name ?? "\(room.room)"
                for account in members.accounts.sorted() where account != own {
                    guard let identity = members.identity(of: account), let handle = handles[account] else { continue }
                    let member = Member(account: account, handle: handle, identityKey: identity.key)
                    fellows.append(Fellow(member: member, room: name))
                }
            }
        } catch {
            throw MessengerError(error)
        }
        return fellows
    }
}
