import MildamClientCore
import MildamIdentity
import MildamRelayAPI
import MildamRoomRules

/// What the relay does not tell by itself, and what is looked for from time to time.
extension GroupRooms {
    /// How many seconds lie between two looks at what the relay does not tell by itself, and after one that failed.
    private static var houseKeeping: (usual: Int, again: Int) { (300, 10) }

    /// Looks at all that once, and then from time to time, as long as the connection lasts; sooner where something that the relay
    /// told of could not be had.
    func keepHouse(over number: Int) async {
        while link?.number == number, !Task.isCancelled {
            link?.isLookDue = false
            let isDone = await lookAround()
            noteClock()
            for _ in 0..<Self.houseKeeping.usual / Self.houseKeeping.again {
                do { try await Task.sleep(for: .seconds(Self.houseKeeping.again)) } catch { return }
                guard isDone, link?.isLookDue == false else { break }
            }
        }
    }

    /// Looks at all that a little later, where the relay says nothing meanwhile.
    func keepHouseUntold(over number: Int) async {
        do { try await Task.sleep(for: .seconds(Self.houseKeeping.again)) } catch { return }
        await keepHouse(over: number)
    }

    private func lookAround() async -> Bool {
        if link?.isToFollowAnew == true {
            link?.isToFollowAnew = false
            link?.followed = []
        }
        let hasMail = await hasReadMail()
        let hasRooms = await hasReadRooms()
        follow()
        do throws(MessengerError) {
            try await readStock()
            try await messenger.keep(steady: steady.now)
            try await tellAccepted()
            // What cannot be forgotten now is forgotten the next time.
            if !isRetired { try? stored.store.forgetKept(at: UInt64(clamping: messenger.clock.seconds)) }
            try await readLists()
            return hasMail && hasRooms
        } catch {
            return false
        }
    }

    func hasReadRooms() async -> Bool {
        do throws(MessengerError) {
            try await readRooms()
            return true
        } catch {
            link?.isLookDue = true
            return false
        }
    }

    /// Finds the rooms in which the account has a seat, and this device nothing; and reads on in those that are not followed.
    ///
    /// - Returns: the number of the last message of each room.
    @discardableResult
    func readRooms() async throws(MessengerError) -> [RoomID: UInt64] {
        var last: RoomID?
        var unknown: [RoomState] = []
        var missing: Set<AccountID> = []
        var numbers: [RoomID: UInt64] = [:]
        while true {
            let behind = last
            let list = try await relay.door.ask { (relay, access) throws(MessengerError) in
                try await relay.rooms(after: behind, access)
            }
            guard let next = list.rooms.last?.room, behind.map({ $0 < next }) ?? true else { break }
            for room in list.rooms where room.isGroup == true {
                numbers[room.room] = room.next - min(room.next, 1)
                missing.formUnion(membersMissing(from: room))
                guard isMissing(room) else { continue }
                unknown.append(room)
            }
            last = next
        }
        self.missing = missing
        readOn(to: numbers)
        let unseated = unknown.isEmpty ? nil : await failure(ofTakingSeatsIn: unknown)
        try await followRequests()
        if let unseated { throw unseated }
        return numbers
    }

    /// Has rooms read of which the relay has more, and that it is not asked to tell of.
    private func readOn(to numbers: [RoomID: UInt64]) {
        guard let link else { return }
        let untold = numbers.filter { id, number in
            guard let room = present[id], room.isToBeFollowed else { return false }
            return !link.followed.contains(id) && room.history.number < number
        }
        if untold.isEmpty { return }
        attempt(untold.map { .live(LogPage(upTo: $0.value, of: $0.key, link.incarnation)) })
    }

    /// The Welcome of a room that is new may lie in the mailbox: who has not read that does not come in from outside (H39).
    private func failure(ofTakingSeatsIn rooms: [RoomState]) async -> MessengerError? {
        do throws(MessengerError) {
            try await readMail()
            let seats = try await seats(in: rooms.filter(isMissing))
            if !seats.isEmpty { attempt(seats) }
            return nil
        } catch {
            return error
        }
    }

    /// The members of a room that the relay does not have there, though it has no commit by which they went: it has put out who is
    /// no more (H29). It is its word alone, by which nothing is done but to look.
    private func membersMissing(from room: RoomState) -> Set<AccountID> {
        guard let known = present[room.room], known.history.number + 1 == room.next,
            let members = groupView(of: known).members
        else { return [] }
        return members.accounts.subtracting(room.members)
    }

    private func isMissing(_ room: RoomState) -> Bool {
        guard let known = present[room.room] else { return true }
        // A list that was made before one was out says nothing.
        let isInvitedAgain = known.isLeftBehind && room.next > known.history.number + 1
        return known.standing == .removed || isInvitedAgain
    }

    /// Looks how many key packages others can still claim. Those that this device has no private part of are of no use: others take
    /// their place.
    private func readStock() async throws(MessengerError) {
        let count = try await relay.door.ask { (relay, access) throws(MessengerError) in
            try await relay.keyPackages(access)
        }
        let isUsable = count.left <= stored.core.keyPackages.held.count && count.hasLastResort
        if !isUsable { link?.replacesKeyPackages = true }
        attempt([.stock(left: isUsable ? count.left : 0)])
    }

    /// Looks for newer device lists of the members, and for the ends of accounts that were deleted: each is believed under an
    /// identity that the account has in a room. It may have several: for a seat somebody's word is enough, and keeps nobody from
    /// hearing of devices that are revoked (H1).
    func readLists() async throws(MessengerError) {
        var identities: [AccountID: Set<RoomIdentity>] = [:]
        for members in present.values.compactMap({ groupView(of: $0).members }) {
            for account in members.accounts {
                if let identity = members.identity(of: account) { identities[account, default: []].insert(identity) }
            }
        }
        identities[stored.core.device.account] = nil
        for answer in try await relay.accounts.newer(among: Set(identities.keys), missing: missing) {
            guard let known = identities[answer.account] else { continue }
            do throws(MessengerError) {
                if let news = try await checked(answer, asAnyOf: known) { attempt([news]) }
            } catch {
                tell(.account(answer.account, RoomFault(error)))
            }
        }
    }

    /// What the relay has of an account: its list, or its end where its owner has deleted it (H29); `nil` where it has nothing.
    private func checked(
        _ answer: AccountAnswer,
        asAnyOf known: Set<RoomIdentity>
    ) async throws(MessengerError) -> Happening? {
        if let bundle = answer.bundle {
            let found = try await messenger.checked(bundle, of: answer.account, asAnyOf: known)
            return .list(KnownDeviceList(found.list, rotation: found.rotation))
        }
        guard let closing = answer.closing else { return nil }
        let relay = stored.core.device.relay
        do throws(IdentityError) {
            return .closing(try KnownClosing(closing, of: answer.account, on: relay, asAnyOf: known))
        } catch {
            throw .identity(error)
        }
    }
}
