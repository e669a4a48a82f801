import Foundation
import MildamGroupKey
import MildamIdentity
import MildamRelayAPI

@testable import MildamMessenger

extension Person {
    /// Says something as no client of ours does.
    ///
    /// - Parameter sender: in whose name.
    package func say(
        _ event: RoomContent.Event,
        written: Int64,
        in room: RoomID,
        as sender: (AccountID, DeviceID)? = nil
    ) async throws {
        let request = try await sealed(event, written: written, in: room, as: sender)
        try await RelayCaller(self).send(request, to: room)
    }

    /// A message that is ready to be sent; it says that this person has seen what is in the room now.
    package func sealed(
        _ event: RoomContent.Event,
        written: Int64 = 0,
        in room: RoomID,
        as sender: (AccountID, DeviceID)? = nil
    ) async throws -> SendRequest {
        try await run("read", room.description)
        let id = MessageID.random()
        let body = try await Messenger(profile: profile).work { (messenger, store) throws(MessengerError) in
            let account = try messenger.account(store)
            let ledger = try messenger.ledger(room, store)
            var claimed = account
            if let sender { (claimed.account, claimed.device) = sender }
            return try messenger.seal(
                RoomContent(written: written, seen: ledger.history, event: event),
                as: id,
                counter: ledger.nextCounter(of: account.address),
                under: nil,
                ledger,
                claimed,
                store
            )
        }
        return SendRequest(id: id, generation: 1, body: body)
    }

    /// Says so many texts, "1" to their count, faster than any client of ours.
    package func talk(_ count: Int, in room: RoomID) async throws {
        for _ in 0..<10 where try await run("read", room.description).status == 7 { continue }
        let requests = try await Messenger(profile: profile).work { (messenger, store) throws(MessengerError) in
            let account = try messenger.account(store)
            let ledger = try messenger.ledger(room, store)
            var requests: [SendRequest] = []
            for number in 1...UInt64(count) {
                let content = RoomContent(written: 0, seen: ledger.history, event: .text(body: "\(number)"))
                let id = MessageID.random()
                let counter = ledger.nextCounter(of: account.address) + number - 1
                let body = try messenger.seal(content, as: id, counter: counter, under: nil, ledger, account, store)
                requests.append(SendRequest(id: id, generation: ledger.generation, body: body))
            }
            return requests
        }
        let caller = try await RelayCaller(self)
        for request in requests { try await caller.send(request, to: room) }
    }

    /// A text under the room's present key, in the name of somebody whose device keys are at hand.
    package func sealed(
        _ text: String,
        in room: RoomID,
        as sender: AccountSummary,
        by keys: DeviceKeys
    ) async throws -> SendRequest {
        try await run("read", room.description)
        return try await Messenger(profile: profile).work { (messenger, store) throws(MessengerError) in
            let ledger = try messenger.ledger(room, store)
            guard let key = try messenger.roomKey(room, ledger.generation, store) else { throw .cryptography }
            let id = MessageID.random()
            do {
                let box = try MessageBox(
                    sealing: try RoomContent(written: 0, seen: ledger.history, event: .text(body: text)).encoded(),
                    as: id,
                    counter: ledger.nextCounter(of: DeviceAddress(account: sender.account, device: sender.device)),
                    in: MessageContext(
                        room: room,
                        generation: key.generation,
                        senderAccount: sender.account,
                        senderDevice: sender.device
                    ),
                    under: key,
                    by: keys.signing
                )
                return SendRequest(id: id, generation: key.generation, body: Data(box.wireBytes))
            } catch {
                throw MessengerError(error)
            }
        }
    }
}
