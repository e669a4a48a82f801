import MildamClientCore
import MildamIdentity
import MildamRelayAPI
import MildamRoomRules

/// Who is asked into a room by strangers, and what a person decides (H7).
extension GroupRooms {
    /// The accounts with whom this one is in rooms.
    var fellows: Set<AccountID> {
        var accounts: Set<AccountID> = []
        for room in present.values {
            switch room.standing {
            case .member, .removed: accounts.formUnion(groupView(of: room).members?.accounts ?? [])
            case .beginning, .requested, .seated, .invited, .left: continue
            }
        }
        return accounts
    }

    /// How many invitations of each account wait.
    var waitingInvitations: [AccountID: Int] {
        var counts: [AccountID: Int] = [:]
        for room in present.values where room.standing == .invited {
            if let inviter = room.invitedBy { counts[inviter, default: 0] += 1 }
        }
        return counts
    }

    /// How this account stands to a room that it is invited to.
    func consentStanding(in id: RoomID) -> Consent.Standing {
        guard let room = present[id] else { return .outside }
        return switch room.standing {
        case .member, .beginning: .member
        case .invited, .seated: strangers.contains(id) ? .outside : .invited
        case .requested, .left: .outside
        // The relay may only have said so.
        case .removed: groupView(of: room).members == nil ? .outside : .member
        }
    }

    /// Learns which rooms wait for a person. What waited and does not any more is not come into, and nobody hears of it.
    func followRequests() async throws(MessengerError) {
        var waiting: Set<RoomID>
        var admittedBefore: Int
        repeat {
            admittedBefore = admitted
            waiting = Set(try await messenger.roomRequests().map(\.room))
        } while admittedBefore != admitted
        // What is being accepted neither waits nor is gone.
        let gone = strangers.subtracting(waiting).subtracting(admitting)
        strangers = strangers.intersection(admitting).union(waiting.subtracting(admitting))
        for room in gone {
            guard present[room]?.isBeingAccepted == false else { continue }
            switch present[room]?.standing {
            case .requested, .seated: attempt([.decline(room, id: .random())])
            case .beginning, .invited, .member, .left, .removed, nil: continue
            }
        }
    }

    /// A room is accepted: its Welcome is fetched whole, and is opened as one of somebody known.
    ///
    /// - Throws: a ``RoomFault``: why the relay does not give the tree.
    func admit(_ room: RoomID) async throws(RoomFault) {
        guard strangers.contains(room) || present[room]?.standing == .requested else { return }
        admitting.insert(room)
        defer {
            admitting.remove(room)
            admitted += 1
        }
        do throws(MessengerError) {
            let epoch = try await messenger.roomRequests().first { $0.room == room }?.epoch
            var happening: Happening?
            if let epoch, let waiting = present[room]?.requestedWelcome {
                happening = try await whole(waiting, of: epoch)
            }
            strangers.remove(room)
            try await messenger.forgetRequests(for: [room])
            if let happening { attempt([happening]) }
        } catch {
            throw RoomFault(error)
        }
    }

    /// A Welcome that waits, with the tree of its epoch, as one of somebody known.
    func whole(_ welcome: ArrivedWelcome, of epoch: UInt64) async throws(MessengerError) -> Happening? {
        guard welcome.tree.isEmpty, let generation = UInt32(exactly: welcome.generation) else {
            return .welcome(
                ArrivedWelcome(
                    room: welcome.room,
                    generation: welcome.generation,
                    number: welcome.number,
                    welcome: welcome.welcome,
                    tree: welcome.tree,
                    isOfKnownSender: true
                )
            )
        }
        return try await opened(
            welcome.room,
            WelcomeItem(generation: generation, epoch: epoch, number: welcome.number, welcome: welcome.welcome)
        )
    }

    // MARK: Seats

    /// Decides what becomes of rooms in which the account has a seat and this device nothing, by who has brought it in: that is
    /// read in the room's own log. A room that is not known and of which the relay does not say that is looked at another time.
    ///
    /// - Returns: what happens.
    func seats(in states: [RoomState]) async throws(MessengerError) -> [Happening] {
        var happenings: [Happening] = []
        var letters: [WelcomeLetter] = []
        for state in states {
            let standing = consentStanding(in: state.room)
            guard let sender = try await bringer(into: state) else {
                if standing != .outside { happenings.append(.seat(state.room, generation: UInt64(state.generation))) }
                continue
            }
            let letter = WelcomeLetter(
                room: state.room,
                generation: state.generation,
                epoch: nil,
                from: sender,
                isPastStrangers: false,
                size: 0,
                standing: standing
            )
            letters.append(letter)
        }
        let verdicts = try await messenger.sort(letters, fellows: fellows, waiting: waitingInvitations)
        for (letter, verdict) in zip(letters, verdicts) {
            let seat = Happening.seat(letter.room, generation: UInt64(letter.generation))
            if verdict != .dropped {
                happenings.append(seat)
            } else if present[letter.room] == nil {
                // Nobody is asked about it: it is known from here on as one that was not come into.
                happenings += [seat, .decline(letter.room, id: .random())]
            }
        }
        return happenings
    }

    /// Who sent the message from which on this account can read a room: the change that brought it in. `nil` where that is gone.
    private func bringer(into state: RoomState) async throws(MessengerError) -> AccountID? {
        do throws(MessengerError) {
            let page = try await relay.door.ask { (relay, access) throws(MessengerError) in
                try await relay.messages(of: state.room, from: state.first, access)
            }
            return page.messages.first { $0.number == state.first }?.account
        } catch {
            guard case .refused = error else { throw error }
            return nil
        }
    }
}

extension RoomCore {
    /// Whether a person has accepted, and that is not so yet.
    fileprivate var isBeingAccepted: Bool { intents.contains { $0.wish == .accept } }
}
