import MildamClientAPI
import MildamIdentity
import MildamMessenger
import MildamTerminal

/// Rooms through the profile's client.
extension Action {
    /// How many seconds the relay is waited for, before what is here counts.
    private static let patience = 20
    /// How long an answer of the client may take.
    private static let answering = Duration.seconds(70)
    /// How many rounds of a second a wish is waited for.
    private static let rounds = 30
    /// Why nobody is named as a member.
    private static let withoutGroup: Set = ["no-group", "no-such-room", "older-room"]
    /// What a wish waits for that a person has to do something about.
    private static let personsPart: Set = ["not-accepted", "device-not-on-list", "identity-differs"]

    /// Asks the client; what it does not do is told in words.
    func answer(to ask: ClientAsk, from link: any ClientAsking) async throws -> ClientAnswer {
        do throws(ClientLinkError) { return try await link.ask(ask, within: Self.answering) } catch {
            guard case .refused(let refusal) = error else { throw error }
            throw ClientFault(error: refusal)
        }
    }

    /// Has everything taken in that the relay has by now. A terminal is told after a moment that it is waited for.
    ///
    /// - Returns: what could not be done, so that what is here may not be all.
    func refreshed(_ link: any ClientAsking) async throws -> ClientFault? {
        do {
            _ = try await awaiting(nil) { try await answer(to: .refresh(seconds: Self.patience), from: link) }
            return nil
        } catch let fault as ClientFault {
            return fault
        }
    }

    /// The room that the command names.
    func chosen(_ link: any ClientAsking, as meaning: RoomSearch.Meaning = .own) async throws -> RoomRow {
        try RoomSearch(rows: try await link.allRows()).room(room, as: meaning)
    }

    /// The room that the command names, with what is new taken in first where it can be.
    ///
    /// - Throws: where there is no such room, why nothing new could be taken in, if that is so: it may be there.
    func chosenAnew(
        _ link: any ClientAsking,
        as meaning: RoomSearch.Meaning = .own
    ) async throws -> (row: RoomRow, fault: ClientFault?) {
        let fault = try await refreshed(link)
        do { return (row: try await chosen(link, as: meaning), fault: fault) } catch let missing as NoRoomFound {
            if let fault { throw fault }
            throw missing
        }
    }

    /// The room that the command names: as it is here where `--offline` says so, otherwise with what is new taken in first.
    func shownRoom(_ link: any ClientAsking) async throws -> (row: RoomRow, fault: ClientFault?) {
        guard !invocation.flag("offline") else { return (row: try await chosen(link), fault: nil) }
        return try await chosenAnew(link)
    }

    /// A room's row as it is now; `nil` where it is not here any more.
    func row(of room: RoomID, _ link: any ClientAsking) async throws -> RoomRow? {
        try await link.allRows().first { $0.room == room }
    }

    /// Who is in a room; nobody, where this device is in no group of it.
    func members(of row: RoomRow, _ link: any ClientAsking) async throws -> [RoomMember] {
        guard row.members > 0 else { return [] }
        let members = try await allMembers(of: row.room, link)
        guard members.contains(where: { $0.handle == nil }) else { return members }
        // Who has just come is about to be looked up.
        try await Task.sleep(for: .milliseconds(150))
        return try await allMembers(of: row.room, link)
    }

    /// All that the client names; nobody, where the room has gone meanwhile, or was never a group.
    private func allMembers(of room: RoomID, _ link: any ClientAsking) async throws -> [RoomMember] {
        do { return try await namedMembers(of: room, link) } catch let fault as ClientFault {
            guard Self.withoutGroup.contains(fault.error.code.rawValue) else { throw fault }
            return []
        }
    }

    private func namedMembers(of room: RoomID, _ link: any ClientAsking) async throws -> [RoomMember] {
        guard case .members(let members) = try await answer(to: .members(room: room), from: link) else {
            throw ClientLinkError.misunderstood(.unknown)
        }
        return members
    }

    /// Wishes for something, and waits until it is so.
    ///
    /// - Parameter enough: what it may wait for all the same: a code.
    /// - Throws: ``WishRefused`` where it cannot be; ``WishKept`` where it is not so yet.
    func fulfil(_ ask: ClientAsk, over link: ClientLink, until enough: String? = nil) async throws {
        guard case .wished(let wish) = try await answer(to: ask, from: link) else {
            throw ClientLinkError.misunderstood(.unknown)
        }
        let line = WaitingLine(console)
        defer { line.close() }
        var last: String?
        for round in 0..<Self.rounds {
            let outcome = try await outcome(of: wish, over: link)
            switch outcome {
            case .done: return
            case .failed(let code): throw WishRefused(code: code)
            case .unknown: throw Self.keptByAnother
            // Files alone are on their way.
            case .moving: continue
            case .waiting(let code):
                if let code, code == enough { return }
                if let code, Self.personsPart.contains(code) {
                    throw WishKept(reason: RoomCodeWords.wait(code), exitStatus: .refused)
                }
                last = code
                if round == 1 { line.show("waiting until it is done; Ctrl-C leaves it to be done later") }
                if let fault = try await obstacle(link) {
                    throw WishKept(reason: fault.description, exitStatus: fault.exitStatus)
                }
            }
        }
        let reason = last.map { RoomCodeWords.wait($0) } ?? "it takes longer than half a minute"
        throw WishKept(reason: reason, exitStatus: .unreachable)
    }

    /// What came of a wish within a second.
    ///
    /// - Throws: ``WishKept`` where the client has ended: the wish is on the disk, and another client goes on with it.
    private func outcome(of wish: MessageID, over link: ClientLink) async throws -> WishOutcome {
        do {
            guard case .outcome(let outcome) = try await answer(to: .outcome(of: wish, seconds: 1), from: link) else {
                throw ClientLinkError.misunderstood(.unknown)
            }
            return outcome
        } catch {
            guard case ClientLinkError.ended = error else { throw error }
            throw Self.keptByAnother
        }
    }

    private static var keptByAnother: WishKept {
        WishKept(reason: "the profile's client was replaced meanwhile", exitStatus: .unreachable)
    }

    /// Why the relay cannot be reached, where it cannot.
    private func obstacle(_ link: ClientLink) async throws -> ClientFault? {
        guard case .status(let status) = try await answer(to: .status, from: link) else {
            throw ClientLinkError.misunderstood(.unknown)
        }
        guard !status.isConnected else { return nil }
        do {
            _ = try await answer(to: .refresh(seconds: 5), from: link)
            return nil
        } catch let fault as ClientFault {
            return fault.error.code.rawValue == "behind" ? nil : fault
        }
    }
}
