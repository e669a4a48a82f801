import Foundation
import MildamClientCore
import MildamCrypto
import MildamIdentity
import MildamProfile
import MildamRelay
import MildamSystem
import TestSupport
import Testing

@testable import MildamMessenger

@Suite("Records that commit to the next identity key")
struct SuccessionTests {
    @Test("an account of this version has them from the beginning, and keeps what they say when it has new device keys")
    func new() async throws {
        let house = try RoomHouse()
        let messenger = Messenger(profile: OpenProfile(folder: house.folder.file("alice")))
        try await messenger.createAccount(Handle("alice"), at: house.url, password: RoomHouse.password)
        #expect(try await messenger.ensureSuccession() == false)
        let first = try #require(try await messenger.roomProfile().device.credential.record.claimed.succession)
        #expect(first.since == 1 && first.rotation == 0)
        _ = try await messenger.renewKeys()
        let second = try #require(try await messenger.roomProfile().device.credential.record.claimed.succession)
        #expect(second.since == 2 && second.nextIdentity == first.nextIdentity)
        await house.stop()
    }

    @Test("an account of before gets them before its first key package, once, and with the same keys")
    func older() async throws {
        let house = try RoomHouse()
        let profile = OpenProfile(folder: house.folder.file("bobby"))
        let messenger = Messenger(profile: profile)
        try await messenger.makeOlderAccount("bobby", at: house.url)
        let before = try await messenger.roomProfile().device
        #expect(before.credential.record.claimed.succession == nil)
        let alice = try await house.person("alice")
        await #expect(throws: RoomFault("no-succession", ["handle": "bobby"])) {
            _ = try await alice.rooms.find(Handle("bobby"))
        }
        let bob = try await RoomPerson(Handle("bobby"), profile, TestRoomStore())
        let room = try await alice.makeRoom("garden")
        try await until { await bob.rooms.connection == .connected }
        let after = try await messenger.roomProfile().device
        #expect(after.credential.record.claimed.succession?.since == 2)
        #expect(after.signing.publicKey == before.signing.publicKey)
        #expect(try await messenger.ensureSuccession() == false)
        try await alice.invite(bob, to: room)
        try await bob.say("here", in: room)
        await house.stop()
    }
}

extension Messenger {
    /// Makes an account whose records are of version 1, as the version before did.
    fileprivate func makeOlderAccount(_ name: String, at url: String) async throws {
        let handle = try Handle(name)
        let relay = try await RelayClient(address: url, authorityFile: nil, clock: .system)
            .loginParameters(for: handle).relay
        let (identity, keys, id) = (Curve25519.Signing.PrivateKey(), DeviceKeys(), AccountID.random())
        let record = AccountRecord(relay: relay, account: id, handle: handle, identityKey: identity.publicKey)
        let device = keys.record(relay: relay, account: id, notAfter: 4_000_000_000)
        let list = DeviceList(relay: relay, account: id, number: 1, records: [device])
        let account = AccountState(
            relayAddress: url,
            relay: relay,
            handle: handle,
            account: id,
            device: keys.device,
            bundle: AccountBundle(
                account: Signed(record, by: identity),
                list: Signed(list, by: identity),
                devices: [Signed(device, by: identity)]
            ),
            isRegistered: false
        )
        let pin = AccountPin(handle: handle, account: id, identityKey: identity.publicKey, state: .compared)
        try await alone(making: true) { (messenger, store) throws(MessengerError) in
            try store.put(identity.secretKey, as: .identityKey, [])
            try store.put(keys.signing.secretKey, as: .signingKey, [])
            try store.put(keys.agreement.secretKey, as: .agreementKey, [])
            try store.put(account, as: .account, [])
            try messenger.keep(pin, store)
        }
        try await createAccount(handle, at: url, password: RoomHouse.password)
    }
}
