import MildamIdentity
import MildamJOSE
import MildamRelayAPI
import MildamStorage
import MildamSystem
import MildamTransport

/// A running relay: accounts, rooms, mailboxes and blobs behind one address, in one data folder.
///
/// The folder holds `lock`, `secrets`, `relay.db` (SQLite), `mark`, `blobs/` and `control`, the operator's socket.
public final class RelayServer: Sendable {
    /// The software's version.
    public static let version = "0.1.0"

    /// What the first line of the log is called.
    static let started = "started"

    /// How long requests under way may take once it stops.
    private static let patience = Duration.seconds(5)

    /// The relay's id.
    public let relay: RelayID
    /// Where it listens.
    public let address: SocketAddress
    /// "http://127.0.0.1:8443".
    public let url: String
    /// The invitation to make the first account with, at a relay that has none and asks for one; it lasts a month.
    public let firstInvitation: String?

    private let lock: Lock<FolderLock?>
    let loop: EventLoop
    private let http: HTTPServer
    private let sweeper: Sweeper
    /// `nil` where there can be no socket: the relay serves all the same.
    private let operatorSocket: OperatorSocket?
    private let tls: TLSServerConfiguration?
    private let certificates: CertificateWatch
    let parts: RelayParts

    /// Starts a relay.
    ///
    /// - Throws: ``RelayError``; then nothing runs.
    public init(_ configuration: RelayConfiguration) throws(RelayError) {
        guard configuration.tls != nil || configuration.address.isLoopback || configuration.servesPlainAnywhere else {
            throw .plainOffLoopback(address: configuration.address.description)
        }
        tls = configuration.tls
        let folder = DataFolder(path: configuration.dataFolder)
        lock = Lock(FolderLock(try folder.take()))
        let secrets = try Self.secrets(folder, at: configuration.clock.seconds)
        relay = secrets.relay
        do throws(TransportError) {
            loop = try EventLoop(name: "relay-loop")
        } catch {
            throw .transport(error)
        }
        let (parts, hub, hasAccounts) = try Self.build(configuration, folder, secrets, loop)
        self.parts = parts
        loop.start()
        http = HTTPServer(
            loop: loop,
            address: configuration.address,
            tls: configuration.tls,
            limits: Self.limits(configuration),
            handler: RelayService(parts, hub: hub)
        )
        do throws(TransportError) {
            address = try http.start()
        } catch {
            parts.stop()
            loop.stop()
            throw .transport(error)
        }
        operatorSocket = Self.operatorSocket(folder, parts)
        sweeper = Sweeper(
            configuration.retention,
            parts.commits,
            parts.groups,
            configuration.clock,
            on: loop
        )
        sweeper.start()
        parts.figures.start()
        certificates = CertificateWatch(
            of: http,
            parts.clock,
            parts.log,
            every: configuration.certificatePause,
            on: loop
        )
        url = (configuration.tls == nil ? "http://" : "https://") + address.description
        parts.publicAddress.begin(at: url)
        firstInvitation = hasAccounts ? nil : Self.invite(parts)
        tellStart(configuration)
        certificates.start()
    }

    /// Reads certificate and key again, from the files that the relay was started with. Connections that are open keep
    /// the old ones.
    ///
    /// - Returns: whether there is a certificate.
    /// - Throws: `transport` when the files cannot be used; then the old ones stay.
    public func reloadCertificate() throws(RelayError) -> Bool {
        guard let tls else { return false }
        do throws(TransportError) {
            try http.reloadTLS(tls)
        } catch {
            throw .transport(error)
        }
        certificates.look()
        return true
    }

    /// Takes no more requests, lets those under way be answered, and returns when everything is on the disk.
    public func stop() async {
        await http.drain(within: Self.patience)
        operatorSocket?.stop()
        parts.stop()
        loop.stop()
        lock.withLock { $0 = nil }
    }

    private func tellStart(_ configuration: RelayConfiguration) {
        var fields: [RelayLog.Field] = [.text("version", Self.version), .text("listening", url)]
        if !configuration.publicURLs.isEmpty {
            fields.append(.text("public_urls", configuration.publicURLs.joined(separator: " ")))
        }
        fields += [
            .text("relay", relay.description), .text("registration", parts.registration.mode.rawValue),
            .text("data", configuration.dataFolder),
        ]
        parts.log.write(.info, Self.started, fields)
    }

    // MARK: Parts

    /// Makes the first invitation, where one is needed.
    private static func invite(_ parts: RelayParts) -> String? {
        guard parts.registration.mode == .invite else { return nil }
        let handover = Handover<Result<OperatorAnswer, APIError>>()
        parts.commits.perform(MakeInvitations(count: 1, days: 30), for: .relay, then: handover.give)
        guard case .success(.invitations(let codes, _)) = handover.take() else {
            parts.log.error("no_invitation", "the first invitation could not be made; see `mildam-relay invite`")
            return nil
        }
        return codes.first
    }

    private static func operatorSocket(_ folder: DataFolder, _ parts: RelayParts) -> OperatorSocket? {
        do throws(SystemError) {
            return try OperatorSocket(
                at: folder.control,
                OperatorService(secrets: parts.secrets),
                parts.commits,
                parts.reads
            )
        } catch {
            parts.log.error("no_operator_socket", "`mildam-relay user` cannot ask this relay: \(error)")
            return nil
        }
    }

    /// The right to the data folder, given up when the server has stopped, whoever may still hold the server.
    private final class FolderLock: Sendable {
        private let lock: ProcessLock

        init(_ lock: consuming ProcessLock) {
            self.lock = lock
        }
    }

    private static func secrets(_ folder: DataFolder, at now: Int64) throws(RelayError) -> RelaySecrets {
        if try folder.has(folder.secrets) { return try RelaySecrets.load(folder.secrets, at: now) }
        // New secrets beside old data would be another relay, which every client would refuse.
        guard try !folder.has(folder.database) else { throw .secretsMissing(folder.secrets) }
        let secrets = RelaySecrets(at: now)
        do throws(SystemError) {
            try secrets.save(folder.secrets)
        } catch {
            throw .system(error)
        }
        return secrets
    }

    private static func build(
        _ configuration: RelayConfiguration,
        _ folder: DataFolder,
        _ secrets: RelaySecrets,
        _ loop: EventLoop
    ) throws(RelayError) -> (RelayParts, LiveHub, hasAccounts: Bool) {
        let limiter = LogLimiter(
            configuration.log,
            logsRequests: configuration.logsRequests,
            loop: loop,
            now: configuration.rateClock
        )
        let log = limiter.log
        let clock = configuration.clock
        let metrics = RelayMetrics()
        let store =
            configuration.store?(folder.database)
            ?? SQLiteStore(
                path: folder.database,
                synchronous: configuration.synchronous,
                log: log,
                mark: MarkFile(path: folder.mark)
            )
        let hasAccounts: Bool
        let identity: StoreIdentity
        do throws(StorageError) {
            try store.prepare()
            identity = try store.identify(at: clock.milliseconds)
            hasAccounts = try !store.openReads().accounts(after: nil).isEmpty
        } catch {
            throw .storage(error)
        }
        // What has a thread, and must not keep it when a later part cannot be had.
        var stops: [() -> Void] = []
        do throws(RelayError) {
            func reader(threads: Int = 1) throws(RelayError) -> ReadQueue {
                let queue = try ReadQueue(store, threads: threads, log: log) { work in loop.execute(work) }
                stops.append(queue.stop)
                return queue
            }
            // Two, so that nobody waits while one other's long page is read.
            let reads = try reader(threads: 2)
            let live = try reader()
            let bodies = try CheckQueue { work in loop.execute(work) }
            stops.append(bodies.stop)
            let checks = try CheckQueue { work in loop.execute(work) }
            stops.append(checks.stop)
            let disk = DiskWatch(folder.path, reads, now: configuration.rateClock)
            let blobs = BlobService(files: BlobFiles(folder: folder.blobs), queue: try reader(), log: log, disk: disk)
            let figures = StoreFigures(folder, try reader(), on: loop)
            let gate = Gate(
                configuration.limitsRates
                    ? RateLimiter(
                        messages: configuration.messages,
                        messageBytes: configuration.messageBytes,
                        now: configuration.rateClock
                    ) : nil,
                behindProxy: configuration.behindProxy,
                metrics: metrics
            )
            let tokens = AccessTokens(
                relay: secrets.relay,
                keys: secrets.tokenKeys,
                lifetime: configuration.accessLifetime,
                clock: clock
            )
            let publicAddress = try PublicAddress(told: configuration.publicURLs)
            let proofs = ProofCheck(
                origins: publicAddress.origins,
                nonces: DPoPNonces(key: secrets.nonceKey),
                clock: clock,
                steady: configuration.rateClock
            )
            let restoration = Restoration(identity, clock: clock, steady: configuration.rateClock)
            let cursors = GatheredCursors(on: loop)
            let hub = LiveHub(
                loop: loop,
                reads: live,
                tokens: tokens,
                proofs: proofs,
                gate: gate,
                metrics: metrics,
                incarnation: identity.incarnation,
                cursors: cursors,
                clock: clock
            )
            let groups = try GroupService(
                store,
                limitsRates: configuration.limitsRates,
                blamed: BlamedRooms(online: hub.online) { restoration.isOpen },
                metrics: metrics,
                clock: clock,
                steady: configuration.rateClock,
                log: log
            ) { work in loop.execute(work) }
            stops.append(groups.stop)
            let commits = try CommitQueue(
                store,
                quota: configuration.quota,
                metrics: metrics,
                clock: clock,
                log: log,
                disk: disk
            ) { answers, notices in
                loop.execute {
                    for case .sessionEnded(let session, let account) in notices {
                        tokens.ended.insert(session)
                        restoration.forget(session, of: account)
                    }
                    hub.assumeIsolated { $0.deliver(notices) }
                    for answer in answers { answer() }
                    for case .blobsDropped(let room, let dropped) in notices { blobs.remove(dropped, in: room) }
                }
            }
            cursors.begin(commits)
            commits.perform(EndIdleSessions(), for: .relay) { _ in }
            blobs.removeRemains()
            let parts = RelayParts(
                secrets: secrets,
                publicAddress: publicAddress,
                proofs: proofs,
                tokens: tokens,
                commits: commits,
                reads: reads,
                bodies: bodies,
                live: live,
                checks: checks,
                blobs: blobs,
                groups: groups,
                restoration: restoration,
                cursors: cursors,
                disk: disk,
                figures: figures,
                failedLogins: FailedLogins(commits, on: loop),
                loginFailures: LoginFailureLog(
                    log: configuration.logsFailedLogins ? log : nil,
                    now: configuration.rateClock
                ),
                logins: LoginMemory(steady: configuration.rateClock),
                gate: gate,
                registration: RegistrationGate(
                    told: configuration.registration,
                    isLocal: configuration.address.isLoopback && !configuration.behindProxy && publicAddress.isLocal,
                    log: log
                ),
                requests: configuration.requests,
                metrics: metrics,
                clock: clock,
                log: log,
                limiter: limiter,
                logsRequests: configuration.logsRequests
            )
            return (parts, hub, hasAccounts)
        } catch {
            for stop in stops { stop() }
            throw error
        }
    }

    /// - Parameter connections: how many there may be at once.
    static func limits(
        _ configuration: RelayConfiguration,
        connections: Int = DescriptorLimit.connections
    ) -> ServerLimits {
        var limits = ServerLimits()
        // What is longer is for the service to grant, by route and token, before any of it is kept.
        limits.maxBodyBytes = Limits.shortBody
        limits.maxConnections = connections
        if configuration.limitsRates, !configuration.behindProxy {
            limits.maxConnectionsPerAddress = 1_024
            limits.maxConnectionsPerNetwork = max(limits.maxConnectionsPerAddress, connections / 8)
            limits.maxBytesPerAddress = limits.maxBufferedBodyBytes / 4
            limits.maxWaitingHandshakesPerAddress = 256
        }
        limits.maxMessageBytes = 1 << 14
        limits.maxFrameBytes = 1 << 14
        return limits
    }
}
