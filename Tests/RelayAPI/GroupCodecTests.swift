import Foundation
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

    /// A commit with which these links are shown.
    static func linked(_ links: [ShownLink]) -> GroupSendRequest {
        let content = GroupSendRequest.Content.commit([1], groupInfo: [2], welcome: [3, 4])
        return GroupSendRequest(id: .random(), generation: 3, epoch: 7, seen: 41, content: content, links: links)
    }

    /// A link of an account.
    static func link(of account: AccountID) -> ShownLink {
        ShownLink(account: account, secret: Data(repeating: 7, count: Limits.linkSecret))
    }

    private static let links = [AccountID.random(), .random()].sorted().map { link(of: $0) }

    private static func info(_ number: UInt8) -> KeptGroupInfo {
        let digest = [UInt8](repeating: number, count: Limits.digest)
        return KeptGroupInfo(accounts: UInt32(number), externalPub: digest, groupInfo: [number])
    }

    private static func givenBack(_ number: UInt64, _ content: RefilledMessage.Content) -> RefilledMessage {
        RefilledMessage(
            number: number,
            generation: 1,
            epoch: 2,
            account: .random(),
            device: .random(),
            id: .random(),
            stored: 1_700_000_000_000,
            content: content
        )
    }

    private static let refilled = [
        givenBack(3, .application([1, 2])), givenBack(4, .proposal([3])),
        givenBack(7, .commit([4], groupInfo: [5, 6])),
        givenBack(8, .commit([4], groupInfo: [])), givenBack(9, .generation([7])),
    ]

    private static let devices = [DeviceID.random(), .random()].sorted()

    static let all = [
        GroupCodecCase("CreateGroupRequest", CreateGroupRequest(groupInfo: [1, 2], ratchetTree: [3])),
        GroupCodecCase("GroupSendRequest, application", send(.application([1, 2, 3]))),
        GroupCodecCase(
            "GroupSendRequest, blobs",
            GroupSendRequest(
                id: .random(),
                generation: 3,
                epoch: 7,
                seen: 41,
                content: .application([1]),
                blobs: [BlobID.random(), .random()].sorted()
            )
        ),
        GroupCodecCase("GroupSendRequest, proposal", send(.proposal([1]))),
        GroupCodecCase("GroupSendRequest, commit", send(.commit([1], groupInfo: [2, 3], welcome: []))),
        GroupCodecCase("GroupSendRequest, Welcome", send(.commit([1], groupInfo: [2], welcome: [3, 4]))),
        GroupCodecCase("GroupSendRequest, links", linked(links)),
        GroupCodecCase(
            "RoomGroupState",
            RoomGroupState(
                generation: 1,
                groupID: [1, 2],
                epoch: 3,
                treeHash: [4],
                next: 9,
                handshake: 5,
                due: 6,
                groupInfos: [info(1), info(2)],
                proposals: [[8], [9, 10]]
            )
        ),
        GroupCodecCase("KeptGroupInfo", info(3)),
        GroupCodecCase("GroupInfoRequest", GroupInfoRequest(generation: 1, epoch: 2, groupInfo: [3, 4])),
        GroupCodecCase(
            "GenerationRequest",
            GenerationRequest(id: .random(), generation: 1, epoch: 2, seen: 3, groupInfo: [4, 5])
        ),
        GroupCodecCase("RefillRequest", RefillRequest(shown: 9, messages: refilled)),
        GroupCodecCase("RefillRequest, none", RefillRequest(shown: 9)),
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

    @Test("A group has one to four GroupInfos whose keys differ, and so many proposals that wait")
    func kept() throws {
        func state(_ keys: [UInt8], proposals: Int = 0, info: Int = 1) -> [UInt8] {
            let infos = keys.map { key in
                KeptGroupInfo(
                    accounts: 1,
                    externalPub: [UInt8](repeating: key, count: Limits.digest),
                    groupInfo: [UInt8](repeating: 0, count: info)
                )
            }
            return RoomGroupState(
                generation: 0,
                groupID: [1],
                epoch: 0,
                treeHash: [1],
                next: 1,
                handshake: 0,
                due: 0,
                groupInfos: infos,
                proposals: [[UInt8]](repeating: [1], count: proposals)
            ).wireBytes
        }
        #expect(try RoomGroupState(wireBytes: state([1, 2, 3, 4], proposals: Limits.proposals)).groupInfos.count == 4)
        let refused: [([UInt8], WireError)] = [
            (state([]), .lengthOutOfRange(0)), (state([1, 2, 3, 4, 5]), .lengthOutOfRange(5)),
            (state([1, 2, 1]), .invalidValue(field: "external_pub")),
            (state([1], info: Limits.groupInfo + 1), .lengthOutOfRange(Limits.groupInfo + 1)),
            (state([1], proposals: Limits.proposals + 1), .lengthOutOfRange(Limits.proposals + 1)),
        ]
        for (bytes, error) in refused {
            #expect(throws: error) { try RoomGroupState(wireBytes: bytes) }
        }
        let long = GroupInfoRequest(
            generation: 0,
            epoch: 0,
            groupInfo: [UInt8](repeating: 0, count: Limits.groupInfo + 1)
        )
        #expect(throws: WireError.lengthOutOfRange(Limits.groupInfo + 1)) {
            try GroupInfoRequest(wireBytes: long.wireBytes)
        }
        let late = GenerationRequest(id: .random(), generation: 0, epoch: 0, seen: Limits.number + 1, groupInfo: [1])
        #expect(throws: WireError.invalidValue(field: "seen")) { try GenerationRequest(wireBytes: late.wireBytes) }
    }

    @Test("links are shown one for each account, and not too many; without any a commit is of the other kind")
    func links() {
        let link = GroupCodecCase.link(of: .random())
        let twice = GroupCodecCase.linked([link, link])
        #expect(throws: WireError.invalidValue(field: "links")) { try GroupSendRequest(wireBytes: twice.wireBytes) }
        let accounts = (0...Limits.shownLinks).map { _ in AccountID.random() }.sorted()
        let many = GroupCodecCase.linked(accounts.map { GroupCodecCase.link(of: $0) })
        #expect(throws: WireError.lengthOutOfRange(Limits.shownLinks + 1)) {
            try GroupSendRequest(wireBytes: many.wireBytes)
        }
        // The kind stands behind version, id, generation, epoch and what was seen.
        var none = GroupCodecCase.linked([]).wireBytes + [0]
        none[1 + 16 + 4 + 8 + 8] = 4
        #expect(throws: WireError.lengthOutOfRange(0)) { try GroupSendRequest(wireBytes: none) }
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

@Suite("protocol.md, A relay that went back: what is given back")
struct RefillCodecTests {
    private func message(
        _ number: UInt64,
        stored: UInt64 = 1,
        _ content: RefilledMessage.Content = .application([1])
    ) -> RefilledMessage {
        RefilledMessage(
            number: number,
            generation: 0,
            epoch: 0,
            account: .random(),
            device: .random(),
            id: .random(),
            stored: stored,
            content: content
        )
    }

    @Test("numbers begin with 1, ascend, and none is above the last that is shown")
    func numbers() throws {
        for (shown, numbers) in [(9, [0]), (9, [2, 2]), (9, [3, 2]), (2, [3])] as [(UInt64, [UInt64])] {
            let request = RefillRequest(shown: shown, messages: numbers.map { message($0) })
            #expect(throws: WireError.invalidValue(field: "number"), "\(numbers)") {
                try RefillRequest(wireBytes: request.wireBytes)
            }
        }
        let beyond = RefillRequest(shown: Limits.number + 1)
        #expect(throws: WireError.invalidValue(field: "shown")) { try RefillRequest(wireBytes: beyond.wireBytes) }
        let late = RefillRequest(shown: 9, messages: [message(1, stored: .max)])
        #expect(throws: WireError.invalidValue(field: "stored")) { try RefillRequest(wireBytes: late.wireBytes) }
    }

    @Test("a generation is no longer than a GroupInfo")
    func generations() {
        let long = message(1, .generation([UInt8](repeating: 0, count: Limits.groupInfo + 1)))
        #expect(throws: WireError.lengthOutOfRange(Limits.groupInfo + 1)) {
            try RefilledMessage(wireBytes: long.wireBytes)
        }
    }

    @Test("so many at once, and no more")
    func count() throws {
        let most = (1...UInt64(Limits.page)).map { message($0) }
        let full = RefillRequest(shown: 1_000, messages: most)
        #expect(try RefillRequest(wireBytes: full.wireBytes) == full)
        let more = RefillRequest(shown: 1_000, messages: most + [message(UInt64(Limits.page) + 1)])
        #expect(throws: WireError.lengthOutOfRange(Limits.page + 1)) { try RefillRequest(wireBytes: more.wireBytes) }
    }

    @Test("blobs are named once each, and not too many")
    func blobs() {
        func request(_ blobs: [BlobID]) -> GroupSendRequest {
            GroupSendRequest(id: .random(), generation: 0, epoch: 0, seen: 0, content: .application([1]), blobs: blobs)
        }
        let blob = BlobID.random()
        let twice = request([blob, blob])
        #expect(throws: WireError.invalidValue(field: "blobs")) { try GroupSendRequest(wireBytes: twice.wireBytes) }
        let many = request((0...Limits.namedBlobs).map { _ in BlobID.random() }.sorted())
        #expect(throws: WireError.lengthOutOfRange(Limits.namedBlobs + 1)) {
            try GroupSendRequest(wireBytes: many.wireBytes)
        }
    }
}
