import Foundation
import MildamCrypto
import MildamIdentity
import MildamMLS
import MildamRelayAPI
import MildamRoomRules
import MildamSystem
import MildamTransport
import MildamWire
import Testing

@testable import MildamRelay

@Suite("Rooms that are MLS groups: a Welcome is taken apart, and each device gets its own part")
struct WelcomeSplitTests {
    private static let rule = "welcomeIsForThoseWhoComeIn"

    /// The same Welcome with other secrets.
    private func welcome(_ encoded: [UInt8], changing change: (inout Welcome) -> Void) throws -> [UInt8] {
        guard case .welcome(var whole) = try MLSMessage(wireBytes: encoded) else { throw CancellationError() }
        change(&whole)
        return MLSMessage.welcome(whole).wireBytes
    }

    /// A key package of the only device of somebody.
    private func keyPackage(on relay: RelayID) throws -> KeyPackage {
        let (identity, signing) = (Curve25519.Signing.PrivateKey(), Curve25519.Signing.PrivateKey())
        let next = IdentitySuccession.commitment(to: Curve25519.Signing.PrivateKey().publicKey)
        let record = DeviceRecord(
            relay: relay,
            account: .random(),
            device: .random(),
            signatureKey: signing.publicKey,
            agreementKey: Curve25519.KeyAgreement.PrivateKey().publicKey,
            notAfter: 4_000_000_000,
            succession: IdentitySuccession(since: 1, nextIdentity: next)
        )
        let now = UInt64(clamping: WallClock.system.seconds)
        return try KeyPackageBundle(
            DeviceCredential(identityKey: identity.publicKey, record: Signed(record, by: identity)).mls,
            signer: SignatureKeyPair(.x25519ChaChaPoly, rawRepresentation: signing.rawRepresentation),
            capabilities: Capabilities(extensions: [RoomExtension.extensionType]),
            lifetime: Lifetime(notBefore: now - 3_600, notAfter: now + 29 * 86_400)
        ).keyPackage
    }

    @Test("two who come in with one commit have one secret each in their mailboxes, their own")
    func mailboxes() async throws {
        let relay = try TestRelay()
        let (alice, bob) = (try await GroupMember("alice", on: relay), try await GroupMember("bobby", on: relay))
        let carol = try await GroupMember("carol", on: relay)
        let room = RoomID.random()
        var group = try alice.group(room)
        #expect(try await alice.create(room, group).status == 201)
        let newcomers = [(bob, try bob.bundle()), (carol, try carol.bundle())]
        let added = try alice.commit(&group, adding: newcomers.map { $0.1.keyPackage })
        #expect(try await alice.send(added, to: room, epoch: 0).status == 201)
        try group.mergeStagedCommit()
        for (member, bundle) in newcomers {
            let mail: MailboxPage = try await member.person.ask(.get, Routes.mailbox.at(query: 1).text).value()
            #expect(mail.items.count == 1)
            let item = try WelcomeItem(wireBytes: [UInt8](try #require(mail.items.first).body))
            guard case .welcome(let own) = try MLSMessage(wireBytes: item.welcome) else { throw CancellationError() }
            #expect(try own.secrets.map(\.newMember) == [bundle.keyPackage.reference()])
            let joined = try await member.join(room, with: bundle)
            #expect(joined.publicGroup.context == group.publicGroup.context)
        }
        await relay.server.stop()
    }

    @Test("two secrets for one who comes in, or too few or too many of them: the commit is refused")
    func otherSecrets() async throws {
        let relay = try TestRelay()
        let (alice, bob) = (try await GroupMember("alice", on: relay), try await GroupMember("bobby", on: relay))
        let carol = try await GroupMember("carol", on: relay)
        let room = RoomID.random()
        var group = try alice.group(room)
        #expect(try await alice.create(room, group).status == 201)
        let (his, hers) = (try bob.bundle().keyPackage, try carol.bundle().keyPackage)
        func refused(_ commit: [UInt8], _ info: [UInt8], _ welcome: [UInt8], _ place: Int) async throws {
            let answer = try await alice.send(
                .commit(commit, groupInfo: info, welcome: welcome),
                to: room,
                epoch: 0
            )
            #expect(answer.apiError?.code == .invalidCommit && answer.apiError?.rule == Self.rule, "\(place)")
        }

        guard case .commit(let one, let oneInfo, let oneWelcome) = try alice.commit(&group, adding: [his]) else {
            Issue.record("no commit")
            return
        }
        let twice = try welcome(oneWelcome) { $0.secrets += $0.secrets }
        try await refused(one, oneInfo, twice, 0)
        group.discardStagedCommit()

        guard case .commit(let two, let info, let whole) = try alice.commit(&group, adding: [his, hers]) else {
            Issue.record("no commit")
            return
        }
        let others = try [
            welcome(whole) { $0.secrets.removeLast() }, welcome(whole) { $0.secrets = [$0.secrets[0], $0.secrets[0]] },
            welcome(whole) { $0.secrets.append($0.secrets[0]) }, welcome(whole) { $0.secrets = [] }, oneWelcome,
        ]
        for (place, other) in others.enumerated() { try await refused(two, info, other, place + 1) }
        for member in [bob, carol] {
            let mail: MailboxPage = try await member.person.ask(.get, Routes.mailbox.at(query: 1).text).value()
            #expect(mail.items.isEmpty)
        }
        let good = GroupSendRequest.Content.commit(two, groupInfo: info, welcome: whole)
        #expect(try await alice.send(good, to: room, epoch: 0).status == 201)
        await relay.server.stop()
    }

    @Test("what a device gets is as long in a room of 50 as in one of two, with however many others it comes in")
    func lengths() async throws {
        let relay = try TestRelay()
        let alice = try await GroupMember("alice", on: relay)
        let id = relay.server.relay
        var lengths: Set<Int> = []
        for (before, together) in [(0, 1), (1, 1), (44, 5)] {
            var group = try alice.group(.random())
            if before > 0 {
                _ = try alice.commit(&group, adding: (0..<before).map { _ in try keyPackage(on: id) })
                try group.mergeStagedCommit()
            }
            let newcomers = try (0..<together).map { _ in try keyPackage(on: id) }
            guard case .commit(_, _, let whole) = try alice.commit(&group, adding: newcomers) else {
                Issue.record("no commit")
                return
            }
            try group.mergeStagedCommit()
            let parts = try WelcomeSplit.split(whole, for: newcomers)
            #expect(parts.count == together)
            // All that a part has beside what every room's has.
            let binding = try #require(RoomExtension(in: group.publicGroup.context.extensions)).wireBytes.count
            lengths.formUnion(parts.map { $0.message.count - binding })
        }
        #expect(lengths.count == 1, "\(lengths)")
        #expect(lengths.allSatisfy { $0 <= 2_048 }, "\(lengths)")
        await relay.server.stop()
    }
}
