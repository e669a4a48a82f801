import Foundation
import MildamGroupKey
import MildamIdentity
import MildamRelayAPI

@testable import MildamMessenger

extension Person {
    /// Everything that the profile's database holds, its log included.
    func disk() -> Data {
        ["messenger.db", "messenger.db-wal"].reduce(into: Data()) {
            $0 += FileManager.default.contents(atPath: folder + "/" + $1) ?? Data()
        }
    }

    /// This device's private keys as they lie in the database.
    func sealedKeys() async throws -> [Data] {
        try await Messenger(profile: profile).work { (_, store) throws(MessengerError) in
            var sealed: [Data] = []
            for kind in [SecretKind.signingKey, .agreementKey] {
                guard let row = try store.sealedRecord(kind.rawValue, store.blinded(kind.rawValue, [])) else {
                    throw .noAccount
                }
                sealed.append(row)
            }
            return sealed
        }
    }

    /// Keys that wait to be taken by the relay.
    func offered() async throws -> DeviceKeys? {
        try await Messenger(profile: profile).work { (messenger, store) throws(MessengerError) in
            try store.offeredKeys(of: try messenger.account(store).device)
        }
    }

    /// The access token runs out.
    func letAccessEnd() async throws {
        try await Messenger(profile: profile).work { (_, store) throws(MessengerError) in
            guard var session = try store.record(.session, []) else { throw .notLoggedIn }
            session.expires = 0
            try store.put(session, as: .session, [])
        }
    }

    /// The generation of a room's key.
    func generation(of room: String) async throws -> UInt32 {
        try await Messenger(profile: profile).showRoom(room, fetching: false).room.generation
    }

    /// A text under the room's present key, in the name of somebody whose device keys are at hand.
    func sealed(
        _ text: String,
        in room: RoomID,
        as sender: AccountSummary,
        by keys: DeviceKeys
    ) async throws -> SendRequest {
        try await run("read", room.description)
        return try await Messenger(profile: profile).work { (messenger, store) throws(MessengerError) in
            let ledger = try messenger.ledger(room, store)
            guard let key = try messenger.roomKey(room, ledger.generation, store) else { throw .noAccount }
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
