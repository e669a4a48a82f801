import Glibc
import MildamIdentity
import MildamRelayAPI
import MildamStorage
import MildamSystem
import MildamTransport

/// A running relay: accounts, rooms, mailboxes and blobs behind one address, in one data folder.
///
/// The folder holds `lock`, `secrets`, `relay.db` (SQLite) and `blobs/`.
public final class RelayServer: Sendable {
    /// The software's version.
    public static let version = "0.1.0"

    /// How long requests under way may take once it stops.
    private static let patience = Duration.seconds(5)

    /// The relay's id.
    public let relay: RelayID
    /// Where it listens.
    public let address: SocketAddress
    /// "http://127.0.0.1:8443".
    public let url: String

    private let lock: Lock<FolderLock?>
    private let loop: EventLoop
    private let http: HTTPServer
    private let parts: RelayParts

    /// Starts a relay.
    ///
    /// - Throws: ``RelayError``; then nothing runs.
    public init(_ configuration: RelayConfiguration) throws(RelayError) {
        guard configuration.tls != nil || configuration.address.isLoopback || configuration.servesPlainAnywhere else {
            throw .plainOffLoopback(address: configuration.address.description)
        }
        lock = Lock(FolderLock(try Self.lock(configuration.dataFolder)))
        let secrets = try Self.secrets(configuration)
        relay = secrets.relay
        do throws(TransportError) {
            loop = try EventLoop(name: "relay-loop")
        } catch {
            throw .transport(error)
        }
        let (parts, hub) = try Self.build(configuration, secrets, loop)
        self.parts = parts
        loop.start()
        http = HTTPServer(
            loop: loop,
            address: configuration.address,
            tls: configuration.tls,
            limits: Self.limits,
            handler: RelayService(parts, hub: hub)
        )
        do throws(TransportError) {
            address = try http.start()
        } catch {
            parts.stop()
            loop.stop()
            throw .transport(error)
        }
        url = (configuration.tls == nil ? "http://" : "https://") + address.description
    }

    /// Takes no more requests, lets those under way be answered, and returns when everything is on the disk.
    public func stop() async {
        await http.drain(within: Self.patience)
        parts.stop()
        loop.stop()
        lock.withLock { $0 = nil }
    }

    // MARK: Parts

    /// The right to the data folder, given up when the server has stopped, whoever may still hold the server.
    private final class FolderLock: Sendable {
        private let lock: ProcessLock

        init(_ lock: consuming ProcessLock) {
            self.lock = lock
        }
    }

    private static func lock(_ folder: String) throws(RelayError) -> ProcessLock {
        do throws(SystemError) {
            try Folder.create(folder)
            guard let lock = try ProcessLock(taking: folder + "/lock") else {
                throw SystemError("lock", folder, code: EWOULDBLOCK)
            }
            return lock
        } catch {
            throw error.code == EWOULDBLOCK ? .alreadyRunning(folder: folder) : .system(error)
        }
    }

    private static func secrets(_ configuration: RelayConfiguration) throws(RelayError) -> RelaySecrets {
        let path = configuration.dataFolder + "/secrets"
        let now = configuration.clock.seconds
        if WholeFile.exists(path) { return try RelaySecrets.load(path, at: now) }
        // New secrets beside old data would be another relay, which every client would refuse.
        guard !WholeFile.exists(configuration.dataFolder + "/relay.db") else { throw .secretsMissing(path) }
        let secrets = RelaySecrets(at: now)
        do throws(SystemError) {
            try secrets.save(path)
        } catch {
            throw .system(error)
        }
        return secrets
    }

    private static func build(
        _ configuration: RelayConfiguration,
        _ secrets: RelaySecrets,
        _ loop: EventLoop
    ) throws(RelayError) -> (RelayParts, LiveHub) {
        let database = configuration.dataFolder + "/relay.db"
        let log = configuration.log
        let clock = configuration.clock
        do throws(StorageError) {
            // Makes the tables, so that those who read find them.
            _ = try RelayWriter(path: database, options: RelayWriter.options(synchronous: configuration.synchronous))
        } catch {
            throw .storage(error)
        }
        let onLoop: @Sendable (@escaping @Sendable () -> Void) -> Void = { loop.execute($0) }
        let reads = try ReadQueue(path: database, log: log, deliver: onLoop)
        let blobs = BlobService(
            files: BlobFiles(folder: configuration.dataFolder + "/blobs"),
            queue: try ReadQueue(path: database, log: log, deliver: onLoop),
            log: log
        )
        let hub = LiveHub(loop: loop, reads: reads, clock: clock)
        let commits = try CommitQueue(
            path: database,
            synchronous: configuration.synchronous,
            clock: clock,
            log: log
        ) { answers, notices in
            loop.execute {
                hub.assumeIsolated { $0.deliver(notices) }
                for answer in answers { answer() }
                for case .blobsDropped(let room, let dropped) in notices { blobs.remove(dropped, in: room) }
            }
        }
        commits.perform({ writer throws(StorageError) in try writer.endIdleSessions() }, then: { _ in })
        let tokens = AccessTokens(relay: secrets.relay, keys: secrets.tokenKeys, clock: clock)
        let parts = RelayParts(
            secrets: secrets,
            tokens: tokens,
            commits: commits,
            reads: reads,
            blobs: blobs,
            clock: clock,
            log: log
        )
        return (parts, hub)
    }

    private static let limits: ServerLimits = {
        var limits = ServerLimits()
        // A little more than the routes take, so that what is a little too long gets a JSON answer. By the method
        // alone: the path is read once, by the service.
        limits.maxBodyBytesFor = { method, _ in
            switch method {
            case .post: Limits.body + (1 << 16)
            case .put: Limits.blobPiece + (1 << 16)
            default: 1 << 16
            }
        }
        limits.maxMessageBytes = 1 << 14
        limits.maxFrameBytes = 1 << 14
        return limits
    }()
}
