import Foundation
import MildamIdentity
import MildamRelayAPI

@testable import MildamRelay

extension TestRelay {
    /// Puts a room with one key for each generation into the store, as earlier relays made them, with what was said there.
    func roomOfBefore(
        of person: Person,
        with others: [Person] = [],
        saying texts: [String] = []
    ) async throws -> RoomID {
        let members = [person.account] + others.map(\.account)
        let room = Room(
            id: .random(),
            creator: person.account,
            members: Dictionary(members.map { ($0, UInt64(1)) }) { first, _ in first },
            accepted: Set(members)
        )
        let made: Result<Void, APIError> = await change { facts, _ in
            facts.make(room)
            return .success(())
        }
        try made.get()
        for text in texts {
            let said: Result<Void, APIError> = await change { facts, now throws(Missing) in
                guard var after = try facts.room(room.id) else { return .failure(.unknownRoom) }
                let message = RoomMessage(
                    number: after.next,
                    generation: 1,
                    epoch: 0,
                    kind: .application,
                    account: person.account,
                    device: person.device,
                    stored: now,
                    body: Data(text.utf8)
                )
                after.next += 1
                after.bytes += text.utf8.count
                facts.count(after)
                facts.append(message, to: after.id, id: .random(), digest: [UInt8](repeating: 0, count: 32))
                return .success(())
            }
            try said.get()
        }
        return room.id
    }
}
