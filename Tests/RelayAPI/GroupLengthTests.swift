import MildamIdentity
import MildamWire
import Testing

@testable import MildamRelayAPI

/// A structure in which one field is as long as it may be, or longer.
struct GroupLengthCase: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let longest: Int
    private let read: @Sendable (_ length: Int) throws -> Void

    private init<Value: WireEncodable & WireDecodable & SendableMetatype>(
        _ name: String,
        atMost longest: Int,
        _ value: @escaping @Sendable (_ length: Int) -> Value
    ) {
        testDescription = name
        self.longest = longest
        read = { length in _ = try Value(wireBytes: value(length).wireBytes) }
    }

    func read(_ length: Int) throws { try read(length) }

    private static func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 1, count: count) }

    private static func state(group: Int = 1, tree: Int = 1, info: Int = 1, proposal: Int = 1) -> RoomGroupState {
        RoomGroupState(
            generation: 0,
            groupID: bytes(group),
            epoch: 0,
            treeHash: bytes(tree),
            next: 1,
            handshake: 0,
            due: 0,
            groupInfos: [KeptGroupInfo(accounts: 1, externalPub: bytes(Limits.digest), groupInfo: bytes(info))],
            proposals: [bytes(proposal)]
        )
    }

    private static func refilled(_ content: RefilledMessage.Content) -> RefilledMessage {
        RefilledMessage(
            number: 1,
            generation: 0,
            epoch: 0,
            account: .random(),
            device: .random(),
            id: .random(),
            stored: 0,
            content: content
        )
    }

    /// All that a relay answers in the form of MLS.
    static let all = [
        GroupLengthCase("RoomGroupState, group id", atMost: 255) { state(group: $0) },
        GroupLengthCase("RoomGroupState, tree hash", atMost: 64) { state(tree: $0) },
        GroupLengthCase("RoomGroupState, GroupInfo", atMost: Limits.groupInfo) { state(info: $0) },
        GroupLengthCase("RoomGroupState, proposal", atMost: Limits.proposal) { state(proposal: $0) },
        GroupLengthCase("WelcomeItem", atMost: Limits.welcome) {
            WelcomeItem(generation: 0, epoch: 0, number: 1, welcome: bytes($0))
        },
        GroupLengthCase("ClaimedKeyPackages, key package", atMost: Limits.keyPackage) {
            ClaimedKeyPackages([.init(device: .random(), keyPackage: bytes($0))])
        },
        GroupLengthCase("ClaimedKeyPackages, devices", atMost: Limits.accountDevices) { count in
            ClaimedKeyPackages((0..<count).map { _ in .init(device: .random(), keyPackage: []) }.sorted())
        },
        GroupLengthCase("RefilledMessage, message", atMost: Limits.message) { refilled(.application(bytes($0))) },
        GroupLengthCase("RefilledMessage, proposal", atMost: Limits.message) { refilled(.proposal(bytes($0))) },
        GroupLengthCase("RefilledMessage, commit", atMost: Limits.message) {
            refilled(.commit(bytes($0), groupInfo: [1]))
        },
        GroupLengthCase("RefilledMessage, GroupInfo", atMost: Limits.groupInfo) {
            refilled(.commit([1], groupInfo: bytes($0)))
        },
        GroupLengthCase("RefilledMessage, generation", atMost: Limits.groupInfo) { refilled(.generation(bytes($0))) },
    ]
}

@Suite("The bodies that carry MLS: how long each field may be")
struct GroupLengthTests {
    @Test(arguments: GroupLengthCase.all)
    func longest(_ sample: GroupLengthCase) throws {
        try sample.read(sample.longest)
        #expect(throws: WireError.lengthOutOfRange(sample.longest + 1)) { try sample.read(sample.longest + 1) }
    }
}

extension [ClaimedKeyPackages.Entry] {
    fileprivate func sorted() -> Self { sorted { $0.device < $1.device } }
}
