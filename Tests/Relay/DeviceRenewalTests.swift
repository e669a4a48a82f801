import Foundation
import MildamCrypto
import MildamIdentity
import MildamRelayAPI
import MildamTransport
import Testing

@testable import MildamRelay

/// `PUT /v1/accounts/HANDLE/devices`: a device takes new keys.
@Suite("A device with new keys over HTTP")
struct DeviceRenewalTests {
    /// New keys of somebody's device, and what their account becomes with them.
    private struct Next {
        let keys: DeviceKeys
        var bundle: AccountBundle

        init(of person: Person) throws {
            keys = DeviceKeys(device: person.device, signing: .init(), agreement: .init())
            let record = keys.record(
                relay: person.relay.server.relay,
                account: person.account,
                notAfter: 4_000_000_000
            )
            bundle = try #require(
                person.bundle.renewing(record, handedOverBy: person.keys.signing, identity: person.identity)
            )
        }

        /// The digest of the list that the bundle shows.
        func digest(_ person: Person) throws -> [UInt8] {
            try bundle.verified(for: person.handle, on: person.relay.server.relay, pin: nil, at: 0).list.digest
        }
    }

    private func request(
        _ next: Next,
        of person: Person,
        time: Int64? = nil,
        purpose: DeviceProof.Purpose = .renewal,
        presenting: [UInt8]? = nil,
        new: DeviceKeys? = nil,
        old: DeviceKeys? = nil
    ) throws -> RenewDeviceRequest {
        let time = time ?? person.relay.now
        let proof = DeviceProof(
            purpose,
            relay: person.relay.server.relay,
            device: person.device,
            time: time,
            presenting: try presenting ?? next.digest(person)
        ).signedBytes
        return RenewDeviceRequest(
            bundle: next.bundle,
            time: time,
            signature: (new ?? next.keys).signing.signature(for: proof),
            earlierSignature: (old ?? person.keys).signing.signature(for: proof)
        )
    }

    private func put(_ request: RenewDeviceRequest, _ person: Person) async throws -> HTTPResponse {
        try await person.ask(Routes.renewDevice.at(person.handle), request)
    }

    @Test("the session goes on, and is refreshed and opened under the new key alone")
    func renewed() async throws {
        let relay = try TestRelay()
        var alice = try await Person("alice", on: relay)
        let bob = try await Person("bob", on: relay)
        let next = try Next(of: alice)
        #expect(try await put(try request(next, of: alice), alice).status == 204)
        let shown: AccountBundle = try await bob.ask(.get, Routes.account.at(alice.handle).path).value()
        let account = try shown.verified(
            for: alice.handle,
            on: relay.server.relay,
            pin: AccountPin(
                handle: alice.handle,
                account: alice.account,
                identityKey: alice.identity.publicKey,
                listNumber: 1,
                listDigest: try alice.bundle.verified(
                    for: alice.handle,
                    on: relay.server.relay,
                    pin: nil,
                    at: 0
                ).list.digest
            ),
            at: 0
        )
        #expect(account.list.number == 2)
        #expect(account.devices[alice.device]?.signatureKey == next.keys.signing.publicKey)

        #expect(try await alice.refresh(alice.tokens.refresh).apiError?.code == .wrongCredentials)
        #expect(try await relay.ask(alice.loginRequest()).apiError?.code == .wrongCredentials)
        let old = alice.keys
        alice.keys = next.keys
        let refreshed: SessionTokens = try await alice.refresh(alice.tokens.refresh).value()
        #expect(refreshed.session == alice.tokens.session)
        #expect(try await relay.ask(alice.loginRequest()).status == 200)
        #expect(
            try await relay.ask(alice.loginRequest(keys: old)).apiError?.code == .wrongCredentials
        )
        await relay.server.stop()
    }

    @Test(
        "whoever listens with the device's tokens is put off, and listens again only as long as the access token lives"
    )
    func sockets() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        let target = try #require(HTTPTarget(Routes.socket.path))
        func listen() async throws -> WebSocketConnection {
            try await WebSocketClient.connect(
                Endpoint(relay.server.address),
                target,
                fields: ["Authorization": "Bearer " + alice.token]
            )
        }
        let socket = try await listen()
        #expect(try await put(try request(try Next(of: alice), of: alice), alice).status == 204)
        for await _ in socket.messages {}
        #expect(socket.closing?.code == 4401)
        try await listen().close()
        relay.advance(seconds: 301)
        await #expect(throws: TransportError.self) { try await listen() }
        await relay.server.stop()
    }

    @Test("key packages of the old keys are withdrawn: nobody is brought in under a key that is gone (H17)")
    func keyPackages() async throws {
        let relay = try TestRelay()
        let (alice, bob) = (try await GroupMember("alice", on: relay), try await GroupMember("bobby", on: relay))
        let bundles = [try alice.bundle(), try alice.bundle(isLastResort: true)]
        let before: KeyPackageCount = try await alice.publish(bundles).value()
        #expect(before == KeyPackageCount(left: 1, hasLastResort: true))
        let person = alice.person
        #expect(try await put(try request(try Next(of: person), of: person), person).status == 204)
        let after: KeyPackageCount = try await person.ask(.get, Routes.keyPackages.path).value()
        #expect(after == KeyPackageCount(left: 0, hasLastResort: false))
        let claim = ClaimRequest(id: .random(), room: .random())
        let claimed = try await bob.person.ask(Routes.claimKeyPackages.at(person.handle), claim)
        #expect(claimed.apiError?.code == .noKeyPackage)
        #expect(try await alice.publish(bundles).apiError?.code == .badIdentity, "they do not come back")
        await relay.server.stop()
    }

    @Test("the same request again is answered alike, and changes nothing; another list of that number is refused")
    func again() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        let (next, other) = (try Next(of: alice), try Next(of: alice))
        #expect(try await put(try request(next, of: alice), alice).status == 204)
        let after = try relay.dump()
        relay.advance(seconds: 30)
        #expect(try await put(try request(next, of: alice), alice).status == 204)
        let refusal = try await put(try request(other, of: alice), alice).apiError
        #expect(refusal?.code == .staleList && refusal?.number == 2)
        #expect(try relay.dump() == after)
        // Once there is a third list, the second comes no more.
        var renewed = alice
        renewed.keys = next.keys
        renewed.bundle = next.bundle
        #expect(try await put(try request(try Next(of: renewed), of: renewed), renewed).status == 204)
        #expect(try await put(try request(next, of: alice), alice).apiError?.code == .staleList)
        await relay.server.stop()
    }

    @Test("a list that is skipped, or that nothing leads to")
    func skipped() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        let before = try relay.dump()
        var second = alice
        let next = try Next(of: alice)
        second.keys = next.keys
        second.bundle = next.bundle
        // List 3, with list 2 before it, which the relay has never seen.
        #expect(try await put(try request(try Next(of: second), of: second), second).apiError?.code == .staleList)
        var alone = next
        alone.bundle = AccountBundle(
            account: next.bundle.account,
            list: next.bundle.list,
            devices: next.bundle.devices
        )
        #expect(try await put(try request(alone, of: alice), alice).apiError?.code == .staleList)
        // List 2 that goes on from another list 1.
        var other = alice
        other.keys = DeviceKeys(device: alice.device, signing: .init(), agreement: .init())
        let record = other.keys.record(relay: relay.server.relay, account: alice.account, notAfter: 4_000_000_000)
        let list = DeviceList(relay: relay.server.relay, account: alice.account, number: 1, records: [record])
        other.bundle = AccountBundle(
            account: alice.bundle.account,
            list: Signed(list, by: alice.identity),
            devices: [Signed(record, by: alice.identity)]
        )
        #expect(try await put(try request(try Next(of: other), of: other), alice).apiError?.code == .staleList)
        #expect(try relay.dump() == before)
        await relay.server.stop()
    }

    @Test("proofs: by both keys, of now, for this list, and for nothing else")
    func proofs() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        let next = try Next(of: alice)
        let before = try relay.dump()
        for bad in [
            try request(next, of: alice, new: alice.keys), try request(next, of: alice, old: next.keys),
            try request(next, of: alice, new: DeviceKeys()), try request(next, of: alice, old: DeviceKeys()),
            try request(next, of: alice, time: relay.now - 700), try request(next, of: alice, time: relay.now + 700),
            try request(next, of: alice, purpose: .password), try request(next, of: alice, purpose: .deletion),
            try request(next, of: alice, presenting: [1]),
        ] {
            #expect(try await put(bad, alice).apiError?.code == .wrongCredentials)
        }
        var short = try request(next, of: alice)
        short.signature.removeLast()
        #expect(try await put(short, alice).apiError?.code == .badRequest)
        short = try request(next, of: alice)
        short.earlierSignature.append(0)
        #expect(try await put(short, alice).apiError?.code == .badRequest)
        let unknown = try await relay.ask(Routes.renewDevice.at(alice.handle), token: nil, try request(next, of: alice))
        #expect(unknown.apiError?.code == .unauthorized)
        #expect(try relay.dump() == before)
        await relay.server.stop()
    }

    @Test("records that do not fit: another's, another key's, another device's, or no new ones")
    func records() async throws {
        let relay = try TestRelay()
        let id = relay.server.relay
        let alice = try await Person("alice", on: relay)
        let bob = try await Person("bob", on: relay)
        let before = try relay.dump()
        let next = try Next(of: alice)
        // bob's token with alice's records, and the other way round.
        #expect(
            try await bob.ask(Routes.renewDevice.at(alice.handle), try request(next, of: alice)).apiError?.code
                == .badIdentity
        )
        #expect(
            try await alice.ask(Routes.renewDevice.at(bob.handle), try request(next, of: alice)).apiError?.code
                == .badIdentity
        )
        let record = next.keys.record(relay: id, account: alice.account, notAfter: 4_000_000_000)
        func bundle(by key: Curve25519.Signing.PrivateKey, record: DeviceRecord) throws -> AccountBundle {
            try #require(alice.bundle.renewing(record, handedOverBy: alice.keys.signing, identity: key))
        }
        // Signed by the device's old key in the identity key's place, and by a stranger.
        for key in [alice.keys.signing, bob.identity] {
            var forged = next
            forged.bundle = try bundle(by: key, record: record)
            let bad = try request(forged, of: alice, presenting: try next.digest(alice))
            #expect(try await put(bad, alice).apiError?.code == .badIdentity)
        }
        // No new keys; a further device beside them.
        var same = next
        same.bundle = try bundle(
            by: alice.identity,
            record: alice.keys.record(relay: id, account: alice.account, notAfter: 4_000_000_000)
        )
        #expect(try await put(try request(same, of: alice), alice).apiError?.code == .badIdentity)
        var further = next
        let records = [record, DeviceKeys().record(relay: id, account: alice.account, notAfter: 4_000_000_000)]
        let first = try alice.bundle.verified(for: alice.handle, on: id, pin: nil, at: 0).list
        let two = DeviceList(relay: id, account: alice.account, number: 2, records: records)
        let handover = DeviceHandover(by: alice.device, from: first, to: two)
        further.bundle = AccountBundle(
            account: alice.bundle.account,
            list: Signed(two, by: alice.identity),
            devices: records.map { Signed($0, by: alice.identity) },
            earlier: [
                EarlierDevices(
                    list: alice.bundle.list,
                    devices: alice.bundle.devices,
                    handover: Signed(handover, by: alice.keys.signing)
                )
            ]
        )
        #expect(try await put(try request(further, of: alice), alice).apiError?.code == .badIdentity)
        #expect(try relay.dump() == before)
        await relay.server.stop()
    }

    @Test("nobody registers with lists from before")
    func registration() async throws {
        let relay = try TestRelay()
        let request = try Person.registration("alice", relay: relay.server.relay)
        let record = request.keys.record(
            relay: relay.server.relay,
            account: request.account,
            notAfter: 4_000_000_000
        )
        let zero = DeviceList(relay: relay.server.relay, account: request.account, number: 0, records: [record])
        let first = DeviceList(relay: relay.server.relay, account: request.account, number: 1, records: [record])
        var body = request.body
        body.bundle = AccountBundle(
            account: body.bundle.account,
            list: body.bundle.list,
            devices: body.bundle.devices,
            earlier: [
                EarlierDevices(
                    list: Signed(zero, by: request.identity),
                    devices: [],
                    handover: Signed(
                        DeviceHandover(by: request.keys.device, from: zero, to: first),
                        by: request.keys.signing
                    )
                )
            ]
        )
        #expect(try await relay.ask(Routes.register.at(), body).apiError?.code == .badIdentity)
        await relay.server.stop()
    }
}
