import FoundationEssentials
import MildamIdentity
import MildamRelayAPI
import MildamWire

extension FuzzTarget {
    /// The bodies that carry MLS between clients and the relay. The first byte says which.
    static let groupBodies = FuzzTarget(
        name: "group-bodies",
        source: .network,
        seeds: {
            let id: MessageID = FixedKeys.id(1)
            func sent(_ content: GroupSendRequest.Content) -> [UInt8] {
                [1] + GroupSendRequest(id: id, generation: 0, epoch: 1, seen: 2, content: content).wireBytes
            }
            let linked = GroupSendRequest(
                id: id,
                generation: 0,
                epoch: 1,
                seen: 2,
                content: .commit([1], groupInfo: [2], welcome: [3]),
                links: [ShownLink(account: FixedKeys.id(3), secret: Data(repeating: 4, count: Limits.linkSecret))]
            )
            let state = RoomGroupState(
                generation: 0,
                groupID: [1],
                epoch: 1,
                treeHash: [2],
                next: 4,
                handshake: 3,
                due: 0,
                groupInfos: [KeptGroupInfo(accounts: 1, externalPub: [UInt8](repeating: 5, count: 32), groupInfo: [4])],
                proposals: [[6]]
            )
            let given = RefilledMessage(
                number: 3,
                generation: 0,
                epoch: 1,
                account: FixedKeys.id(3),
                device: FixedKeys.id(2),
                id: id,
                stored: 5,
                content: .commit([1], groupInfo: [2])
            )
            let claimed = ClaimedKeyPackages([.init(device: FixedKeys.id(2), keyPackage: [1, 2])])
            return [
                [0] + CreateGroupRequest(groupInfo: [1], ratchetTree: [2]).wireBytes,
                sent(.application([1])), sent(.proposal([1])), sent(.commit([1], groupInfo: [2], welcome: [3])),
                [1] + linked.wireBytes,
                [2] + state.wireBytes,
                [3] + WelcomeItem(generation: 0, epoch: 1, number: 2, welcome: [3]).wireBytes,
                [6] + GroupInfoRequest(generation: 0, epoch: 1, groupInfo: [2]).wireBytes,
                [7] + GenerationRequest(id: id, generation: 0, epoch: 1, seen: 2, groupInfo: [3]).wireBytes,
                [4] + KeyPackageUpload([[1], [2, 3]], replaces: true).wireBytes, [5] + claimed.wireBytes,
                [8] + RefillRequest(shown: 9, messages: [given]).wireBytes,
            ]
        },
        take: { input in
            guard let first = input.first else { return }
            let rest = Array(input.dropFirst())
            switch first {
            case 0: _ = oneForm(CreateGroupRequest.self, rest)
            case 1:
                guard let sent = oneForm(GroupSendRequest.self, rest) else { return }
                planted(sent.generation == 2)
                mustHold(!sent.message.isEmpty && sent.message.count <= Limits.message, "a message has its bounds")
            case 2:
                guard let state = oneForm(RoomGroupState.self, rest) else { return }
                let highest = max(state.epoch, state.next, state.handshake, state.due)
                mustHold(highest <= Limits.number, "there is a next number")
                mustHold((1...Limits.groupInfos).contains(state.groupInfos.count), "there is something to come in by")
            case 3: _ = oneForm(WelcomeItem.self, rest)
            case 4:
                guard let upload = oneForm(KeyPackageUpload.self, rest) else { return }
                mustHold(upload.keyPackages.count <= Limits.keyPackages, "no more are kept than may come")
            case 6: _ = oneForm(GroupInfoRequest.self, rest)
            case 7: _ = oneForm(GenerationRequest.self, rest)
            case 8:
                guard let refill = oneForm(RefillRequest.self, rest) else { return }
                mustHold(refill.messages.count <= Limits.page, "no more are given back than may come")
                mustHold(refill.messages.allSatisfy { $0.number <= refill.shown }, "none is above the last")
            default: _ = oneForm(ClaimedKeyPackages.self, rest)
            }
        }
    )
}
