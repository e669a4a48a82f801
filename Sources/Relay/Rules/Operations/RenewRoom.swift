import FoundationEssentials
import MildamIdentity
import MildamRelayAPI

/// Ends a room's group, and begins the next one in its place: number, members and what was said stay. A retry gets its number.
struct RenewRoom: StoreOperation {
    let room: RoomID
    let sender: Sender
    let request: GenerationRequest
    /// What was found out of the next group.
    let group: CheckedGroup
    /// ``MildamRelayAPI/GenerationRequest/digest``.
    let digest: [UInt8]

    init(_ request: GenerationRequest, _ group: CheckedGroup, of room: RoomID, by sender: Sender) {
        self.room = room
        self.sender = sender
        self.request = request
        self.group = group
        digest = request.digest
    }

    var weight: Int { request.groupInfo.count + group.snapshot.count }
    var rows: Int { 7 }
    var prefetch: [FactKey] { [.room(room), .sent(key), .groupInfos(room), .usage(sender.account)] }

    private var key: SentKey { SentKey(room: room, device: sender.device, id: request.id) }

    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<SendReceipt, APIError> {
        if let earlier = try facts.sent(key) {
            guard earlier.digest == digest else {
                return .failure(APIError(.idReused, "this id was used for another message", number: earlier.number))
            }
            return .success(SendReceipt(number: earlier.number))
        }
        guard let before = try facts.room(room) else { return .failure(.unknownRoom) }
        guard before.group != nil else { return .failure(.noGroup) }
        guard before.members[sender.account] != nil else { return .failure(.notAMember) }
        guard request.generation == before.generation, request.epoch == before.epoch else {
            return .failure(.overtaken(in: before))
        }
        // A full room is no reason to stand still.
        let needed = 2 * DiskUsage.row + weight
        if let refusal = try facts.refusal(of: needed, by: sender.account, .reserve) { return .failure(refusal) }
        try store(before, &facts, at: now)
        return .success(SendReceipt(number: before.next))
    }

    private func store(_ before: Room, _ facts: inout Facts, at now: Int64) throws(Missing) {
        var after = before
        after.generation = group.generation
        after.epoch = 0
        after.group = RoomGroup(
            id: group.groupID,
            treeHash: group.treeHash,
            handshake: before.next,
            snapshot: before.next
        )
        after.bytes += request.groupInfo.count
        after.next += 1
        facts.put(after, replacing: before)
        let message = RoomMessage(
            number: before.next,
            generation: before.generation,
            epoch: before.epoch,
            kind: .generation,
            account: sender.account,
            device: sender.device,
            stored: now,
            body: Data(request.groupInfo),
            id: request.id
        )
        facts.append(message, to: room, id: request.id, digest: digest)
        facts.tell(.message(room, message))
        facts.tell(.generation(room, after.members.keys.sorted()))
        try facts.beginEpoch(
            with: GroupChanges.Info(
                room: room,
                place: 0,
                generation: group.generation,
                epoch: 0,
                account: sender.account,
                externalPub: group.externalPub,
                bytes: group.groupInfo
            )
        )
        facts.append(
            GroupChanges.Snapshot(
                room: room,
                generation: group.generation,
                epoch: 0,
                number: before.next,
                account: sender.account,
                bytes: group.snapshot
            )
        )
    }
}
