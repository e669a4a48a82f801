import MildamCrypto
import MildamIdentity
import MildamMLS
import MildamWire
import Testing

@testable import MildamRoomRules

/// What a leaf says of itself.
@Suite("Rooms, H3: credentials that are refused")
struct DeviceRefusalTests {
    private let alice = RoomTable.alice

    private func expect(_ rule: RoomRule, _ credential: Credential, key: Curve25519.Signing.PublicKey? = nil) {
        let key = SignaturePublicKey(Array((key ?? alice.signing(1).publicKey).rawRepresentation))
        #expect(throws: RoomRefusal.broken(rule)) { try RoomLeaf(credential, signatureKey: key) }
        #expect(!RoomAuthentication().isValid(credential, signatureKey: key))
    }

    @Test func whoIsTaken() throws {
        let credential = alice.credential().mls
        let key = SignaturePublicKey(Array(alice.signing(1).publicKey.rawRepresentation))
        #expect(try RoomLeaf(credential, signatureKey: key) == alice.leaf())
        #expect(RoomAuthentication().isValid(credential, signatureKey: key))
        #expect(alice.leaf().client == alice.account.bytes + alice.record().device.bytes)
        #expect(alice.credential().wireBytes.count == 262)
    }

    @Test func credentialIsADevices() {
        expect(.credentialIsADevices, .basic(identity: Array("alice".utf8)))
        expect(.credentialIsADevices, .basic(identity: alice.credential().wireBytes + [0]))
        expect(.credentialIsADevices, .basic(identity: [2] + alice.credential().wireBytes.dropFirst()))
        expect(.credentialIsADevices, .x509(certificates: []))
    }

    @Test func recordIsSignedByIdentity() {
        let forged = DeviceCredential(
            identityKey: alice.identity.publicKey,
            record: Signed(alice.record(), by: RoomTable.bob.identity)
        )
        expect(.recordIsSignedByIdentity, forged.mls)
        let anothers = DeviceCredential(
            identityKey: RoomTable.bob.identity.publicKey,
            record: Signed(alice.record(), by: alice.identity)
        )
        expect(.recordIsSignedByIdentity, anothers.mls)
    }

    @Test func recordIsOfVersion2() {
        let first = DeviceCredential(
            identityKey: alice.identity.publicKey,
            record: Signed(alice.record(version: 1), by: alice.identity)
        )
        expect(.recordIsOfVersion2, first.mls)
    }

    @Test func leafHasKeyOfRecord() {
        expect(.leafHasKeyOfRecord, alice.credential().mls, key: alice.signing(2).publicKey)
    }

    @Test func successorIsSameDevice() throws {
        let old = alice.credential().mls
        try RoomAuthentication.checkSuccession(from: old, to: alice.successor.credential().mls)
        #expect(RoomAuthentication().isValid(alice.successor.credential().mls, asSuccessorOf: old))
        for other in [alice.credential(2).mls, RoomTable.bob.credential().mls, .basic(identity: [1])] {
            #expect(throws: RoomRefusal.broken(.successorIsSameDevice)) {
                try RoomAuthentication.checkSuccession(from: old, to: other)
            }
            #expect(!RoomAuthentication().isValid(other, asSuccessorOf: old))
        }
    }

    @Test func deviceHasOneLeaf() throws {
        let table = try RoomTable()
        table.expect(.deviceHasOneLeaf, table.commit(by: 0, [.add(alice.leaf())]))
        let list = RoomTable.bob.list(1, [1, 2])
        let twice: [RoomCommit.Change] = [.add(RoomTable.bob.leaf(2)), .add(RoomTable.bob.leaf(2))]
        table.expect(.deviceHasOneLeaf, table.commit(by: 0, twice, [list]))
        table.expect(.deviceHasOneLeaf, table.join(as: RoomTable.bob.leaf(), [], [list]))
        table.accept(table.join(as: RoomTable.bob.leaf(), [RoomTable.remove(1)], [list]))
    }

    @Test func entrantHasAccountsIdentity() throws {
        let table = try RoomTable()
        let new = alice.successor
        table.expect(.entrantHasAccountsIdentity, table.commit(by: 0, [.add(new.leaf(2))]))
        // A key of one's own choosing, which nothing in the room leads to.
        let stranger = try #require(RoomLeaf(alice.record(), RoomTable.dave.identity.publicKey))
        table.expect(.entrantHasAccountsIdentity, table.commit(by: 0, pathLeaf: stranger))
        table.accept(table.commit(by: 0, pathLeaf: alice.leaf()))
        // The same key, and another one to follow it: whoever has stolen a key signs records, and names no successor.
        let other = RoomTable.bob.nextIdentity
        table.expect(.entrantHasAccountsIdentity, table.commit(by: 0, pathLeaf: alice.leaf(nextIdentity: other)))
        table.expect(.entrantHasAccountsIdentity, table.commit(by: 0, [.add(alice.leaf(2, nextIdentity: other))]))
        let proof = Evidence.succession([new.accountRecord()])
        table.accept(table.commit(by: 0, [.add(new.leaf(2))], [proof]))
        table.accept(table.commit(by: 0, [], [proof], pathLeaf: new.leaf()))
        table.accept(table.join(as: new.leaf(), [RoomTable.remove(0)], [proof, new.list(4, [1])]))

        let later = new.successor
        let chain = Evidence.succession([new.accountRecord(), later.accountRecord()])
        table.accept(table.commit(by: 0, [.add(later.leaf(2))], [chain]))
        for broken in [[later.accountRecord()], [later.accountRecord(), new.accountRecord()], []] {
            table.expect(
                .entrantHasAccountsIdentity,
                table.commit(by: 0, [.add(later.leaf(2))], [.succession(broken)])
            )
        }
        // Once a higher rotation is in the room, a leaf of the lower one does not come in.
        let mixed = try RoomTable(more: [new.leaf(2)])
        mixed.expect(.entrantHasAccountsIdentity, mixed.commit(by: 0, [.add(alice.leaf(3))]))
    }

    @Test func senderIsDeviceOfLeaf() throws {
        let members = try RoomTable().members
        let (leaf, device) = (LeafIndex(rawValue: 0), alice.record().device)
        try members.check(senderAt: leaf, is: device, of: alice.account)
        let others: [(LeafIndex, DeviceID, AccountID)] = [
            (leaf, alice.record(2).device, alice.account), (leaf, device, RoomTable.bob.account),
            (LeafIndex(rawValue: 1), device, alice.account), (LeafIndex(rawValue: 7), device, alice.account),
        ]
        for (index, device, account) in others {
            #expect(throws: RoomRefusal.broken(.senderIsDeviceOfLeaf)) {
                try members.check(senderAt: index, is: device, of: account)
            }
        }
    }

    @Test("Two devices of an account that nobody knows have one identity")
    func newcomersAgree() throws {
        let table = try RoomTable()
        let (one, other) = (RoomTable.dave.leaf(1), RoomTable.dave.successor.leaf(2))
        table.expect(.entrantHasAccountsIdentity, table.commit(by: 0, [.add(one), .add(other)]))
        table.accept(table.commit(by: 0, [.add(one), .add(RoomTable.dave.leaf(2))]))
    }
}
