import Foundation
import TestSupport
import Testing

/// The snippets are built with the tests; each runs as a program of its own.
@Suite("Snippets")
struct SnippetTests {
    private static let outputs = [
        "keychain-refresh-token": """
        made a key
        saved: true
        kept in clear: false
        found the key
        loaded: a refresh token
        found the key
        saved again: true
        found the key
        loaded: its successor
        forgotten: true
        loaded: nothing

        """,
        "keychain-token-list": """
        read: ["nothing"]
        created: true
        created again: false
        read: ["mail"]
        updated: true
        read: true
        deleted: true
        deleted again: false
        updated: false

        """,
        "keychain-file-password": """
        bytes: 32
        the same again: true
        another service's differs: true
        No keychain is in use; give one to SecKeychain.use.

        """,
    ]

    @Test func eachKeychainSnippetIsRunHere() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Vectors.packageFolder + "/Snippets")
        let names = files.filter { $0.hasPrefix("keychain-") }.map { String($0.dropLast(".swift".count)) }
        #expect(Set(names) == Set(Self.outputs.keys))
    }

    @Test(arguments: outputs.keys.sorted())
    func aSnippetPrintsWhatItShould(_ name: String) throws {
        let result = try Program.run(name)
        #expect(result.status == 0, "\(result)")
        #expect(result.output == Self.outputs[name])
        #expect(result.errors.isEmpty)
    }
}
