import FoundationEssentials
import MildamClientCore
import MildamRelayAPI
import MildamTransport

/// The connection to the relay: made again and again, and never later than ten seconds after it could be.
extension GroupRooms {
    /// Connects to the relay and does what the rooms need, until the task is cancelled. Where the connection ends or is not to be
    /// had, another one is tried; why, those hear who listen.
    public func run() async {
        await followPins()
        var pause = Backoff.ofRooms
        while !Task.isCancelled {
            let begun = steady.now
            unstored = nil
            let failure = await failure(ofStaying: &pause)
            let fault = unstored ?? RoomFault(failure)
            if steady.now - begun > 5000 { pause.reset() }
            disconnect()
            if Task.isCancelled { break }
            let seconds = pause.next()
            turn(failure.needsPerson ? .stopped(fault) : .waiting(fault, milliseconds: UInt64(seconds * 1000)))
            await rest(for: .seconds(seconds))
        }
        turn(.idle)
        // What is lost with it, the next start makes up for.
        try? await messenger.keep(steady: steady.now)
    }

    private func failure(ofStaying pause: inout Backoff) async -> MessengerError {
        do throws(MessengerError) {
            try await stayConnected(&pause)
            return .transport(.closed)
        } catch {
            return error
        }
    }

    private func disconnect() {
        guard link != nil else { return }
        link = nil
        attempt([.disconnected])
    }

    /// Waits for the next attempt, which somebody may want at once.
    private func rest(for duration: Duration) async {
        let pausing = Task<Void, Never> {
            do { try await Task.sleep(for: duration) } catch { return }
        }
        self.pausing = pausing
        await withTaskCancellationHandler {
            await pausing.value
        } onCancel: {
            pausing.cancel()
        }
        self.pausing = nil
    }

    private func turn(_ next: RelayConnection) {
        let isNew = next != state
        state = next
        if isNew { tell(.connection(next)) }
        for waiting in reaching.values { waiting.resume(returning: next) }
        reaching = [:]
    }

    /// Why what the relay has cannot be had or stored now, as far as that is known.
    var obstacle: RoomFault? {
        switch state {
        case .waiting(let fault, _), .stopped(let fault): fault
        case .connected, .idle: unstored
        }
    }

    /// One connection, to its end.
    private func stayConnected(_ pause: inout Backoff) async throws(MessengerError) {
        try await readProfile()
        try await learnPins()
        let (socket, session) = try await messenger.openSocket()
        let keeping = Task { [messenger] in await messenger.keepOpen(socket, since: session) }
        defer {
            keeping.cancel()
            socket.close()
        }
        try await readMailFirst()
        lastLink += 1
        let number = lastLink
        link = RoomLink(number: number, socket: socket)
        guard attempt([.connected]) else { throw .transport(.closed) }
        turn(.connected)
        var chores = Task { [weak self] in await self?.keepHouseUntold(over: number) }
        defer { chores.cancel() }
        var isTold = false
        var incoming = socket.messages.makeAsyncIterator()
        while let message = await incoming.next() {
            // What a later version of the relay says besides is for later clients.
            guard case .text(let text) = message,
                let event = try? JSONDecoder().decode(LiveEvent.self, from: Data(text.utf8))
            else { continue }
            guard event.isWithinBounds else { throw .outOfBounds }
            try take(event)
            // From its first word on the relay tells what comes. What came before that is looked for.
            guard !isTold else { continue }
            isTold = true
            chores.cancel()
            chores = Task { [weak self] in await self?.keepHouse(over: number) }
        }
        takeArrived()
        if socket.closing?.code == 1001 { pause.scatter() }
        keeping.cancel()
        if let error = await keeping.value { throw error }
    }

    /// Looks at who this device is by now: another program of this profile may have given it new keys. What its records lack for
    /// rooms is made up for first, and keeps nobody from reading.
    private func readProfile() async throws(MessengerError) {
        do throws(MessengerError) {
            _ = try await messenger.ensureSuccession()
        } catch {
            if case .transport = error { throw error }
            guard !error.needsPerson else { throw error }
            tell(.account(stored.core.device.account, RoomFault(error)))
        }
        try await learnDevice()
    }

    /// Takes the Welcomes over before anything is asked for. What is wrong with the mailbox, or with what lies in it, keeps nobody
    /// from reading rooms; who has not read it does not come into one from outside (H39).
    private func readMailFirst() async throws(MessengerError) {
        do throws(MessengerError) {
            try await readMail()
        } catch {
            guard !error.needsPerson else { throw error }
            tell(.account(stored.core.device.account, RoomFault(error)))
        }
    }
}
