import MildamJOSE
import MildamRelayAPI
import MildamStorage
import MildamSystem
import MildamTransport

/// How a relay runs.
public struct RelayConfiguration: Sendable {
    /// Where everything that it keeps lies; made when it is missing.
    public var dataFolder: String
    /// Where it listens; port 0 lets the system choose.
    public var address: SocketAddress
    /// Certificate and key; `nil` is plain HTTP.
    public var tls: TLSServerConfiguration?
    /// Whether plain HTTP is served on an address that other machines reach: only behind a proxy that ends TLS.
    public var servesPlainAnywhere = false
    /// Whether a proxy on this machine passes requests on, and names the address of each client in `X-Forwarded-For`.
    public var behindProxy = false
    /// Under which addresses people reach it: `https://relay.example`. What their proofs of possession are for is held
    /// against these; a relay that was told none takes proofs for this machine alone.
    public var publicURLs: [String] = []
    /// Who may make an account; `nil`: anybody at a relay on loopback that was told of no proxy, until it meets one, and by
    /// invitation at any other.
    public var registration: RegistrationMode?
    /// Who may bring somebody into a room that does not know them.
    public var requests = RequestPolicy.open
    /// Whether requests are held against the rates of `RateRule`. Without them one client can take all there is.
    public var limitsRates = true
    /// How many messages an account may send in a day; `nil` is what `RateRule` says.
    public var messages: Int?
    /// How many bytes of messages an account may send at once, and again in each day; `nil` is what `RateRule` says.
    public var messageBytes: Int?
    /// How much of the disk anybody may take.
    public var quota = RelayQuota()
    /// How long things are kept.
    public var retention = Retention()
    /// Whether every request is logged, or those alone in which the relay failed.
    public var logsRequests = false
    /// Whether each login that fails is logged, with the network that it came from.
    public var logsFailedLogins = false
    /// Where time comes from.
    public var clock = WallClock.system
    /// Where it says what happens.
    public var log = RelayLog.none

    /// Nanoseconds of the clock that rates are counted by, which never goes back.
    package var rateClock: @Sendable () -> UInt64 = { Monotonic.now() }

    /// How long the access tokens that it makes live, in seconds. Shorter ones are there for tests that outlive some.
    package var accessLifetime = AccessToken.lifetime

    /// How long after one look at the certificate's days the next one comes. Less than a day is there for tests.
    package var certificatePause = Duration.seconds(86_400)

    /// When the database is synced. Anything but `.full` loses what was acknowledged: it is there for the test that
    /// shows so, and no program of ours sets it.
    package var synchronous = Database.Options.Synchronous.full

    /// Another store than an SQLite database of this path: for tests.
    var store: (@Sendable (_ path: String) -> any RelayStore)?

    /// A relay on plain HTTP, or on TLS.
    public init(dataFolder: String, address: SocketAddress, tls: TLSServerConfiguration? = nil) {
        self.dataFolder = dataFolder
        self.address = address
        self.tls = tls
    }
}
