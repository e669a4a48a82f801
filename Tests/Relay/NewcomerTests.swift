import MildamCrypto
import MildamIdentity
import MildamMLS
import MildamRelayAPI
import MildamRoomRules
import MildamSystem
import MildamTransport
import TestSupport
import Testing

@testable import MildamRelay

@Suite("Rooms that are MLS groups, H7: who comes in is who their account is")
struct NewcomerTests {
    private let rule = RoomRule.newcomerHasRecordedIdentity.rawValue

    /// Another identity of somebody's account, and a device of theirs that it has signed.
    private struct Forgery {
        var identity = Curve25519.Signing.PrivateKey()
        let signing = Curve25519.Signing.PrivateKey()
        var next = IdentitySuccession.commitment(to: Curve25519.Signing.PrivateKey().publicKey)
        let victim: GroupMember

        var seat: Seat {
            let other = RoomIdentity(key: identity.publicKey, rotation: 0, nextIdentity: next)
            return Seat(account: victim.person.account, identity: other)
        }

        func bundle() throws -> KeyPackageBundle {
            let record = DeviceRecord(
                relay: victim.person.relay.server.relay,
                account: victim.person.account,
                device: victim.person.device,
                signatureKey: signing.publicKey,
                agreementKey: victim.person.keys.agreement.publicKey,
                notAfter: 4_000_000_000,
                succession: IdentitySuccession(since: 1, nextIdentity: next)
            )
            let now = UInt64(clamping: WallClock.system.seconds)
            return try KeyPackageBundle(
                DeviceCredential(identityKey: identity.publicKey, record: Signed(record, by: identity)).mls,
                signer: SignatureKeyPair(.x25519ChaChaPoly, rawRepresentation: signing.rawRepresentation),
                capabilities: Capabilities(extensions: [RoomExtension.extensionType]),
                lifetime: Lifetime(notBefore: now - 3_600, notAfter: now + 29 * 86_400)
            )
        }
    }

    /// The seat of somebody's own identity.
    private func seat(of member: GroupMember) -> Seat {
        let next = IdentitySuccession.commitment(to: Curve25519.Signing.PrivateKey().publicKey)
        let identity = RoomIdentity(key: member.person.identity.publicKey, rotation: 0, nextIdentity: next)
        return Seat(account: member.person.account, identity: identity)
    }

    /// A commit that gives somebody a seat.
    private func commit(_ seat: Seat, by member: GroupMember, _ group: inout Group) throws -> GroupSendRequest.Content {
        var room = try RoomMembers(of: group.publicGroup).room
        room.seats[seat.account] = seat
        var options = CommitOptions()
        options.proposals = [.groupContextExtensions(Extensions([RoomExtension.requirements, room.mls]))]
        options.framing = .publicMessage
        options.authenticatedData = CommitReason().wireBytes
        options.sendsTree = false
        options.sendsGroupInfo = true
        let made = try group.commit(options)
        return .commit(made.commit.wireBytes, groupInfo: made.groupInfo?.wireBytes ?? [], welcome: [])
    }

    private typealias Scene = (relay: TestRelay, room: RoomID, mallory: GroupMember, group: Group, bob: GroupMember)

    /// Alice's room with Mallory, who has no role, and somebody who is not in it.
    private func makeRoom() async throws -> Scene {
        let relay = try TestRelay()
        let (alice, bob) = (try await GroupMember("alice", on: relay), try await GroupMember("bobby", on: relay))
        let mallory = try await GroupMember("mallory", on: relay)
        let room = RoomID.random()
        var group = try alice.group(room)
        #expect(try await alice.create(room, group).status == 201)
        let bundle = try mallory.bundle()
        let added = try alice.commit(&group, adding: [bundle.keyPackage])
        #expect(try await alice.send(added, to: room, epoch: 0).status == 201)
        return (relay, room, mallory, try await mallory.join(room, with: bundle), bob)
    }

    @Test("a leaf under a key of the inviter's own is refused, and nothing keeps the account out")
    func leaves() async throws {
        let (relay, room, mallory, joined, bob) = try await makeRoom()
        var group = joined
        let forged = try mallory.commit(&group, adding: [Forgery(victim: bob).bundle().keyPackage])
        #expect(try await mallory.send(forged, to: room, epoch: 1).apiError?.rule == rule)
        group.discardStagedCommit()
        #expect(try await mallory.add(bob, to: room, &group).status == 201)
        await relay.server.stop()
    }

    @Test("so is a seat, which nobody has signed")
    func seats() async throws {
        let (relay, room, mallory, joined, bob) = try await makeRoom()
        var group = joined
        let forged = try commit(Forgery(victim: bob).seat, by: mallory, &group)
        #expect(try await mallory.send(forged, to: room, epoch: 1).apiError?.rule == rule)
        group.discardStagedCommit()
        let good = try commit(seat(of: bob), by: mallory, &group)
        #expect(try await mallory.send(good, to: room, epoch: 1).status == 201)
        await relay.server.stop()
    }

    @Test("no room begins with such a seat")
    func beginnings() async throws {
        let relay = try TestRelay()
        let (alice, bob) = (try await GroupMember("alice", on: relay), try await GroupMember("bobby", on: relay))
        let room = RoomID.random()
        func group(with seat: Seat) throws -> Group {
            let own = RoomExtension(room: room, roles: [alice.person.account: .owner], seats: [seat])
            return try Group(
                with: alice.bundle(),
                extensions: Extensions([RoomExtension.requirements, own.mls]),
                environment: alice.environment
            )
        }
        let forged = try group(with: Forgery(victim: bob).seat)
        #expect(try await alice.create(room, forged).apiError?.rule == rule)
        #expect(try await alice.create(room, group(with: seat(of: bob))).status == 201)
        await relay.server.stop()
    }

    @Test("a room, and a generation, is begun with the key that its account's records say, and with no other")
    func beginner() async throws {
        let relay = try TestRelay()
        let alice = try await GroupMember("alice", on: relay)
        let room = RoomID.random()
        let first = try alice.group(room)
        let own = try #require(try RoomMembers(of: first.publicGroup).identity(of: alice.person.account))
        let earlier = try Forgery(identity: alice.person.identity, next: own.nextIdentity, victim: alice).bundle()
        func group(_ binding: RoomExtension) throws -> Group {
            try Group(
                with: earlier,
                extensions: Extensions([RoomExtension.requirements, binding.mls]),
                environment: alice.environment
            )
        }
        let roles = [alice.person.account: RoomRole.owner]
        let copied = try group(RoomExtension(room: room, roles: roles))
        let other = RoomRule.beginnerHasRecordedKey.rawValue
        #expect(try await alice.create(room, copied).apiError?.rule == other)
        #expect(try await alice.create(room, first).status == 201)
        let end = PreviousGroup(endingWith: first.publicGroup.context)
        let next = try group(RoomExtension(room: room, generation: 1, previous: end, roles: roles))
        let refusal = try await alice.renew(room, by: next, epoch: 0)
        #expect(refusal.apiError?.rule == other, "\(refusal.status) \(String(describing: refusal.apiError))")
        #expect(try await alice.renew(room, by: alice.group(after: first), epoch: 0).status == 201)
        await relay.server.stop()
    }
}
