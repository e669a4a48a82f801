import MildamIdentity
import MildamProfile
import MildamRelayAPI
import MildamSystem
import MildamTransport

extension Messenger {
    /// Examines the way from this profile to its relay, and what the relay says of the account: one finding for each
    /// step, in order.
    ///
    /// Nothing is changed, but that the session's tokens are renewed.
    ///
    /// - Parameter relay: the relay to which only the way is examined where this profile was never used.
    public func diagnose(otherwise relay: String? = nil) async -> [Finding] {
        if let relay, (try? isUsed) == false {
            return await Messenger.diagnose(relay: relay, authorityFile: nil, clock: clock, onWait: onWait)
        }
        var findings = Findings()
        examineDisk(&findings)
        if let account = await examineProfile(&findings) {
            await examineDatabase(&findings)
            await examineContacts(&findings)
            await examineGroups(&findings)
            let way = WayExamination(
                address: account.relayAddress,
                authorityFile: account.authorityFile,
                clock: clock,
                onWait: onWait
            )
            if let description = await way.run(&findings), isPinned(description, account, &findings),
                await examineSession(account, &findings)
            {
                await examineIdentity(account, &findings)
                await examineLive(&findings)
                await examineMail(&findings)
            }
        }
        return findings.finished(of: Finding.Step.allCases)
    }

    /// Examines the way to a relay, without a profile.
    ///
    /// - Parameters:
    ///   - authorityFile: the certificate authority to trust in the system's place.
    ///   - onWait: told the address where the relay lets one wait, and then `nil` when it has answered.
    public static func diagnose(
        relay address: String,
        authorityFile: String?,
        clock: WallClock = .system,
        onWait: (@Sendable (String?) -> Void)? = nil
    ) async -> [Finding] {
        var findings = Findings()
        let way = WayExamination(address: address, authorityFile: authorityFile, clock: clock, onWait: onWait)
        _ = await way.run(&findings)
        return findings.finished(of: WayExamination.steps)
    }

    /// The findings of a profile that is not opened, since another user of the machine could have made it.
    public static func diagnose(distrusting place: UntrustedPlace) -> [Finding] {
        var findings = Findings()
        findings.wrong(.profile, place.found, place.remedy, code: "profile-not-usable")
        return findings.finished(of: Finding.Step.allCases)
    }

    /// The findings of a profile that could not be opened.
    ///
    /// - Parameter reason: why, and what to do.
    public static func diagnose(unopened reason: String) -> [Finding] {
        var findings = Findings()
        findings.wrong(.profile, reason, nil, code: "profile-not-usable")
        return findings.finished(of: Finding.Step.allCases)
    }

    // MARK: The profile

    private func examineProfile(_ findings: inout Findings) async -> AccountState? {
        guard (try? isUsed) != false else {
            findings.wrong(
                .profile,
                AbsentAccount(in: profile.place).found,
                "`mildam account create HANDLE` makes one; before that, `mildam doctor --relay URL` looks at the way",
                code: "no-account"
            )
            return nil
        }
        let examination = ProfileExamination(profile.place)
        guard await examination.waitUntilFree() else {
            let found = "another program holds \(profile.place.folder)"
            findings.wrong(.profile, found, "wait for it, or end it", code: "lent")
            return nil
        }
        do throws(MessengerError) {
            let account = try await alone { (messenger, store) throws(MessengerError) in
                let account = try messenger.account(store)
                _ = try messenger.deviceKeys(account, store)
                return account
            }
            if let (found, remedy) = examination.exposure {
                findings.wrong(.profile, found, remedy)
            } else {
                findings.ok(.profile, "\(account.handle) in \(profile.place.folder)")
            }
            return account
        } catch .noAccount(let absent) {
            findings.wrong(.profile, absent.found, "`mildam account create HANDLE` makes one", code: "no-account")
        } catch {
            findings.wrong(.profile, error, nil, error.faultOfProfile)
        }
        return nil
    }

    private func examineContacts(_ findings: inout Findings) async {
        do throws(MessengerError) {
            let standings = try await alone { (_, store) throws(MessengerError) in
                try store.record(.standings, []) ?? ToldStandings()
            }
            let (refused, due) = (standings.refused, standings.due.count)
            if !refused.isEmpty {
                let known = refused.count { $0 == .known }
                findings.wrong(
                    .contacts,
                    "the relay has no room to note \(known) that you know and \(refused.count - known) that you block",
                    "`mildam request block HANDLE --undo` makes room, where that is no contact; or ask whoever runs the relay",
                    code: "refused"
                )
            } else {
                let waiting = "\(due) to be told to the relay with the next mail"
                findings.ok(.contacts, due == 0 ? "the relay is told whom you know and block" : waiting)
            }
        } catch {
            findings.wrong(.contacts, error, nil)
        }
    }

    // MARK: The relay

    private func isPinned(
        _ description: RelayDescription,
        _ account: AccountState,
        _ findings: inout Findings
    ) -> Bool {
        guard description.relay == account.relay else {
            findings.wrong(
                .relay,
                "another relay answers, \(description.relay); the account is on \(account.relay)",
                "nothing was told to it; ask whoever runs the relay whether its key or its data was replaced",
                .differs,
                code: "other-relay"
            )
            return false
        }
        findings.ok(.relay, "the one that the account was made on")
        return true
    }

    private func examineSession(_ account: AccountState, _ findings: inout Findings) async -> Bool {
        do throws(MessengerError) {
            _ = try await passage(renewing: true)
            findings.ok(.session, "open; its tokens were renewed")
            return true
        } catch .notLoggedIn {
            if account.isRegistered {
                findings.wrong(.session, "it has ended", "`mildam account login`", code: "not-logged-in")
            } else {
                findings.wrong(
                    .session,
                    "the account is not finished: the attempt to make it was interrupted",
                    "repeat `mildam account create \(account.handle) --relay \(account.relayAddress)`, same password",
                    code: "not-logged-in"
                )
            }
        } catch .transport(let error) {
            let code = RoomFault(MessengerError.transport(error)).code
            findings.wrong(.session, error.description, "try again", .unreachable, code: code)
        } catch .storage(let error) {
            // It is this machine's fault, and another session would not mend it.
            findings.wrong(.session, "its new tokens cannot be kept: \(error)", nil, code: "not-stored")
        } catch {
            let isOff = findings.all.contains { $0.step == .clock && $0.verdict == .wrong }
            findings.wrong(
                .session,
                error.description,
                isOff ? "set the clock first, see above" : "`mildam account login` opens a new one",
                code: RoomFault(error).code
            )
        }
        return false
    }

    private func examineIdentity(_ account: AccountState, _ findings: inout Findings) async {
        do throws(MessengerError) {
            guard try await isShown(account) else {
                return findings.wrong(
                    .identity,
                    "this device is not on the list that the relay shows for \(account.handle)",
                    "ask whoever runs the relay whether its data is old",
                    .differs
                )
            }
            findings.ok(.identity, "the relay shows the key and the device of this profile for \(account.handle)")
        } catch .identity(.identityKeyChanged) {
            findings.wrong(
                .identity,
                "the relay shows another identity key for \(account.handle) than this profile's",
                "others meet that key in your place: ask whoever runs the relay, and tell the others by another way",
                .differs,
                code: "identity-changed"
            )
        } catch .identity(let error) {
            findings.wrong(.identity, .identity(error), "ask whoever runs the relay", .differs)
        } catch .relayIsBehind(let lag) {
            findings.wrong(.identity, .relayIsBehind(lag), nil)
        } catch .unknownAccount {
            findings.wrong(
                .identity,
                "the relay knows nobody called \(account.handle)",
                "ask whoever runs the relay whether its data is old",
                .differs,
                code: "unknown-account"
            )
        } catch {
            findings.wrong(.identity, error, "try again", error.isUnreachable ? .unreachable : .other)
        }
    }

    /// Whether the relay shows this device, with one of the keys that it has, on the account's list.
    private func isShown(_ account: AccountState) async throws(MessengerError) -> Bool {
        let shown = try await RelayDoor(self, clock: clock).records(of: account.handle)
        return try await alone { (messenger, store) throws(MessengerError) -> Bool in
            let device = try messenger.verify(shown, of: account.handle, account, store).devices[account.device]
            return try messenger.openingKeys(account, store).contains {
                device?.signatureKey == $0.signing.publicKey && device?.agreementKey == $0.agreement.publicKey
            }
        }
    }

    private func examineLive(_ findings: inout Findings) async {
        let remedy =
            "a proxy in between has to pass WebSockets on: the fields Upgrade and Connection, for \(Routes.socket.path); "
            + "without, send and read work, watch and chat do not"
        do throws(MessengerError) {
            try await openSocket().0.close()
            findings.ok(.live, "a WebSocket opens")
        } catch .transport(.upgradeRefused(let response)) {
            findings.wrong(
                .live,
                "no WebSocket: status \(response.status) in answer to the upgrade",
                remedy,
                code: "unreachable"
            )
        } catch {
            findings.wrong(.live, "no WebSocket: \(error)", remedy, code: RoomFault(error).code)
        }
    }

    /// Examines what the relay has of this device's mail, and says what waits for a person.
    private func examineMail(_ findings: inout Findings) async {
        do throws(MessengerError) {
            if let lag = try await mailLag() { return findings.wrong(.rooms, .relayIsBehind(lag), nil) }
            let (older, mail) = try await alone { (_, store) throws(MessengerError) in
                (try store.allOlderRooms().count, try store.consent().summary)
            }
            let kept = older == 0 ? "none of the first kind" : "\(older) of the first kind, to be read"
            findings.ok(.rooms, kept + mail)
        } catch {
            findings.wrong(.rooms, error, "try again", error.isUnreachable ? .unreachable : .other)
        }
    }

    /// What the relay lacks of this device's mail; `nil` where it has numbered all that was taken here.
    private func mailLag() async throws(MessengerError) -> RelayLag? {
        let taken = try await alone { (_, store) throws(MessengerError) in
            max(try store.record(.mailbox, []) ?? 0, try store.record(.welcomes, []) ?? 0)
        }
        do throws(MessengerError) {
            let page = try await RelayDoor(self, clock: clock).ask { (relay, access) throws(MessengerError) in
                try await relay.mailbox(from: taken &+ 1, access)
            }
            return page.lag(after: taken)
        } catch {
            guard case .refused(let refusal) = error, refusal.code == .gone else { throw error }
            // What is there was numbered later.
            return nil
        }
    }
}

extension Consent {
    /// What waits, and what was set aside; empty when there is nothing of either.
    fileprivate var summary: String {
        var parts: [String] = []
        let waiting = roomRequests.all.count
        if waiting > 0 { parts.append("requests that wait: \(waiting)") }
        if let last = setAside.last.last {
            parts.append("mail set aside: \(setAside.count), the last one because \(last.cause.rawValue)")
        }
        return parts.map { "; " + $0 }.joined()
    }
}

extension MessengerError {
    fileprivate var isUnreachable: Bool { if case .transport = self { true } else { false } }
}
