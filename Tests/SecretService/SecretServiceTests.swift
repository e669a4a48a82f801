import Foundation
import MildamKeychain
import TestSupport
import Testing

@testable import MildamSecretService

@Suite("Secret Service: import from a desktop's keyring", .serialized)
struct SecretServiceTests {
    @Test(.enabled(if: Desktop.isExpected))
    func everyItemIsReadAndLockedOnesAreReported() throws {
        let desktop = try Desktop()
        try desktop.store("hunter2", label: "My label", ["service", "mail", "username", "alice"])
        try desktop.store("é\nx", label: "Second", ["zone", "b", "kind", "a"])
        try desktop.store(
            "net",
            label: "Share",
            ["server", "nas", "protocol", "smb", "port", "445", "user", "bob", "object", "x"]
        )
        let result = try desktop.session { try SecretServiceImport.read() }
        let logins = result.logins.sorted { $0.title < $1.title }
        #expect(logins.map(\.title) == ["Second", "Share", "mail"])
        #expect(logins.map { $0.password?.text } == ["é\nx", "net", "hunter2"])
        #expect(logins.map(\.username) == ["kind=a zone=b", "bob", "alice"])
        #expect(logins.map(\.addresses) == [[], ["smb://nas:445/x"], []])
        #expect(logins.allSatisfy { $0.folder == "Login" }, "\(logins.map(\.folder))")
        try desktop.lock()
        let locked = try desktop.session { try SecretServiceImport.read() }
        #expect(locked.logins.isEmpty)
        #expect(locked.rows.count == 3)
        for row in locked.rows {
            guard case .refused(_, let name, .locked) = row else {
                Issue.record("\(row)")
                continue
            }
            #expect(["My label", "Second", "Share"].contains(name))
        }
    }

    @Test func withoutABusThereIsNoKeyring() {
        unsafe unsetenv("DBUS_SESSION_BUS_ADDRESS")
        unsafe setenv("XDG_RUNTIME_DIR", "/nonexistent", 1)
        defer { unsafe unsetenv("XDG_RUNTIME_DIR") }
        #expect(throws: SecretServiceError.noSessionBus) { try SecretServiceImport.read() }
        unsafe setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent/bus", 1)
        defer { unsafe unsetenv("DBUS_SESSION_BUS_ADDRESS") }
        let error = #expect(throws: SecretServiceError.self) { try SecretServiceImport.read() }
        guard case .refused? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func attributesThatAreToldNowhereElseAreAField() {
        let attributes = SecretServiceAttributes([
            "xdg:schema": "x", "username": "alice", "service": "mail", "application": "python", "profile": "2",
        ])
        let login = attributes.login(3, label: "l", folder: "f", SecretValue(text: "s"))
        #expect(login.position == 3 && login.title == "mail" && login.username == "alice" && login.folder == "f")
        #expect(login.fields.map { $0.value.text } == ["application=python\nprofile=2"])
    }
}
