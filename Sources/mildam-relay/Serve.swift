import Glibc
import MildamRelay
import MildamSystem
import MildamTerminal
import MildamTransport

/// `mildam-relay serve`.
enum Serve {
    /// Serves until a signal says to stop. On the main thread, so that the signals are blocked in every other one too.
    @MainActor static func run(_ invocation: Invocation, on console: Console) async -> ExitStatus {
        guard let configuration = configuration(invocation, console) else { return .usage }
        // From here on the signals wait for `waitForStop()`; a thread inherits what is blocked from the one that makes it.
        blockSignals()
        DescriptorLimit.raise()
        do throws(RelayError) {
            let server = try RelayServer(configuration)
            try? console.print("listening on \(server.url)  relay \(server.relay)")
            waitForStop { reload(server, configuration.log) }
            configuration.log.info("stopping")
            await server.stop()
            configuration.log.info("stopped")
            return .done
        } catch {
            console.complain("mildam-relay: \(error)")
            return status(of: error)
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
        configuration.limitsRates = !invocation.flag("no-rate-limits")
        configuration.logsRequests = invocation.flag("log-requests")
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
        for (option, place) in [("room-quota", \RelayQuota.roomBytes), ("account-quota", \RelayQuota.accountBlobBytes)]
        {
            guard let text = invocation.value(option) else { continue }
            guard let size = ByteCount.parse(text) else {
                console.complain(
                    "mildam-relay: --\(option) takes a size in bytes, or with K, M, G or T behind it: 500M"
                )
                return false
            }
            configuration.quota[keyPath: place] = size
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

    /// The status that an error ends with.
    static func status(of error: RelayError) -> ExitStatus {
        switch error {
        case .noData: .notFound
        case .publicURL: .usage
        case .alreadyRunning, .plainOffLoopback: .refused
        case .damaged, .secretsMissing, .storage(.damaged): .damaged
        default: .failed
        }
    }

    // MARK: Signals

    private static func blockSignals() {
        var signals = caught()
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Waits for SIGTERM or SIGINT. SIGHUP, which a terminal sends that goes, ends nothing.
    private static func waitForStop(onHangUp reload: () -> Void) {
        var signals = caught()
        var number: Int32 = 0
        while true {
            guard unsafe sigwait(&signals, &number) == 0 else { continue }
            guard number == SIGHUP else { return }
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
