/// Whether a client has its profile, and whom it lends it to otherwise: who waits for it, and who brings it back.
actor LendingDesk {
    private let lender: (any ProfileLender)?
    private let serve: @Sendable (ClientService) async -> Void
    private let end: @Sendable () -> Void
    private var borrowers: Set<ObjectIdentifier> = []
    private var isAway = false
    private var isOver = false
    /// Why it was not lent when that was tried last.
    private var fault: RoomFault?
    private var moving: Task<Void, Never>?
    private var reclaiming: Task<ClientService, any Error>?
    private var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
    private var lastWaiter = 0
    /// How often it was lent.
    private(set) var lendings = 0

    /// A profile that is here.
    ///
    /// - Parameters:
    ///   - lender: lends it; `nil` where it is not lent.
    ///   - serve: called with what is served from now on, before anybody who waits goes on.
    ///   - end: called when the profile cannot be had back.
    init(
        _ lender: (any ProfileLender)?,
        serve: @escaping @Sendable (ClientService) async -> Void,
        end: @escaping @Sendable () -> Void
    ) {
        self.lender = lender
        self.serve = serve
        self.end = end
    }

    /// Whether the profile is here, and stays.
    var isHere: Bool { !isAway && !isOver && borrowers.isEmpty }

    /// Lends the profile to somebody, and returns once they have it.
    ///
    /// - Throws: `not-lent`.
    func borrow(_ borrower: ObjectIdentifier) async throws(RoomFault) {
        guard lender != nil, !isOver else { throw .notLent("this client keeps it") }
        borrowers.insert(borrower)
        reclaiming?.cancel()
        await begin().value
        guard isAway, borrowers.contains(borrower) else { throw fault ?? RoomFault.notLent("it was not let go") }
    }

    /// Somebody has done with it, be it that they have ended.
    func giveBack(_ borrower: ObjectIdentifier) {
        guard borrowers.remove(borrower) != nil else { return }
        _ = begin()
    }

    /// Waits until the profile is here.
    ///
    /// - Returns: whether it is, before the deadline.
    func waitUntilHere(by deadline: ContinuousClock.Instant) async -> Bool {
        if isHere { return true }
        guard !isOver else { return false }
        lastWaiter += 1
        let number = lastWaiter
        let patience = Task {
            try? await Task.sleep(until: deadline, clock: .continuous)
            giveUp(number)
        }
        defer { patience.cancel() }
        return await withCheckedContinuation { waiting[number] = $0 }
    }

    private func giveUp(_ number: Int) { waiting.removeValue(forKey: number)?.resume(returning: false) }

    // MARK: To and fro

    private func begin() -> Task<Void, Never> {
        if let moving { return moving }
        let task = Task { await move() }
        moving = task
        return task
    }

    /// Lends it while somebody wants it, and has it back when nobody does.
    private func move() async {
        while !isOver, isAway == borrowers.isEmpty {
            if isAway { await comeBack() } else { await goAway() }
        }
        moving = nil
        guard isHere || isOver else { return }
        let waited = waiting.values
        waiting = [:]
        for waiter in waited { waiter.resume(returning: isHere) }
    }

    private func goAway() async {
        guard let lender else { return borrowers.removeAll() }
        lendings += 1
        do throws(RoomFault) {
            try await lender.lend()
            fault = nil
        } catch {
            fault = error
            borrowers = []
        }
        isAway = true
    }

    private func comeBack() async {
        guard let lender else { return }
        let task = Task { try await lender.reclaim() }
        reclaiming = task
        defer { reclaiming = nil }
        do {
            let service = try await task.value
            await serve(service)
            isAway = false
        } catch is CancellationError {
            // Somebody else wants it: it stays away.
            return
        } catch {
            isOver = true
            end()
        }
    }
}
