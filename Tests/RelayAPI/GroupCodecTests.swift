import MildamIdentity
import MildamWire
import Testing

@testable import MildamRelayAPI

/// One structure of a group's routes, and how it is read and written again.
struct GroupCodecCase: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let encoding: [UInt8]
    let reencoded: @Sendable ([UInt8]) throws -> [UInt8]

    init<Value: WireEncodable & WireDecodable & Sendable & SendableMetatype>(_ name: String, _ value: Value) {
        testDescription = name
        encoding = value.wireBytes
        reencoded = { bytes in try Value(wireBytes: bytes).wireBytes }
    }

    private static func send(_ content: GroupSendRequest.Content) -> GroupSendRequest {
        GroupSendRequest(id: .random(), generation: 3, epoch: 7, seen: 41, content: content)
    }

    private static let devices = [DeviceID.random(), .random()].sorted()

    static let all = [
        GroupCodecCase("CreateGroupRequest", CreateGroupRequest(groupInfo: [1, 2], ratchetTree: [3])),
        GroupCodecCase("GroupSendRequest, application", send(.application([1, 2, 3]))),
        GroupCodecCase("GroupSendRequest, proposal", send(.proposal([1]))),
        GroupCodecCase("GroupSendRequest, commit", send(.commit([1], groupInfo: [2, 3], welcome: []))),
        GroupCodecCase("GroupSendRequest, Welcome", send(.commit([1], groupInfo: [2], welcome: [3, 4]))),
        GroupCodecCase(
            "RoomGroupState",
            RoomGroupState(
                generation: 1,
                groupID: [1, 2],
                epoch: 3,
                treeHash: [4],
                handshake: 5,
                due: 6,
                groupInfo: [7]
            )
        ),
        GroupCodecCase("WelcomeItem", WelcomeItem(generation: 1, epoch: 2, number: 3, welcome: [4])),
        GroupCodecCase("KeyPackageUpload", KeyPackageUpload([[1], [2, 3]], replaces: true)),
        GroupCodecCase("KeyPackageUpload, none", KeyPackageUpload([])),
        GroupCodecCase(
            "ClaimedKeyPackages",
            ClaimedKeyPackages([
                .init(device: devices[0], keyPackage: [1, 2]), .init(device: devices[1], keyPackage: []),
            ])
        ),
    ]
}

@Suite("protocol.md, Requests: the bodies that carry MLS")
struct GroupCodecTests {
    @Test("Round trip", arguments: GroupCodecCase.all)
    func roundTrip(_ sample: GroupCodecCase) throws {
        #expect(try sample.reencoded(sample.encoding) == sample.encoding)
    }

    @Test("Cut at each byte, and with one more", arguments: GroupCodecCase.all)
    func cut(_ sample: GroupCodecCase) {
        for count in sample.encoding.indices {
            #expect(throws: WireError.self) { try sample.reencoded(Array(sample.encoding.prefix(count))) }
        }
        #expect(throws: WireError.self) { try sample.reencoded(sample.encoding + [0]) }
    }

    /// There is one encoding of everything: what is read with a bit flipped is written so.
    @Test("One bit flipped", arguments: GroupCodecCase.all)
    func flipped(_ sample: GroupCodecCase) {
        for bit in 0..<8 * sample.encoding.count {
            var bytes = sample.encoding
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            guard let again = try? sample.reencoded(bytes) else { continue }
            #expect(again == bytes, "bit \(bit)")
        }
    }

    @Test("What is too long is refused by its length, before there is any of it")
    func lengths() {
        // A body that claims 1 GiB.
        let claimed: [UInt8] = [1, 0xBF, 0xFF, 0xFF, 0xFF]
        #expect(throws: WireError.lengthOutOfRange(1 << 30 - 1)) { try CreateGroupRequest(wireBytes: claimed) }
        let info = CreateGroupRequest(groupInfo: [UInt8](repeating: 0, count: Limits.groupInfo + 1), ratchetTree: [1])
        #expect(throws: WireError.lengthOutOfRange(Limits.groupInfo + 1)) {
            try CreateGroupRequest(wireBytes: info.wireBytes)
        }
        let many = KeyPackageUpload([[UInt8]](repeating: [1], count: Limits.keyPackages + 1))
        #expect(throws: WireError.lengthOutOfRange(Limits.keyPackages + 1)) {
            try KeyPackageUpload(wireBytes: many.wireBytes)
        }
    }

    @Test("No number is beyond all bounds, and no device stands twice")
    func numbers() {
        let item = WelcomeItem(generation: 1, epoch: Limits.number + 1, number: 1, welcome: [1])
        #expect(throws: WireError.invalidValue(field: "epoch")) { try WelcomeItem(wireBytes: item.wireBytes) }
        let entry = ClaimedKeyPackages.Entry(device: .random(), keyPackage: [])
        let twice = ClaimedKeyPackages([entry, entry])
        #expect(throws: WireError.invalidValue(field: "device")) { try ClaimedKeyPackages(wireBytes: twice.wireBytes) }
    }
}
