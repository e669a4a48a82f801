/// What the relay counts, each by itself, and how much of it one address or one account gets.
enum RateRule: Int, CaseIterable {
    /// A new connection, by address. Each may cost the relay TLS's handshake.
    case connection
    /// A handshake of TLS, by address, be a session resumed or not. There is no rate for everybody: whoever used it up would
    /// keep all others out. What all handshakes cost is bounded by the threads that work at them, in turns by network.
    case handshake
    /// Anything but the status pages, by address.
    case request
    /// A new account, by address. Who can register at will can fill the disk and take every handle.
    case registration
    /// A login, what is asked before one, or what its owner alone may do to an account, by address. Each costs the relay
    /// a signature check.
    case login
    /// A refresh, by address. It costs a signature check, too, but there is nothing in it to be guessed.
    case refresh
    /// A look at an authenticator, by account: a login, another password, deletion, a second factor. Counted once it is
    /// certain that the account's own device asks.
    case password
    /// A look at a second factor's code, by account.
    case code
    /// A look at a recovery code, by account: apart, so that whoever uses up the codes does not keep the owner out.
    case recovery
    /// Somebody's records, by account: whether a handle is taken can be asked here.
    case lookup
    /// A new room, by account.
    case roomCreation
    /// A change of members, by account, or of its own devices. Welcomes go into the mailboxes of others.
    case change
    /// A message, by account. Whoever is in its room has to take it in.
    case message
    /// The bytes of messages, by account, each with its row's. Whoever is in their rooms keeps them, and a relay may for ever.
    case messageBytes
    /// The bytes of messages that are given back to a relay that was put back, by account, each with its row's: more at once than
    /// of messages, since what took days to say comes back in minutes.
    case refilledBytes
    /// The bytes of long sends as they come, by account: above all the Welcomes that come with a commit.
    case sentBytes
    /// A piece of a blob, by account; up to 1 MiB each.
    case upload
    /// Reading, by account.
    case reading
    /// A socket, by account.
    case socket
    /// What an account says of others, a link, or that it accepts a room, by account.
    case consent

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
        /// Refuse it: what it does cannot be undone, or something is guessed at.
        case closed
    }

    /// Its name in answers, logs and metrics.
    var name: String {
        switch self {
        case .connection: "connection"
        case .handshake: "handshake"
        case .request: "request"
        case .registration: "registration"
        case .login: "login"
        case .refresh: "refresh"
        case .password: "password"
        case .code: "code"
        case .recovery: "recovery"
        case .lookup: "lookup"
        case .roomCreation: "room_creation"
        case .change: "change"
        case .message: "message"
        case .messageBytes: "message_bytes"
        case .refilledBytes: "refilled_bytes"
        case .sentBytes: "sent_bytes"
        case .upload: "upload"
        case .reading: "reading"
        case .socket: "socket"
        case .consent: "consent"
        }
    }

    /// Who shares a bucket.
    var scope: Scope {
        switch self {
        case .connection, .handshake, .request, .registration, .login, .refresh: .address
        default: .account
        }
    }

    /// What to do where no bucket can be had.
    var failure: Failure {
        switch self {
        case .registration, .login, .password, .code, .recovery, .lookup, .roomCreation, .change, .consent: .closed
        case .connection, .handshake, .request, .refresh: .open
        case .message, .messageBytes, .refilledBytes, .sentBytes, .upload, .reading, .socket: .open
        }
    }

    /// How much there is for each.
    var rate: TokenBucket.Rate {
        switch self {
        case .connection: .init(burst: 2_000, perMinute: 6_000)
        case .handshake: .init(burst: 200, perMinute: 600)
        case .request: .init(burst: 4_000, perMinute: 60_000)
        case .registration: .init(burst: 30, perMinute: 1)
        case .login: .init(burst: 120, perMinute: 120)
        case .refresh: .init(burst: 120, perMinute: 120)
        case .password: .init(burst: 30, perMinute: 10)
        case .code: .init(burst: 10, perMinute: 2)
        case .recovery: .init(burst: 5, perMinute: 1)
        case .lookup: .init(burst: 200, perMinute: 60)
        case .roomCreation: .init(burst: 60, perMinute: 6)
        case .change: .init(burst: 200, perMinute: 60)
        case .message: .init(burst: 1_000, perMinute: 10)
        case .messageBytes: .init(burst: 8_000_000, perMinute: 6_000)
        case .refilledBytes: .init(burst: 64_000_000, perMinute: 6_000)
        case .sentBytes: .init(burst: 60_000_000, perMinute: 1_000_000)
        case .upload: .init(burst: 500, perMinute: 3_000)
        case .reading: .init(burst: 2_000, perMinute: 12_000)
        case .socket: .init(burst: 60, perMinute: 60)
        case .consent: .init(burst: 500, perMinute: 120)
        }
    }
}
