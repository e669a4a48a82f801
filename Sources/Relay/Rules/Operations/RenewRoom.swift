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
    /// ``MildamRelayAPI/GenerationRequest/digest``; of what is given back ``GivenBack/digest(of:)``.
    let digest: [UInt8]
    /// What is known of the room, where the relay was put back not long ago; `nil` where it was not.
    let restored: RestoredRoom?
    /// Where the generation is given back; `nil` for one that is new.
    let givenBack: GivenBack?

    init(
        _ request: GenerationRequest,
        _ group: CheckedGroup,
        of room: RoomID,
        by sender: Sender,
        in restored: RestoredRoom? = nil,
        givenBack: GivenBack? = nil
    ) {
        self.room = room
        self.sender = sender
        self.request = request
        self.group = group
        self.restored = restored
        self.givenBack = givenBack
        digest = givenBack == nil ? request.digest : GivenBack.digest(of: request.groupInfo)
    }

    var weight: Int { request.groupInfo.count + group.snapshot.count }
    var rows: Int { 7 }
    var prefetch: [FactKey] { [.room(room), .sent(key), .groupInfos(room), .usage(sender.account)] }

    private var key: SentKey { SentKey(room: room, device: sender.device, id: request.id) }

    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<SendReceipt, APIError> {
        if let earlier = try facts.sent(key) {
            return earlier.answer(to: digest, sending: request.groupInfo, givenBack)
        }
        guard let found = try facts.room(room) else { return .failure(.unknownRoom) }
        let before: Room
        switch found.readied(for: givenBack, in: restored) {
        case .failure(let refusal): return .failure(refusal)
        case .success(let ready): before = ready
        }
        guard before.group != nil else { return .failure(.noGroup) }
        guard before.members[sender.account] != nil else { return .failure(.notAMember) }
        guard request.generation == before.generation, request.epoch == before.epoch else {
            return .failure(.overtaken(in: before))
        }
        // A full room is no reason to stand still.
        let needed = 2 * DiskUsage.row + weight
        if let refusal = try facts.refusal(of: needed, by: sender.account, .reserve) { return .failure(refusal) }
        try store(found, before, &facts, at: now)
        return .success(SendReceipt(number: before.next))
    }

    /// - Parameters:
    ///   - found: the room.
    ///   - before: the room once it has passed over what was lost.
    private func store(_ found: Room, _ before: Room, _ facts: inout Facts, at now: Int64) throws(Missing) {
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
        facts.put(after, replacing: found)
        if let lost = found.lostAhead, found.next < before.next { facts.lose(lost, of: room) }
        let message = RoomMessage(
            number: before.next,
            generation: before.generation,
            epoch: before.epoch,
            kind: .generation,
            account: sender.account,
            device: sender.device,
            stored: givenBack.map { min($0.stored, now) } ?? now,
            body: Data(request.groupInfo),
            id: request.id
        )
        facts.append(message, to: room, id: request.id, digest: digest)
        facts.tell(.message(room, message))
        facts.tell(.generation(room, after.members.keys.sorted()))
        try facts.beginEpoch(
            of: room,
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
