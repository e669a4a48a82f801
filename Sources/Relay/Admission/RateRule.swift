/// What the relay counts, each by itself, and how much of it one address or one account gets.
enum RateRule: Int, CaseIterable {
    /// A new connection, by address. Each may cost the relay TLS's handshake.
    case connection
    /// Anything but the status pages, by address.
    case request
    /// A new account, by address. Who can register at will can fill the disk and take every handle.
    case registration
    /// A login, a refresh, or what is asked before one, by address. Each costs the relay a signature check.
    case login
    /// Somebody's records, by account: whether a handle is taken can be asked here.
    case lookup
    /// A new room, by account.
    case roomCreation
    /// A change of members, by account, or of its own devices. Envelopes go into the mailboxes of others.
    case change
    /// A message, by account.
    case message
    /// A piece of a blob, by account; up to 1 MiB each.
    case upload
    /// Reading, by account.
    case reading
    /// A socket, by account.
    case socket

    /// Who shares a bucket.
    enum Scope {
        /// An IPv4 address, or an IPv6 network of 64 bits, which is what one customer has.
        case address
        /// An account, whichever of its devices asks.
        case account
    }

    /// What to do where no bucket can be had, since as many as may be are in use.
    enum Failure {
        /// Let it through: to hold up everybody would be the greater harm.
        case open
        /// Refuse it: what it does cannot be undone.
        case closed
    }

    /// Its name in answers, logs and metrics.
    var name: String {
        switch self {
        case .connection: "connection"
        case .request: "request"
        case .registration: "registration"
        case .login: "login"
        case .lookup: "lookup"
        case .roomCreation: "room_creation"
        case .change: "change"
        case .message: "message"
        case .upload: "upload"
        case .reading: "reading"
        case .socket: "socket"
        }
    }

    /// Who shares a bucket.
    var scope: Scope {
        switch self {
        case .connection, .request, .registration, .login: .address
        default: .account
        }
    }

    /// What to do where no bucket can be had.
    var failure: Failure {
        switch self {
        case .registration, .lookup, .roomCreation, .change: .closed
        case .connection, .request, .login, .message, .upload, .reading, .socket: .open
        }
    }

    /// How much there is for each.
    var rate: TokenBucket.Rate {
        switch self {
        case .connection: .init(burst: 2_000, perMinute: 6_000)
        case .request: .init(burst: 4_000, perMinute: 60_000)
        case .registration: .init(burst: 30, perMinute: 1)
        case .login: .init(burst: 120, perMinute: 120)
        case .lookup: .init(burst: 200, perMinute: 60)
        case .roomCreation: .init(burst: 60, perMinute: 6)
        case .change: .init(burst: 200, perMinute: 60)
        case .message: .init(burst: 1_000, perMinute: 6_000)
        case .upload: .init(burst: 500, perMinute: 3_000)
        case .reading: .init(burst: 2_000, perMinute: 12_000)
        case .socket: .init(burst: 60, perMinute: 60)
        }
    }
}
