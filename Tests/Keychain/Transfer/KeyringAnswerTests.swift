import Foundation
import MildamCrypto
import MildamWire
import TestSupport
import Testing

@testable import MildamKeychain

@Suite("What mildam-keyring answers")
struct KeyringAnswerTests {
    private var logins: ImportedLogins {
        var first = ImportedLogin(position: 1)
        (first.title, first.username, first.password) = ("밀담", "alice", SecretValue(text: "hunter2"))
        (first.realm, first.folder) = ("realm", "Login")
        first.addresses = ["smb://nas:445/x", "b"]
        first.fields = [.init("attributes", SecretValue(text: "zone=b"))]
        var result = ImportedLogins()
        result.rows = [
            .login(first), .refused(position: 2, name: "locked", reason: .locked),
            .refused(position: 3, name: "large", reason: .tooLarge), .login(ImportedLogin(position: 4)),
        ]
        return result
    }

    private func bytes(_ answer: KeyringAnswer) -> [UInt8] {
        unsafe answer.bytes.withUnsafeBytes { unsafe [UInt8]($0) }
    }

    @Test func roundTrip() throws {
        guard case .logins(let read) = try KeyringAnswer(bytes(.logins(logins)).span) else {
            Issue.record("another kind of answer")
            return
        }
        #expect(read.shown == logins.shown && read.defects == [.locked, .tooLarge] && read.rows.count == 4)
        let (login, written) = (try #require(read.logins.first), try #require(logins.logins.first))
        #expect(login.realm == written.realm && login.position == 1 && login.addresses == written.addresses)
        guard case .failure(let words) = try KeyringAnswer(bytes(.failure("no bus é")).span) else {
            Issue.record("another kind of answer")
            return
        }
        #expect(words == "no bus é")
    }

    @Test func aRowNeverOutgrowsItsMemory() {
        for row in logins.rows { #expect(row.wireBytes.count <= row.maximumWireSize) }
    }

    @Test func cutAnywhereItIsRefused() {
        for cut in Hostile.cuts(bytes(.logins(logins))) + Hostile.cuts(bytes(.failure("words"))) {
            #expect(throws: WireError.self) { try KeyringAnswer(cut.span) }
        }
        #expect(throws: WireError.trailingBytes(count: 1)) { try KeyringAnswer((bytes(.logins(logins)) + [0]).span) }
    }

    @Test func changedAnywhereItIsRefusedOrAnotherAnswer() throws {
        let whole = bytes(.logins(logins))
        var refused = 0
        for flip in Hostile.flips(whole) {
            do throws(WireError) { #expect(bytes(try KeyringAnswer(flip.span)) == flip) } catch { refused += 1 }
        }
        #expect(refused > whole.count, "\(refused)")
    }

    @Test func moreRowsThanAnImportHasAreRefused() {
        #expect(throws: WireError.lengthOutOfRange(100_001)) { try KeyringAnswer([1, 0, 1, 0x86, 0xa1].span) }
    }

    @Test(
        "A program that says something else, or nothing, is an error",
        arguments: ["echo hello", "exit 1", "printf '\\1'"]
    )
    func another(_ script: String) throws {
        let folder = try TemporaryFolder()
        let program = folder.file("mildam-keyring")
        try "#!/bin/sh\n\(script)\n".write(toFile: program, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program)
        #expect(throws: TransferError.keyring("mildam-keyring ended without an answer")) {
            try KeyringProgram.read(from: program)
        }
    }
}
