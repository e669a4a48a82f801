import MildamCrypto
import TestSupport
import Testing

@testable import MildamKeychain

@Suite("Imports: what becomes of a login")
struct ImportTests {
    private func login(_ position: Int = 1, _ change: (inout ImportedLogin) -> Void) -> ImportedLogins {
        var login = ImportedLogin(position: position)
        change(&login)
        var file = ImportedLogins()
        file.rows = [.login(login)]
        return file
    }

    private func full(_ password: String = "pw") -> ImportedLogins {
        login {
            $0.title = "Example"
            $0.addresses = ["https://example.com:8443/login", "https://two.example"]
            $0.username = "alice"
            $0.password = SecretValue(text: password)
            $0.note = SecretValue(text: "the answer is 42")
            $0.oneTimeCode = SecretValue(text: "JBSWY3DP")
            $0.realm = "members"
            $0.folder = "Work/Mail"
            $0.fields = [.init("PIN", SecretValue(text: "1234")), .init("PIN", SecretValue(text: "5678"))]
        }
    }

    @Test func eachPartBecomesAnItem() async throws {
        let fixture = try await Fixture()
        let keychain = fixture.keychain
        let report = keychain.importLogins(full())
        #expect(report.rows.map(\.part) == ["password", "note", "one-time code", "field", "field", "field"])
        #expect(report.added == 6 && report.stopped == nil, "\(report)")
        let item = try keychain.item(.internetPassword(server: "example.com", account: "alice"))
        #expect(item.secret?.text == "pw")
        #expect(item.attributes.text(.protocol) == "htps")
        #expect(item.attributes.number(.port) == 8443)
        #expect(item.attributes.text(.path) == "/login")
        #expect(item.attributes.text(.securityDomain) == "members")
        #expect(item.attributes.text(.label) == "Example")
        #expect(item.attributes.text(.comment) == "Work/Mail")
        let account = "alice https://example.com:8443/login"
        #expect(try keychain.text(account, "note") == "the answer is 42")
        #expect(try keychain.text(account, "one-time code") == "JBSWY3DP")
        #expect(try keychain.text(account, "field: PIN") == "1234")
        #expect(try keychain.text(account, "field: PIN 2") == "5678")
        #expect(try keychain.text(account, "field: URL") == "https://two.example")
        #expect(!"\(report)".contains("pw") && !"\(report)".contains("42"))
    }

    /// The other way round: which items are parts of which login.
    @Test func whatBelongsTogetherIsKnown() async throws {
        let fixture = try await Fixture()
        let keychain = fixture.keychain
        _ = keychain.importLogins(full())
        let password = try keychain.item(.internetPassword(server: "example.com"))
        let reference = try #require(ImportedLogin.reference(of: password))
        #expect(ImportedLogin.field(of: password) == nil)
        var names: [String] = []
        for item in try keychain.copyMatching(KeychainQuery(.genericPassword), limit: .all) {
            guard let name = ImportedLogin.field(of: item) else { continue }
            names.append(name)
            #expect(item.attributes.text(.account) == reference && ImportedLogin.reference(of: item) == nil)
            #expect(item.attributes.text(.service) == ImportedLogin.service(named: name))
        }
        #expect(names == ["note", "PIN", "PIN 2", "URL"])
    }

    /// Were it made anew for each field, a file of many short fields and one long name would fill the memory.
    @Test func manyFieldsShareOneName() {
        var login = ImportedLogin(position: 1)
        login.username = String(repeating: "u", count: 1000)
        login.fields = (0..<3).map { .init("f\($0)", SecretValue(text: "v")) }
        let accounts = login.parts { _, _ in nil }.dropFirst().compactMap { $0.item.attributes.text(.account) }
        #expect(accounts.count == 3)
        let places = accounts.map { account in
            unsafe account.utf8.withContiguousStorageIfAvailable { Int(bitPattern: $0.baseAddress) }
        }
        #expect(Set(places).count == 1 && places[0] != nil)
    }

    @Test func withoutAnAddressItIsTheServiceThatCounts() async throws {
        let fixture = try await Fixture()
        let keychain = fixture.keychain
        _ = keychain.importLogins(
            login { ($0.title, $0.username, $0.password) = ("Safe", "me", SecretValue(text: "1")) }
        )
        #expect(try keychain.text("me", "Safe") == "1")
        _ = keychain.importLogins(
            login { ($0.title, $0.addresses, $0.password) = ("App", ["androidapp://x"], SecretValue(text: "2")) }
        )
        #expect(try keychain.text("", "App") == "2")
        #expect(try keychain.text("App", "field: URL") == "androidapp://x")
    }

    @Test func aPasswordInAnAddressIsNoAttribute() async throws {
        let fixture = try await Fixture()
        let keychain = fixture.keychain
        _ = keychain.importLogins(login { $0.addresses = ["https://alice:hunter2@example.com/"] })
        for itemClass in [ItemClass.internetPassword, .genericPassword] {
            for item in try keychain.copyMatching(KeychainQuery(itemClass), limit: .all) {
                #expect(!"\(item.attributes)".contains("hunter2"))
            }
        }
        #expect(try keychain.text("https://example.com", "field: URL") == "https://alice:hunter2@example.com/")
    }

    @Test func duplicatesAreLeftOrReplacedAsTheCallerSays() async throws {
        let fixture = try await Fixture()
        let keychain = fixture.keychain
        _ = keychain.importLogins(full("old"))
        let skipped = keychain.importLogins(full("new"))
        #expect(skipped.duplicates == 6 && skipped.added == 0)
        #expect(try keychain.item(.internetPassword(server: "example.com")).secret?.text == "old")
        let replaced = keychain.importLogins(full("new"), duplicates: .replace)
        #expect(replaced.replaced == 6)
        let past = try keychain.past()
        #expect(past.count == 1, "what stayed the same has no former value")
        #expect(try past.first.map { try keychain.pastSecret($0.number).text } == "old")
        #expect(try keychain.item(.internetPassword(server: "example.com")).secret?.text == "new")
    }

    @Test func whatMustNotGoBackIsJoined() async throws {
        let fixture = try await Fixture()
        let keychain = fixture.keychain
        func add(_ text: String, meanwhile: @escaping () -> Void = {}) -> ImportReport {
            keychain.importLogins(
                login { ($0.title, $0.username, $0.password) = ("service", "a", SecretValue(text: text)) },
                duplicates: .replace,
                joining: { item in
                    guard item.attributes.text(.service) == "service" else { return nil }
                    return { kept in
                        meanwhile()
                        return SecretValue(text: (kept.text ?? "?") + text)
                    }
                }
            )
        }
        #expect(add("1").added == 1)
        #expect(try keychain.text("a") == "1", "with nothing there is nothing to join")
        #expect(add("2").replaced == 1)
        #expect(try keychain.text("a") == "12")
        // What another program makes of it meanwhile is not lost.
        let report = add("3") {
            let query = KeychainQuery.genericPassword(service: "service", account: "a")
            _ = try? keychain.update(query, ItemChange(secret: SecretValue(text: "other")))
        }
        #expect(report.refused == 1 && report.stopped == nil, "\(report)")
        #expect(try keychain.text("a") == "other")
    }

    @Test func twoRowsOfOneFileDoNotTakeEachOthersPlace() async throws {
        let fixture = try await Fixture()
        let keychain = fixture.keychain
        var file = full("first")
        file.rows += full("second").rows
        let report = keychain.importLogins(file, duplicates: .replace)
        // All but the password are the same: nothing of them is lost.
        #expect(report.added == 6 && report.duplicates == 5 && report.replaced == 0)
        #expect(report.rows.filter { $0.outcome == .refused(.repeated) }.map(\.part) == ["password"])
        #expect(try keychain.item(.internetPassword(server: "example.com")).secret?.text == "first")
        let again = keychain.importLogins(file, duplicates: .replace)
        #expect(again.replaced == 6 && again.duplicates == 5 && again.refused == 1)
        #expect(try keychain.item(.internetPassword(server: "example.com")).secret?.text == "first")
    }

    @Test func aTrialSaysWhatTheImportWouldDoAndDoesNothing() async throws {
        let fixture = try await Fixture()
        var file = full("first")
        file.rows += full("second").rows
        file.rows +=
            login {
                ($0.title, $0.password) = ("big", SecretValue(copying: [UInt8](repeating: 1, count: (4 << 20) + 1)))
            }.rows
        for duplicates in [DuplicateRule.skip, .replace] {
            let before = try await fixture.another().everyItem().items.count
            let trial = fixture.keychain.importLogins(file, mode: .trial, duplicates: duplicates)
            #expect(try await fixture.another().everyItem().items.count == before)
            let done = fixture.keychain.importLogins(file, duplicates: duplicates)
            #expect(trial.rows.count == 13 && trial.rows == done.rows, "\(trial.rows)\n\(done.rows)")
        }
        // Another path is another item, and no path none of those with one.
        let other = login {
            ($0.addresses, $0.username, $0.password) = (["https://example.com:8443"], "alice", SecretValue(text: "x"))
        }
        #expect(fixture.keychain.importLogins(other, mode: .trial).added == 1)
    }

    @Test func anInterruptedImportIsCompletedByAnother() async throws {
        let fixture = try await Fixture()
        defer { withExtendedLifetime(fixture) {} }
        let keychain = fixture.keychain
        var part = full()
        var rest: [ImportedLogins.Row] = []
        for number in 2..<50 {
            rest += login(number) { ($0.title, $0.password) = ("login \(number)", SecretValue(text: "\(number)")) }.rows
        }
        part.rows += rest.prefix(20)
        _ = keychain.importLogins(part)
        var whole = full()
        whole.rows += rest
        let completed = keychain.importLogins(whole)
        #expect(completed.duplicates == 26 && completed.added == 28 && completed.refused == 0)
        for number in 2..<50 { #expect(try keychain.text("", "login \(number)") == "\(number)") }
    }

    @Test func theCallerMakesOneTimeCodesAndMayChangeItems() async throws {
        let fixture = try await Fixture()
        let keychain = fixture.keychain
        let report = keychain.importLogins(
            full(),
            oneTimeCode: { login, secret in
                NewItem(.genericPassword, [.service: "otp", .account: .text(login.title)], secret: secret)
            },
            preparing: { $0.accessibility = .afterFirstUnlock }
        )
        #expect(report.added == 6)
        #expect(try keychain.item(.genericPassword(service: "otp", account: "Example")).secret?.text == "JBSWY3DP")
        #expect(try keychain.item(.internetPassword(server: "example.com")).accessibility == .afterFirstUnlock)
        let empty = try await Fixture()
        let without = empty.keychain
        #expect(without.importLogins(full(), oneTimeCode: { _, _ in nil }).added == 5)
    }

    @Test func whatTheKeychainRefusesIsReportedAndTheRestGoesOn() async throws {
        let fixture = try await Fixture()
        let keychain = fixture.keychain
        var file = login {
            ($0.title, $0.password) = ("big", SecretValue(copying: [UInt8](repeating: 1, count: (4 << 20) + 1)))
        }
        file.rows += full().rows
        let report = keychain.importLogins(file)
        #expect(report.refused == 1 && report.added == 6)
        #expect(report.rows.first?.name == "big")
        keychain.lock()
        let stopped = keychain.importLogins(full())
        #expect(stopped.stopped == .locked)
        #expect(stopped.rows.isEmpty)
    }

    @Test func nothingOfALoginIsDescribed() {
        var shown = ""
        for login in full("hunter2").logins {
            dump(login, to: &shown)
            shown += "\(login)"
        }
        #expect(shown.contains("row 1"))
        #expect(!shown.contains("hunter2") && !shown.contains("42") && !shown.contains("JBSWY3DP"))
    }
}
