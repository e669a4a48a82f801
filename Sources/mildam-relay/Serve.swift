import Glibc
import MildamRelay
import MildamRelayAPI
import MildamSystem
import MildamTerminal
import MildamTransport

/// `mildam-relay serve`.
let serve = RelayCommand(
    ["serve"],
    summary: "Serve accounts, rooms and files until SIGTERM or SIGINT.",
    discussion: """
        Prints one line on standard output once it listens: "listening on URL  relay ID"; a relay without accounts that \
        asks for invitations prints the first one in a second line: "invitation CODE". What happens is told on standard error, one line an event, without content, handles or tokens.

        Without a certificate it serves plain HTTP, on loopback addresses only.
        """,
    options: [
        dataOption,
        OptionSpec(
            "listen",
            value: .init("ADDRESS:PORT"),
            help: "Where to listen; port 0 takes a free one; default 127.0.0.1:8443."
        ),
        OptionSpec(
            "certificate",
            value: .init("FILE", completion: .file),
            help: "The certificate and those that lead to its authority, PEM."
        ),
        OptionSpec("key", value: .init("FILE", completion: .file), help: "The certificate's private key, PEM."),
        OptionSpec(
            "public-url",
            value: .init("URL"),
            help:
                "Under which address people reach it: https://chat.example.org. What a client proves to have its "
                + "key for is held against this. Needed where others than this machine do.",
            isRepeatable: true
        ),
        OptionSpec(
            "behind-proxy",
            help: "Take a client's address from the X-Forwarded-For of a proxy on this machine."
        ),
        OptionSpec(
            "registration",
            value: .init("WHO", completion: .choices(RegistrationMode.allCases.map(\.rawValue))),
            help:
                "Who makes accounts: open, anybody; invite, whoever has an invitation; closed, nobody. Open where the "
                + "relay is reached from this machine alone, by invitation otherwise."
        ),
        OptionSpec(
            "requests",
            value: .init("WHO", completion: .choices(RequestPolicy.allCases.map(\.rawValue))),
            help:
                "Who invites somebody that does not know them: open, anybody, the default; link-only, whoever was given "
                + "a link."
        ),
        OptionSpec(
            "keep-days",
            value: .init("DAYS"),
            help: "Drop messages and files this many days after they came; otherwise they are kept. "
                + "Messages that a device has yet to read stay for twice as long. "
                + "A device that slept longer comes back into its rooms by itself, with a gap."
        ),
        OptionSpec(
            "room-quota",
            value: .init("SIZE"),
            help: "What the messages of a room may take, as 500M or 4G (the default)."
        ),
        OptionSpec(
            "account-quota",
            value: .init("SIZE"),
            help: "What everything that an account causes may take: messages, files, rooms; default 64G."
        ),
        OptionSpec(
            "network-quota",
            value: .init("SIZE"),
            help:
                "What all accounts may take together that were made from one network (IPv4 /24, IPv6 /48); default 256G."
        ),
        OptionSpec(
            "messages",
            value: .init("COUNT"),
            help: "How many messages an account may send in a day; default 14400, of which 1000 at once."
        ),
        OptionSpec(
            "message-bytes",
            value: .init("SIZE"),
            help: "What an account's messages may take, at once and again in each day; default 8M."
        ),
        OptionSpec(
            "no-rate-limits",
            help:
                "Hold no request back, however many come: for measuring, and for relays that no stranger reaches."
        ),
        OptionSpec(
            "log",
            value: .init("FORM", completion: .choices(["text", "json"])),
            help: "How standard error is written: text, the default on a terminal, or json, a line an event."
        ),
        OptionSpec(
            "log-requests",
            help: "Log every request, not only those in which the relay failed: when, which route, what status."
        ),
        OptionSpec(
            "log-failed-logins",
            help:
                "Log the network (IPv4 /24, IPv6 /48) of each login that failed, for a tool that keeps guessers out."
        ),
        OptionSpec(
            "plain-anywhere",
            help: "Serve plain HTTP on any address: only behind a proxy that ends TLS."
        ),
    ],
    examples: [
        .init("mildam-relay serve --data /srv/mildam", "Serve plain HTTP on this machine alone."),
        .init(
            "mildam-relay serve --listen 0.0.0.0:443 --public-url https://chat.example.org --certificate chain.pem --key key.pem",
            "Serve TLS 1.3 to everyone."
        ),
    ],
    exitNotes: [
        .init(.done, "It was told to stop, and everything is on the disk."),
        .init(
            .refused,
            "Another relay has the data folder, another user could have made it, or plain HTTP would leave the machine."
        ),
    ]
) { invocation, console in
    await Serve.run(invocation, on: console)
}

/// Serving.
enum Serve {
    /// Serves until a signal says to stop. On the main thread, so that the signals are blocked in every other one too.
    @MainActor static func run(_ invocation: Invocation, on console: Console) async -> ExitStatus {
        guard let configuration = configuration(invocation, console) else { return .usage }
        let hangup = Hangup()
        // From here on the signals wait for `waitForStop()`; a thread inherits what is blocked from the one that makes it.
        blockSignals()
        DescriptorLimit.raise()
        do throws(RelayError) {
            let server = try RelayServer(configuration)
            try? console.print("listening on \(server.url)  relay \(server.relay)")
            if let invitation = server.firstInvitation { try? console.print("invitation \(invitation)") }
            waitForStop(hangup) { reload(server, configuration.log) }
            configuration.log.info("stopping")
            await server.stop()
            configuration.log.info("stopped")
            return .done
        } catch {
            console.complain(TerminalText.sanitized("mildam-relay: \(error)"))
            return error.exitStatus
        }
    }

    private static func configuration(_ invocation: Invocation, _ console: Console) -> RelayConfiguration? {
        guard let address = address(invocation.value("listen") ?? "127.0.0.1:8443") else {
            console.complain("mildam-relay: --listen takes a numeric address and a port: 127.0.0.1:8443, [::1]:8443")
            return nil
        }
        guard let folder = invocation.value("data") ?? defaultFolder() else {
            console.complain("mildam-relay: neither --data, XDG_DATA_HOME nor HOME says where to keep the data")
            return nil
        }
        let tls: TLSServerConfiguration?
        switch (invocation.value("certificate"), invocation.value("key")) {
        case (let certificate?, let key?):
            tls = TLSServerConfiguration(certificateChainFile: certificate, privateKeyFile: key)
        case (nil, nil):
            tls = nil
        default:
            console.complain("mildam-relay: --certificate and --key go together")
            return nil
        }
        var configuration = RelayConfiguration(dataFolder: folder, address: address, tls: tls)
        configuration.servesPlainAnywhere = invocation.flag("plain-anywhere")
        configuration.behindProxy = invocation.flag("behind-proxy")
        configuration.publicURLs = invocation.values("public-url")
        guard !configuration.publicURLs.isEmpty || address.isLoopback && !configuration.behindProxy else {
            console.complain(
                "mildam-relay: say under which address people reach it, as their clients do: --public-url https://HOST[:PORT]"
            )
            return nil
        }
        if let text = invocation.value("registration") {
            guard let mode = RegistrationMode(rawValue: text) else {
                console.complain("mildam-relay: --registration takes open, invite or closed")
                return nil
            }
            configuration.registration = mode
        }
        if let text = invocation.value("requests") {
            guard let policy = RequestPolicy(rawValue: text) else {
                console.complain("mildam-relay: --requests takes open or link-only")
                return nil
            }
            configuration.requests = policy
        }
        configuration.limitsRates = !invocation.flag("no-rate-limits")
        configuration.logsRequests = invocation.flag("log-requests")
        configuration.logsFailedLogins = invocation.flag("log-failed-logins")
        configuration.log = log(invocation, console)
        return take(sizesOf: invocation, into: &configuration, console) ? configuration : nil
    }

    private static func take(
        sizesOf invocation: Invocation,
        into configuration: inout RelayConfiguration,
        _ console: Console
    ) -> Bool {
        if let days = invocation.value("keep-days") {
            guard let count = Int(days), (1...36_500).contains(count) else {
                console.complain("mildam-relay: --keep-days takes a number of days from 1 to 36500")
                return false
            }
            configuration.retention.days = count
        }
        let quotas = [
            ("room-quota", \RelayQuota.roomBytes), ("account-quota", \RelayQuota.accountBytes),
            ("network-quota", \RelayQuota.networkBytes),
        ]
        for (option, place) in quotas {
            guard let text = invocation.value(option) else { continue }
            guard let size = ByteCount.parse(text) else {
                console.complain(
                    "mildam-relay: --\(option) takes a size in bytes, or with K, M, G or T behind it: 500M"
                )
                return false
            }
            configuration.quota[keyPath: place] = min(size, RelayQuota.maximumBytes)
        }
        if let text = invocation.value("messages") {
            guard let count = Int(text), count > 0 else {
                console.complain("mildam-relay: --messages takes a number of messages: 100000")
                return false
            }
            configuration.messages = count
        }
        if let text = invocation.value("message-bytes") {
            // Less would hold back one message of the greatest length for longer than a day.
            guard let size = ByteCount.parse(text), size >= 1_000_000 else {
                console.complain("mildam-relay: --message-bytes takes a size of 1M or more: 60M, 1G")
                return false
            }
            configuration.messageBytes = size
        }
        return true
    }

    private static func log(_ invocation: Invocation, _ console: Console) -> RelayLog {
        let form = invocation.value("log") ?? (console.isTerminal(.errors) ? "text" : "json")
        return RelayLog { console.complain(form == "text" ? $0.line : $0.json(at: .system)) }
    }

    /// "127.0.0.1:8443" or "[::1]:8443".
    private static func address(_ text: String) -> SocketAddress? {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        let host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            return SocketAddress(ip: String(host.dropFirst().dropLast()), port: port)
        }
        return host.contains(":") ? nil : SocketAddress(ip: String(host), port: port)
    }

    /// Where the data lies when nobody says so.
    static func defaultFolder() -> String? {
        if let data = Console.variable("XDG_DATA_HOME"), data.hasPrefix("/") { return data + "/mildam-relay" }
        return Console.variable("HOME").map { $0 + "/.local/share/mildam-relay" }
    }

    // MARK: Signals

    private static func blockSignals() {
        var signals = caught()
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Waits for SIGTERM, SIGINT, or the end of the relay's terminal. Any other SIGHUP ends nothing.
    private static func waitForStop(_ hangup: Hangup, orReload reload: () -> Void) {
        var signals = caught()
        var signal = unsafe siginfo_t()
        while true {
            let number = unsafe sigwaitinfo(&signals, &signal)
            guard number > 0 else { continue }
            let (code, sender) = unsafe (signal.si_code, signal._sifields._kill.si_pid)
            guard number == SIGHUP, !hangup.isEnd(code: code, from: sender) else { return }
            reload()
        }
    }

    private static func reload(_ server: RelayServer, _ log: RelayLog) {
        do throws(RelayError) {
            if try server.reloadCertificate() { log.info("certificate_read") }
        } catch {
            log.error("certificate_not_read", "the certificate stays what it was: \(error)")
        }
    }

    private static func caught() -> sigset_t {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        for number in [SIGTERM, SIGINT, SIGHUP] { unsafe sigaddset(&signals, number) }
        return signals
    }
}
