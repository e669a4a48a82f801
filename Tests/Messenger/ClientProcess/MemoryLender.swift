@testable import MildamMessenger

/// Lends nothing but its word, and has it back at once.
actor MemoryLender: ProfileLender {
    private let service: ClientService
    private(set) var isLent = false
    private(set) var lendings = 0
    private var refusals: [RoomFault] = []

    init(_ service: ClientService) { self.service = service }

    /// The next time it is not lent.
    func refuse(_ fault: RoomFault) { refusals.append(fault) }

    func lend() async throws(RoomFault) {
        guard refusals.isEmpty else { throw refusals.removeFirst() }
        isLent = true
        lendings += 1
    }

    func reclaim() async throws -> ClientService {
        isLent = false
        return service
    }
}
