import FoundationEssentials
import MildamRelayAPI
import MildamSystem
import MildamTransport

/// Goes the way to a relay, step by step, until one fails. Nothing is sent but `GET /v1/relay`.
struct WayExamination {
    /// The steps it takes.
    static let steps: [Finding.Step] = [.address, .name, .connection, .certificate, .answer, .clock]

    let address: String
    let authorityFile: String?
    let clock: WallClock
    let onWait: (@Sendable (String?) -> Void)?

    /// Takes the steps.
    ///
    /// - Returns: what the relay says it is, if it was reached.
    func run(_ findings: inout Findings) async -> RelayDescription? {
        guard let endpoint = endpoint(&findings), let addresses = await addresses(of: endpoint, &findings),
            let reached = await connect(endpoint, addresses, &findings),
            await certificate(endpoint, reached, &findings)
        else { return nil }
        return await answer(&findings)
    }

    private func endpoint(_ findings: inout Findings) -> Endpoint? {
        guard let endpoint = Endpoint(address) else {
            findings.wrong(.address, "\(address) is no address of a relay", "write it like https://HOST:PORT")
            return nil
        }
        guard endpoint.isSecure || endpoint.isOnThisMachine else {
            findings.wrong(
                .address,
                "\(address) would send passwords and tokens in clear",
                "use https://; http:// is for a relay on this machine",
                code: "unprotected"
            )
            return nil
        }
        findings.ok(.address, "\(endpoint)")
        return endpoint
    }

    private func addresses(of endpoint: Endpoint, _ findings: inout Findings) async -> [SocketAddress]? {
        do throws(TransportError) {
            let addresses = try await ServerProbe.addresses(of: endpoint)
            let list = addresses.prefix(4).map(\.ipText).joined(separator: ", ")
            findings.ok(.name, list == endpoint.host ? "\(list) is an address" : "\(endpoint.host) is \(list)")
            return addresses
        } catch {
            findings.wrong(
                .name,
                error.description,
                "check how the host is spelt, and this machine's network and name server",
                .unreachable,
                code: "unreachable"
            )
            return nil
        }
    }

    private func connect(
        _ endpoint: Endpoint,
        _ addresses: [SocketAddress],
        _ findings: inout Findings
    ) async -> SocketAddress? {
        var failures: [String] = []
        for address in addresses {
            do throws(TransportError) {
                try await ServerProbe.connect(to: address)
                let others = failures.isEmpty ? "" : " (but: \(failures.joined(separator: "; ")))"
                findings.ok(.connection, "\(address) takes connections\(others)")
                return address
            } catch .timedOut {
                failures.append("cannot reach \(address): no answer")
            } catch {
                failures.append(error.description)
            }
        }
        findings.wrong(
            .connection,
            failures.joined(separator: "; "),
            "see that the relay runs, and that every firewall between lets port \(endpoint.port) through",
            .unreachable,
            code: "unreachable"
        )
        return nil
    }

    // MARK: TLS

    private func certificate(
        _ endpoint: Endpoint,
        _ address: SocketAddress,
        _ findings: inout Findings
    ) async -> Bool {
        guard endpoint.isSecure else {
            findings.ok(.certificate, "none is needed: plain HTTP stays on this machine")
            return true
        }
        let shown: PresentedCertificate
        do throws(TransportError) {
            shown = try await ServerProbe.certificate(
                of: endpoint,
                at: address,
                tls: RelayClient.tls(authorityFile)
            )
        } catch .tls(.configuration) {
            let file = authorityFile ?? "the system's authorities"
            findings.wrong(
                .certificate,
                "\(file) cannot be used as certificate authorities",
                "it has to be there, readable, and in PEM form",
                code: "tls"
            )
            return false
        } catch {
            findings.wrong(
                .certificate,
                "no TLS handshake: \(error)",
                "see that the relay, or the proxy before it, speaks TLS 1.3 at this port, and not plain HTTP",
                code: "tls"
            )
            return false
        }
        let who = "\(shown.subject), signed by \(shown.issuer)"
        guard let failure = shown.failure else {
            findings.ok(.certificate, "\(who), good until \(WayExamination.day(shown.notAfter))")
            return true
        }
        let (found, remedy) = verdict(failure, of: shown, endpoint)
        findings.wrong(.certificate, "\(who): \(found)", remedy, code: "tls")
        return false
    }

    private func verdict(
        _ failure: TLSFailure,
        of shown: PresentedCertificate,
        _ endpoint: Endpoint
    ) -> (found: String, remedy: String) {
        switch failure {
        case .certificateExpired:
            let day = WayExamination.day(shown.notAfter)
            return ("it expired on \(day)", "whoever runs the relay renews it; or is this machine's clock ahead?")
        case .certificateNotYetValid:
            let day = WayExamination.day(shown.notBefore)
            return ("it begins on \(day)", "is this machine's clock behind? Otherwise wait, or have it replaced")
        case .wrongName:
            let names = shown.names.isEmpty ? "no name at all" : shown.names
            return (
                "it is for another name, \(names)",
                "use a name that it is for, or have it replaced by one for \(endpoint.host)"
            )
        case .unknownAuthority:
            guard let authorityFile else {
                return (
                    "no authority that this system trusts signed it",
                    "if the relay has an authority of its own, get its certificate from whoever runs the relay, "
                        + "and name the file with --authority when the account is made"
                )
            }
            return (
                "no authority in \(authorityFile) signed it",
                "get the certificate of the authority from whoever runs the relay; --authority names its file"
            )
        default:
            return (failure.description, "have it replaced")
        }
    }

    private static func day(_ seconds: Int64) -> String {
        Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(.iso8601.year().month().day())
    }

    // MARK: HTTP

    private func answer(_ findings: inout Findings) async -> RelayDescription? {
        do throws(MessengerError) {
            let clocks = ClockComparison()
            let relay = try RelayClient(
                address: address,
                authorityFile: authorityFile,
                clock: clock,
                clocks: clocks,
                onWait: onWait
            )
            let description = try await relay.description()
            findings.ok(.answer, "a relay of Mildam, \(description.version), with the id \(description.relay)")
            tell(of: clocks.skew, &findings)
            return description
        } catch .transport(let error) {
            findings.wrong(
                .answer,
                error.description,
                "connections are taken, but nothing answers: see to the relay, or the proxy before it",
                .unreachable,
                code: RoomFault(MessengerError.transport(error)).code
            )
        } catch {
            findings.wrong(
                .answer,
                "what answers is no relay of Mildam: \(error)",
                "check the port; a proxy has to pass /v1/ on",
                code: RoomFault(error).code
            )
        }
        return nil
    }

    private func tell(of skew: ClockSkew?, _ findings: inout Findings) {
        guard let skew else { return findings.notTried(.clock, "the relay does not say what time it has") }
        guard skew.seconds.magnitude > UInt64(ClockComparison.tolerance) else {
            return findings.ok(.clock, "within \(max(1, skew.seconds.magnitude)) s of the relay's")
        }
        findings.wrong(.clock, "\(skew)", "set the one that is wrong: timedatectl set-ntp true", code: "clock-is-off")
    }
}
