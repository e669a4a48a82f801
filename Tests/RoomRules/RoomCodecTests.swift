import MildamIdentity
import MildamMLS
import MildamWire
import Testing

@testable import MildamRoomRules

/// One structure, and how it is read and written again.
struct RoomCodecCase: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let encoding: [UInt8]
    let reencoded: @Sendable ([UInt8]) throws -> [UInt8]

    init<Value: WireEncodable & WireDecodable & Sendable>(_ name: String, _ value: Value) {
        testDescription = name
        encoding = value.wireBytes
        reencoded = { bytes in try Value(wireBytes: bytes).wireBytes }
    }

    static let room = RoomExtension(
        room: RoomTable.roomID,
        generation: 3,
        previous: PreviousGroup(
            room: RoomTable.roomID,
            lastNumber: 41,
            runningHash: [UInt8](repeating: 6, count: PreviousGroup.hashSize)
        ),
        roles: [RoomTable.alice.account: .owner, RoomTable.bob.account: .admin],
        seats: [RoomTable.carol.seat, RoomTable.dave.seat],
        lists: [RoomTable.bob.account: ListVersion(rotation: 1, number: 4)],
        leavings: [RoomTable.dave.account: 12],
        policy: [.membersInvite, .membersDescribe],
        timer: 3600,
        infoDigest: [UInt8](repeating: 7, count: RoomExtension.digestSize)
    )
    static let repair = RepairReason(number: 9, hash: [UInt8](repeating: 8, count: 32), cause: .commitNotProcessable)
    static let reason = CommitReason(
        seen: CommitReason.Seen(number: 5, hash: [UInt8](repeating: 9, count: 32)),
        evidence: [
            RoomTable.alice.list(1, [1, 2]),
            .succession([RoomTable.alice.accountRecord(), RoomTable.alice.successor.accountRecord()]),
            RoomTable.bob.closing(), RoomTable.carol.leaving(room, shown: true), RoomTable.carol.leaving(room),
            .repair(repair),
        ]
    )

    static let all = [
        RoomCodecCase("RoomExtension", room),
        RoomCodecCase("RoomExtension, the least", RoomExtension(room: RoomTable.roomID)),
        RoomCodecCase("Seat", RoomTable.dave.seat),
        RoomCodecCase("MessageName", MessageName(Somebody.identifier([6]))),
        RoomCodecCase("WelcomedInfo", WelcomedInfo(salt: Somebody.identifier([6]), info: [1, 2, 3])),
        RoomCodecCase("DeviceCredential", RoomTable.alice.credential()),
        RoomCodecCase("CommitReason", reason),
        RoomCodecCase("CommitReason, the least", CommitReason()),
    ]
}

@Suite("Rooms: encodings")
struct RoomCodecTests {
    @Test("Round trip", arguments: RoomCodecCase.all)
    func roundTrip(_ sample: RoomCodecCase) throws {
        #expect(try sample.reencoded(sample.encoding) == sample.encoding)
    }

    @Test("Cut at every byte, or one byte longer", arguments: RoomCodecCase.all)
    func truncated(_ sample: RoomCodecCase) {
        for count in sample.encoding.indices {
            #expect(throws: WireError.self) { try sample.reencoded(Array(sample.encoding.prefix(count))) }
        }
        #expect(throws: WireError.trailingBytes(count: 1)) { try sample.reencoded(sample.encoding + [0]) }
    }

    @Test("One bit flipped: refused, or read as exactly what it says", arguments: RoomCodecCase.all)
    func flipped(_ sample: RoomCodecCase) {
        for bit in 0..<sample.encoding.count * 8 {
            var bytes = sample.encoding
            bytes[bit / 8] ^= 1 << (bit % 8)
            do {
                #expect(try sample.reencoded(bytes) == bytes, "bit \(bit)")
            } catch {
                #expect(error is WireError)
            }
        }
    }

    @Test("A seat has 84 bytes, a message's name 17, and a reason that says nothing three")
    func sizes() {
        #expect(RoomTable.dave.seat.wireBytes.count == 84)
        #expect(MessageName(Somebody.identifier([6])).wireBytes.count == 17)
        #expect(CommitReason().wireBytes == [1, 0, 0])
    }

    @Test("Accounts ascend, each once; only admins and owners are listed")
    func order() throws {
        let room = RoomExtension(room: RoomTable.roomID)
        // Version, room, generation, no previous group; then the roles.
        let head = Array(room.wireBytes.prefix(26))
        let tail = Array(room.wireBytes.dropFirst(27))
        func read(_ entries: [([UInt8], UInt8)]) throws -> RoomExtension {
            let roles = entries.flatMap { $0.0 + [$0.1] }
            return try RoomExtension(wireBytes: head + [UInt8(roles.count)] + roles + tail)
        }
        let (one, two) = (RoomTable.alice.account.bytes, RoomTable.bob.account.bytes)
        #expect(try read([(one, 2), (two, 1)]).roles.count == 2)
        for entries in [[(two, 1), (one, 2)], [(one, 2), (one, 2)]] as [[([UInt8], UInt8)]] {
            #expect(throws: WireError.invalidValue(field: "account")) { try read(entries) }
        }
        #expect(throws: WireError.invalidValue(field: "roles")) { try read([(one, 0)]) }
        #expect(throws: WireError.invalidValue(field: "role")) { try read([(one, 3)]) }
    }

    @Test("A device comes back for one of five causes")
    func causes() throws {
        let bytes = RoomCodecCase.repair.wireBytes
        #expect(RepairReason.Cause.allCases.map(\.rawValue) == [1, 2, 3, 4, 5])
        for cause: UInt8 in [0, 6, 255] {
            #expect(throws: WireError.invalidValue(field: "cause")) {
                try RepairReason(wireBytes: Array(bytes.dropLast()) + [cause])
            }
        }
    }

    @Test("What a later version says is not taken for this one's")
    func versions() {
        for sample in RoomCodecCase.all where sample.testDescription != "Seat" {
            for version: UInt8 in [0, 2, 255] {
                #expect(throws: WireError.invalidValue(field: "version")) {
                    try sample.reencoded([version] + sample.encoding.dropFirst())
                }
            }
        }
        var bits = RoomExtension(room: RoomTable.roomID)
        bits.policy = RoomPolicyBits(rawValue: 16)
        #expect(throws: WireError.invalidValue(field: "policy")) { try RoomExtension(wireBytes: bits.wireBytes) }
    }
}
