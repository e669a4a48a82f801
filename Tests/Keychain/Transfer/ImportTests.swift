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
        #expect(try keychain.item(.internetPassword(server: "example.com")).secret?.text == "new")
    }

    @Test func twoRowsOfOneFileDoNotTakeEachOthersPlace() async throws {
        let fixture = try await Fixture()
        let keychain = fixture.keychain
        var file = full("first")
        file.rows += full("second").rows
        let report = keychain.importLogins(file, duplicates: .replace)
        #expect(report.added == 6 && report.duplicates == 6 && report.replaced == 0)
        #expect(try keychain.item(.internetPassword(server: "example.com")).secret?.text == "first")
        let again = keychain.importLogins(file, duplicates: .replace)
        #expect(again.replaced == 6 && again.duplicates == 6)
        #expect(try keychain.item(.internetPassword(server: "example.com")).secret?.text == "first")
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
