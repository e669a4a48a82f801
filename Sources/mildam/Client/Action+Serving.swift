import Glibc
import MildamKeychain
import MildamMessenger
import MildamProfile
import MildamSystem
import MildamTerminal

extension Action {
    /// Serves the profile in this process, at the socket where its client listens: held, its rooms connected to the relay.
    ///
    /// - Parameters:
    ///   - isHidden: whether other programs of this user, the keychain's agent too, are kept from its memory from then on.
    ///   - onStop: called once it has stopped listening, when somebody asked for that.
    /// - Throws: where there is a client already, or another program works with the profile.
    func serveProfile(
        hidingMemory isHidden: Bool,
        onStop: @escaping @Sendable () -> Void = {}
    ) async throws -> (server: ClientServer, tenure: ProfileTenure) {
        let place = try place()
        // Who listens first stays. Whoever connects meanwhile waits until the profile is open.
        let listener = try clientListener(at: place)
        let (profile, hold) = try await heldProfile(place, hidingMemory: isHidden)
        let tenure = try await ProfileTenure(of: profile, holding: hold)
        let server = ClientServer(
            at: listener,
            rooms: tenure.service.rooms,
            book: tenure.service.book,
            files: tenure.service.files,
            build: ClientBuild(executable: ProgramIdentity.own.executable),
            profile: place.name,
            requests: tenure.service.requests,
            lender: tenure,
            onStop: onStop
        )
        guard server.start() else { throw SystemError("begin a thread", code: EAGAIN) }
        return (server, tenure)
    }

    private func clientListener(at place: ProfilePlace) throws -> UnixListener {
        try place.checkAgentSocket()
        do throws(SystemError) { return try UnixListener(at: place.clientSocket) } catch {
            if error.code == EADDRINUSE { throw ClientRuns() }
            throw error
        }
    }

    /// The profile, held and open for as long as the program runs, and the program's memory hidden where it is to be.
    private func heldProfile(
        _ place: ProfilePlace,
        hidingMemory isHidden: Bool
    ) async throws -> (OpenProfile, HeldProfile) {
        let profile = try await openProfile(asClient: true)
        let hold = try await HeldProfile(waitingFor: place, within: .seconds(8))
        guard isHidden else { return (profile, hold) }
        // The agent gives the key to a program that it can look at: it is asked before nobody can any more.
        let own = try profile.keepingRootKey()
        try OwnProcess.hideMemory()
        return (own, hold)
    }
}

/// There is a client for this profile already.
private struct ClientRuns: EndsWithStatus, CustomStringConvertible {
    let exitStatus = ExitStatus.refused
    var description: String { "the profile has a client already; end it with `mildam client stop`" }
}
