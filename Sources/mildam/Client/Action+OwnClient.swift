import MildamClientAPI
import MildamMessenger
import MildamProfile
import MildamSystem
import MildamTerminal

/// A command that is the profile's client itself, for as long as it runs: for containers, for scripts that leave nothing
/// behind, and for a profile that no client can be started for.
enum OwnClient {
    /// By which a command says so.
    static let option = OptionSpec(
        "no-client",
        help: "Start no client: the command holds the profile itself. What it keeps for later, the next command sends."
    )

    /// What serves the profile in this process, and the connection with it.
    fileprivate struct Service {
        let server: ClientServer
        let tenure: ProfileTenure
        let link: ClientLink
    }
}

extension Action {
    private static let own = Lock<OwnClient.Service?>(nil)

    /// Whether the command starts no client.
    var startsNoClient: Bool { invocation.flag(OwnClient.option.long) }

    /// The connection with the client that this command is itself; `nil` where it is none, or not yet.
    var ownLink: ClientLink? { Self.own.withLock { $0?.link } }

    /// The profile's client, in this process until the command ends.
    ///
    /// - Throws: where a client runs: it has the profile.
    func ownClient() async throws -> ClientLink {
        if let ownLink { return ownLink }
        let place = try place()
        guard try ClientProgram.running(at: place) == nil else { throw ClientInTheWay() }
        let (server, tenure) = try await serveProfile(hidingMemory: false)
        let link = try await Self.connected(to: place.clientSocket)
        Self.own.withLock { $0 = OwnClient.Service(server: server, tenure: tenure, link: link) }
        return link
    }

    /// Connects on a thread of its own: the server answers on those of Swift, of which there may be one.
    private static func connected(to socket: String) async throws(ClientLinkError) -> ClientLink {
        let made = await withCheckedContinuation { (continuation: CheckedContinuation<Connected, Never>) in
            let isBegun = Thread.detach(named: "mildam-own") {
                continuation.resume(returning: Self.connection(to: socket))
            }
            if !isBegun { continuation.resume(returning: .failure(.ended)) }
        }
        return try made.get()
    }

    private typealias Connected = Result<ClientLink, ClientLinkError>

    private static func connection(to socket: String) -> Connected {
        do throws(ClientLinkError) { return .success(try ClientLink(at: socket)) } catch { return .failure(error) }
    }

    /// Runs the command, and then lets go of the profile that it is the client of.
    func perform(_ run: Run) async throws -> ExitStatus {
        do {
            let status = try await run(self)
            await tellClockSkew()
            await endOwnClient()
            return status
        } catch {
            await endOwnClient()
            throw error
        }
    }

    /// Ends the client that this command is itself: what it does is finished, and the profile let go.
    private func endOwnClient() async {
        let own = Self.own.withLock { own in
            defer { own = nil }
            return own
        }
        guard let own else { return }
        own.server.stop()
        await own.server.drain(within: .seconds(5))
        await own.tenure.stop()
    }
}

/// The command is to be the profile's client, and there is one.
private struct ClientInTheWay: EndsWithStatus, CustomStringConvertible {
    let exitStatus = ExitStatus.refused
    var description: String {
        "the profile's client runs, and has the profile: leave --no-client out, or end it with `mildam client stop`"
    }
}
