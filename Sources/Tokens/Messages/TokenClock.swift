import Glibc
import MildamCrypto
import MildamSystem

/// The clocks that tokens are judged by; passed in, so that any hour and any jump can be tested.
///
/// How long a token has lived is measured by CLOCK_BOOTTIME, which goes on while the machine sleeps and which nobody can
/// set. The wall clock is only asked where that one cannot help: after a restart of the machine.
public struct TokenClock: Sendable {
    /// Milliseconds since 1970, as the machine's user may have set them.
    public var wall: WallClock
    /// Milliseconds since the machine was started, sleep included.
    public var sinceBoot: @Sendable () -> Int64
    /// Which start of the machine this is: 16 bytes.
    public var boot: [UInt8]
    /// Waits; ends early when the task is cancelled.
    public var sleep: @Sendable (Duration) async -> Void

    /// Clocks.
    public init(
        wall: WallClock = .system,
        sinceBoot: @escaping @Sendable () -> Int64 = TokenClock.bootTime,
        boot: [UInt8] = TokenClock.thisBoot,
        sleep: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }
    ) {
        self.wall = wall
        self.sinceBoot = sinceBoot
        self.boot = boot
        self.sleep = sleep
    }

    /// The system's clocks.
    public static let system = TokenClock()

    /// Milliseconds of CLOCK_BOOTTIME.
    public static let bootTime: @Sendable () -> Int64 = {
        var now = timespec()
        unsafe clock_gettime(CLOCK_BOOTTIME, &now)
        return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
    }

    /// What the kernel calls this start of the machine; where it does not say, a number of this process's own.
    public static let thisBoot: [UInt8] = {
        let path = "/proc/sys/kernel/random/boot_id"
        guard let file = try? Descriptor.open(path, O_RDONLY), let text = try? file.read(upTo: 64, at: 0) else {
            return SecureRandom.bytes(count: 16)
        }
        return Array(SHA256.hash(data: text).prefix(16))
    }()
}

/// When something was asked of a server: by the server's clock, by this machine's wall clock, and by the time since it
/// was started.
public struct TimeAnchor: Equatable, Sendable {
    /// The server's clock, in milliseconds since 1970.
    public let server: Int64
    /// The wall clock, in milliseconds since 1970.
    public let wall: Int64
    /// Milliseconds since the machine was started.
    public let sinceBoot: Int64
    /// Which start of the machine that was: 16 bytes.
    public let boot: [UInt8]

    /// What the clock shows now; the server's is taken for the wall clock until it is known better.
    init(_ clock: TokenClock) {
        wall = clock.wall.milliseconds
        sinceBoot = clock.sinceBoot()
        boot = clock.boot
        server = wall
    }

    /// A moment that was stored.
    init(server: Int64, wall: Int64, sinceBoot: Int64, boot: [UInt8]) {
        self.server = server
        self.wall = wall
        self.sinceBoot = sinceBoot
        self.boot = boot
    }

    /// The same moment, with the server's clock as it is known.
    func at(server: Int64) -> TimeAnchor {
        TimeAnchor(server: server, wall: wall, sinceBoot: sinceBoot, boot: boot)
    }

    /// How long ago this was, in milliseconds, whatever happened to the wall clock; `nil` when the machine was started
    /// again since.
    func elapsed(_ clock: TokenClock) -> Int64? {
        let now = clock.sinceBoot()
        return boot == clock.boot && now >= sinceBoot ? now - sinceBoot : nil
    }

    /// What the server's clock shows now: by the time since, or, after a restart, by the wall clock and how wrong it was.
    func serverNow(_ clock: TokenClock) -> Int64 {
        if let elapsed = elapsed(clock) { return server + elapsed }
        return clock.wall.milliseconds + (server - wall)
    }
}
