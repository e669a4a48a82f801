import MildamProfile

/// The profile of a client: held and open, its rooms driven; lent to other programs, and had back.
public actor ProfileTenure: ProfileLender {
    private var profile: OpenProfile
    private var present: (hold: HeldProfile, rooms: DrivenRooms)?
    private var memory: RoomMemory?
    /// What is served first.
    public nonisolated let service: ClientService

    /// How long the rooms may take to end, and after them what else of this process works with the profile.
    private static let patience = (rooms: Duration.seconds(3), turns: Duration.seconds(8))

    /// Drives the rooms of a profile that is held.
    ///
    /// - Parameter profile: its root key is kept (`keepingRootKey()`), where this process is not one that the keychain's
    ///   agent can look at.
    /// - Throws: as ``DrivenRooms``.
    public init(of profile: OpenProfile, holding hold: HeldProfile) async throws {
        let messenger = Messenger(profile: profile)
        let rooms = try await DrivenRooms(of: messenger, holding: hold)
        self.profile = profile
        present = (hold, rooms)
        service = rooms.service(with: MessengerBook(messenger))
    }

    /// Disconnects, ends the rooms and lets the profile's lock go.
    ///
    /// - Throws: `not-lent`.
    public func lend() async throws(RoomFault) {
        guard let (hold, rooms) = present else { return }
        await end(rooms)
        do { try await hold.letGo(within: ProfileTenure.patience.turns) } catch { throw .notLent("\(error)") }
        present = nil
    }

    /// Takes the profile's lock, and opens the profile as it is now.
    ///
    /// - Throws: `CancellationError`; what keeps the profile from being opened, as its keychain that is locked by now.
    public func reclaim() async throws -> ClientService {
        // It could not be let go.
        if let rooms = present?.rooms { await end(rooms) }
        let hold = if let kept = present?.hold { kept } else { try await held() }
        present = nil
        do {
            profile = try profile.reopened()
            let messenger = Messenger(profile: profile)
            let rooms = try await DrivenRooms(of: messenger, holding: hold, remembering: memory)
            present = (hold, rooms)
            return rooms.service(with: MessengerBook(messenger))
        } catch {
            try? await hold.letGo(within: ProfileTenure.patience.turns)
            try Task.checkCancellation()
            throw error
        }
    }

    private func end(_ rooms: DrivenRooms) async {
        await rooms.stop(within: ProfileTenure.patience.rooms)
        memory = await rooms.retire()
    }

    private func held() async throws -> HeldProfile {
        while true {
            try Task.checkCancellation()
            do {
                return try await HeldProfile(waitingFor: profile.place, within: .seconds(1))
            } catch {
                guard error is ProfileIsBusy else { throw error }
            }
        }
    }

    /// Ends the rooms, where they are driven: nothing of them is stored from here on.
    public func stop() async {
        guard let (hold, rooms) = present else { return }
        present = nil
        await end(rooms)
        withExtendedLifetime(hold) {}
    }
}
