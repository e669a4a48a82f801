import MildamIdentity
import MildamMLS
import Testing

@testable import MildamRoomRules

/// How large rooms and changes may be.
@Suite("Rooms, H38: limits")
struct LimitRefusalTests {
    /// Leaves of many accounts: what they say of themselves was looked at elsewhere.
    private static func crowd(_ accounts: Int, devices: UInt8 = 1) -> [RoomLeaf] {
        let (identity, key) = (RoomTable.dave.identity.publicKey, RoomTable.dave.signing(1).publicKey)
        let succession = IdentitySuccession(since: 1, nextIdentity: [UInt8](repeating: 0, count: 32))
        return (0..<accounts).flatMap { (number: Int) -> [RoomLeaf] in
            (1...devices).compactMap { (device: UInt8) -> RoomLeaf? in
                let record = DeviceRecord(
                    relay: Somebody.relay,
                    account: Somebody.identifier([8, UInt8(number >> 8), UInt8(number & 255)]),
                    device: Somebody.identifier([8, device]),
                    signatureKey: key,
                    agreementKey: Somebody.agreement.publicKey,
                    notAfter: 1,
                    succession: succession
                )
                return RoomLeaf(record, identity)
            }
        }
    }

    /// Nobody joins a group that is larger.
    private func expect(_ rule: RoomRule, joining table: RoomTable) {
        #expect(throws: RoomRefusal.broken(rule)) {
            try table.members.check(asGroupOf: RoomTable.roomID, generation: 0, seen: nil)
        }
    }

    @Test func addsAreBounded() throws {
        let table = try RoomTable()
        let many = Self.crowd(RoomLimits.adds + 1).map { RoomCommit.Change.add($0) }
        table.accept(table.commit(by: 0, Array(many.dropLast())))
        table.expect(.addsAreBounded, table.commit(by: 0, many))
    }

    @Test func leavesAreBounded() throws {
        // Alice, Bob and Carol have three.
        let full = try RoomTable(more: Array(Self.crowd(222, devices: 9).prefix(RoomLimits.leaves - 3)))
        full.expect(.leavesAreBounded, full.commit(by: 0, [.add(RoomTable.alice.leaf(2))]))
        full.accept(full.commit(by: 0, [.add(RoomTable.alice.leaf(2)), RoomTable.remove(1)]))
        full.accept(full.commit(by: 0))
        let more = Self.crowd(223, devices: 9).prefix(RoomLimits.leaves - 2)
        try expect(.leavesAreBounded, joining: RoomTable(more: Array(more)))
    }

    @Test func accountsAreBounded() throws {
        let full = try RoomTable(more: Self.crowd(RoomLimits.accounts - 3))
        full.expect(.accountsAreBounded, full.commit(by: 0, [.add(RoomTable.dave.leaf())]))
        full.expect(
            .accountsAreBounded,
            full.commit(by: 0, [full.changed { $0.seats[RoomTable.dave.account] = RoomTable.dave.seat }])
        )
        full.accept(full.commit(by: 0, [.add(RoomTable.dave.leaf()), RoomTable.remove(1)]))
        full.accept(full.commit(by: 0, [.add(RoomTable.alice.leaf(2))]))
        try expect(.accountsAreBounded, joining: RoomTable(more: Self.crowd(RoomLimits.accounts - 2)))
    }

    @Test func devicesAreBounded() throws {
        let table = try RoomTable(more: (2...9).map { RoomTable.alice.leaf($0) })
        table.accept(table.commit(by: 0, [.add(RoomTable.alice.leaf(10))]))
        let more: [RoomCommit.Change] = [.add(RoomTable.alice.leaf(10)), .add(RoomTable.alice.leaf(11))]
        table.expect(.devicesAreBounded, table.commit(by: 0, more))
        try expect(.devicesAreBounded, joining: RoomTable(more: (2...11).map { RoomTable.alice.leaf($0) }))
    }

    /// The key package of a device that says it knows so many kinds of extensions more.
    private static func keyPackage(knowing kinds: UInt16) throws -> KeyPackage {
        let listed = (0..<kinds).map { ExtensionType(rawValue: 0x4000 + $0) }
        let bundle = try KeyPackageBundle(
            RoomTable.dave.credential().mls,
            signer: SignatureKeyPair(
                .x25519ChaChaPoly,
                rawRepresentation: RoomTable.dave.signing(1).rawRepresentation
            ),
            capabilities: Capabilities(extensions: [RoomExtension.extensionType] + listed),
            lifetime: Lifetime(notBefore: 1_699_000_000, notAfter: 1_701_000_000)
        )
        return bundle.keyPackage
    }

    @Test func leafIsBounded() throws {
        let sender = Sender.member(LeafIndex(rawValue: 0))
        let short = try Self.keyPackage(knowing: 300)
        #expect(throws: Never.self) { try RoomCommit.Change(.add(short), from: sender) }
        let long = try Self.keyPackage(knowing: 800)
        #expect(throws: RoomRefusal.broken(.leafIsBounded)) { try RoomCommit.Change(.add(long), from: sender) }
    }
}
