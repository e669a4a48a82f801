import Glibc
import MildamClientAPI
import MildamProfile
import MildamSystem

/// The program that is started as a profile's client.
public struct ClientProgram: Sendable {
    private let path: String
    private let arguments: [String]
    private let environment: [String]
    private let build: ClientBuild

    /// A program that serves the profile at its socket, and says so by `Daemon.reportReady`.
    ///
    /// - Parameters:
    ///   - path: an absolute path: this program's own, whose build a client has to be.
    ///   - environment: all of it.
    public init(path: String, arguments: [String], environment: [String: String]) {
        self.path = path
        self.arguments = arguments
        self.environment = environment.map { "\($0)=\($1)" }
        build = ClientBuild(executable: path)
    }

    /// How often a client is started that another one is faster than, or that ends at once.
    private static let tries = 3

    /// The client of a profile, if one runs, of whatever build.
    ///
    /// - Throws: ``ClientLinkError``; `SystemError` where the socket's folder is not to be trusted.
    public static func running(at place: ProfilePlace) throws -> ClientLink? {
        try place.checkAgentSocket()
        do throws(ClientLinkError) { return try ClientLink(at: place.clientSocket) } catch {
            guard case .system(let failure) = error, [ENOENT, ECONNREFUSED, ENAMETOOLONG].contains(failure.code) else {
                throw error
            }
            return nil
        }
    }

    /// Ends the client of a profile, of whatever build it is.
    ///
    /// - Returns: whether there was one.
    /// - Throws: as ``running(at:)``; ``ClientLinkError`` where it goes on.
    public static func stop(at place: ProfilePlace) async throws -> Bool {
        let link: ClientLink?
        do { link = try running(at: place) } catch {
            guard let failure = error as? ClientLinkError, failure.isOfDeaf else { throw error }
            try ClientLink.endStranger(at: place.clientSocket)
            return true
        }
        guard let link else { return false }
        try await link.end()
        return true
    }

    /// The client of a profile: the one that runs, if it is of this build; otherwise one that is started, in the place of
    /// one of another build.
    ///
    /// - Parameter prepare: called before one is started: opens what it needs to be open.
    /// - Throws: `DaemonError`; ``ClientLinkError``; `SystemError`; what `prepare` throws.
    public func client(of place: ProfilePlace, preparing prepare: () async throws -> Void) async throws -> ClientLink {
        for _ in 0..<ClientProgram.tries {
            if let link = try await admitted(at: place) { return link }
            try await prepare()
            do throws(DaemonError) {
                try Daemon.start(path, arguments, environment: environment, within: .seconds(30))
            } catch {
                // Another program may have been faster.
                guard let link = try await admitted(at: place) else { throw error }
                return link
            }
        }
        throw ClientLinkError.ended
    }

    /// Has the client of a profile let it go, for a program that works with it by itself. A client that does not lend it, or is of
    /// another build, is ended.
    ///
    /// - Returns: the connection for as long as which it is lent; `nil` where no client has it any more.
    /// - Throws: as ``stop(at:)``; `late` where a client does not answer: it goes on.
    public func borrow(_ place: ProfilePlace) async throws -> ClientLink? {
        guard let link = try await admitted(at: place) else { return nil }
        do throws(ClientLinkError) {
            guard case .done = try await link.ask(.lend, within: .seconds(30)) else {
                throw ClientLinkError.misunderstood(.unknown)
            }
            return link
        } catch {
            if case .late = error { throw error }
            try await link.end()
            return nil
        }
    }

    /// The client that runs, once it is of this build; one of another is ended.
    private func admitted(at place: ProfilePlace) async throws -> ClientLink? {
        guard let link = try await reached(at: place) else { return nil }
        guard link.hello.build != build.name else { return link }
        try await link.end()
        return nil
    }

    /// The client that runs. One that is just ending, or does not speak as a client does, is none after a moment. One that is
    /// late may do what a person waits for: it is left alone.
    private func reached(at place: ProfilePlace) async throws -> ClientLink? {
        do { return try ClientProgram.running(at: place) } catch {
            guard let failure = error as? ClientLinkError, failure == .ended || failure.isOfStranger else {
                throw error
            }
            if failure.isOfStranger { try ClientLink.endStranger(at: place.clientSocket) }
        }
        try await Task.sleep(for: .milliseconds(100))
        return try ClientProgram.running(at: place)
    }
}
