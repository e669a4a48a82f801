import Foundation
import MildamCrypto
import MildamFiles
import MildamSystem
import TestSupport
import Testing

@testable import MildamKeychain

@Suite("Encrypted bundles")
struct BundleTests {
    private let identity = AgeX25519Identity()

    /// A keychain with an item of each class, and of each attribute's kind.
    private func filled() async throws -> Fixture {
        let fixture = try await Fixture()
        try fixture.keychain.add(password("a\"\\\n\u{0}é👩‍👩‍👧", "service", "secret-of-a"))
        var item = NewItem(
            .internetPassword,
            [.server: "x", .port: 443, .isInvisible: true],
            secret: SecretValue(text: "")
        )
        item.isSynchronizable = true
        item.accessibility = .afterFirstUnlock
        item.accessGroup = ProgramIdentity.own.ownGroup
        try fixture.keychain.add(item)
        try fixture.keychain.add(
            NewItem(
                .key,
                [.applicationTag: .data([0, 255]), .startDate: .date(-5)],
                secret: SecretValue(copying: [0, 1, 255])
            )
        )
        try fixture.keychain.add(
            NewItem(.certificate, [.issuer: .data([1]), .serialNumber: .data([])], secret: SecretValue(copying: [9]))
        )
        for accessibility in Accessibility.allCases where accessibility.staysOnThisDevice {
            var stays = password("stays \(accessibility.rawValue)", "service", "stays-here")
            stays.accessibility = accessibility
            try fixture.keychain.add(stays)
        }
        return fixture
    }

    private func described(_ keychain: LocalKeychain) throws -> [String] {
        var all: [String] = []
        for itemClass in ItemClass.allCases where itemClass != .identity {
            var query = KeychainQuery(itemClass)
            query.synchronizable = .any
            for item in (try? keychain.copyMatching(query, limit: .all)) ?? []
            where !item.accessibility.staysOnThisDevice {
                var attributes = item.attributes
                attributes[.creationDate] = nil
                attributes[.modificationDate] = nil
                all.append(
                    "\(itemClass) \(item.accessGroup) \(item.isSynchronizable) \(item.accessibility) "
                        + "\(attributes.sorted) \(item.secret?.bytes ?? [])"
                )
            }
        }
        return all
    }

    @Test func whatIsExportedIsImportedAsItWas() async throws {
        let fixture = try await filled()
        let path = fixture.folder.file("bundle.age")
        let report = try KeychainBundle.export(fixture.keychain, to: path, recipients: [identity.recipient])
        #expect(report == ExportReport(items: 4, staysOnThisDevice: 3))
        let other = try await Fixture()
        let imported = try addBundle(path, to: other.keychain, identities: [identity])
        #expect(imported.added == 4 && imported.rows.count == 4, "\(imported)")
        #expect(imported.leftOut.values.reduce(0, +) == 3)
        let (before, after) = (try described(fixture.keychain), try described(other.keychain))
        #expect(before.count == 4)
        #expect(before == after)
        let again = try addBundle(path, to: other.keychain, identities: [identity])
        #expect(again.duplicates == 4 && again.added == 0)
        #expect(
            try addBundle(path, to: other.keychain, identities: [identity], duplicates: .replace).replaced == 4
        )
        #expect(try described(other.keychain) == before)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func underAPassphrase() async throws {
        let fixture = try await filled()
        let path = fixture.folder.file("bundle.age")
        func secret(_ text: String) -> SecretBytes { SecretBytes(copying: Array(text.utf8)) }
        let recipient = try AgeScryptRecipient(passphrase: secret("open sesame"), workFactor: 10)
        _ = try KeychainBundle.export(fixture.keychain, to: path, recipients: [recipient])
        let other = try await Fixture()
        let wrong = try AgeScryptIdentity(passphrase: secret("open sesam"))
        #expect(throws: TransferError.file(.noIdentityMatches)) {
            try addBundle(path, to: other.keychain, identities: [wrong])
        }
        let bounded = try AgeScryptIdentity(passphrase: secret("open sesame"), maximumWorkFactor: 9)
        #expect(throws: TransferError.file(.workFactorTooHigh(10, limit: 9))) {
            try addBundle(path, to: other.keychain, identities: [bounded])
        }
        let right = try AgeScryptIdentity(passphrase: secret("open sesame"))
        #expect(try addBundle(path, to: other.keychain, identities: [right]).added == 4)
    }

    @Test func aLockedKeychainLeavesNoFileAndNothingTakesAnothersPlace() async throws {
        let fixture = try await filled()
        let path = fixture.folder.file("bundle.age")
        fixture.keychain.lock()
        #expect(throws: TransferError.keychain(.locked)) {
            try KeychainBundle.export(fixture.keychain, to: path, recipients: [identity.recipient])
        }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path).allSatisfy {
                $0.hasPrefix("keychain")
            }
        )
        try await fixture.keychain.unlock(Fixture.passphrase)
        try WholeFile.write([1].span, to: path)
        #expect(throws: TransferError.self) {
            try KeychainBundle.export(fixture.keychain, to: path, recipients: [identity.recipient])
        }
        #expect(try WholeFile.read(path, limit: 10) == [1])
        let report = try KeychainBundle.export(
            fixture.keychain,
            to: path,
            recipients: [identity.recipient],
            replacing: true
        )
        #expect(report.items == 4)
    }

    @Test func whatIsDamagedIsNamedAndTheRestIsWritten() async throws {
        let fixture = try await Fixture()
        for name in ["a", "b", "c"] { try fixture.keychain.add(password(name, name, "secret-of-\(name)")) }
        // Of one the secret, of another the attributes; and the file is taken as it is then.
        try fixture.sqlite("UPDATE item SET secret = zeroblob(64) WHERE number = 2")
        try fixture.sqlite("UPDATE item SET attributes = zeroblob(64) WHERE number = 3")
        let keychain = try LocalKeychain(path: fixture.path)
        await #expect(throws: KeychainError.self) { try await keychain.unlock(Fixture.passphrase) }
        try await keychain.repair()
        let damaged = [ExportReport.DamagedItem(number: 3, name: ""), .init(number: 2, name: "b")]
        let path = fixture.folder.file("bundle.age")
        let report = try KeychainBundle.export(keychain, to: path, recipients: [identity.recipient])
        #expect(report.items == 1 && report.damaged == damaged, "\(report)")
        let other = try await Fixture()
        #expect(try addBundle(path, to: other.keychain, identities: [identity]).added == 1)
        #expect(try other.keychain.text("a", "a") == "secret-of-a")
        let text = try CSVExport.write(keychain, to: fixture.folder.file("out.csv"), acceptingPlaintext: true)
        #expect(text.items == 1 && text.damaged == damaged, "\(text)")
    }

    @Test func nothingOfItIsInClear() async throws {
        let fixture = try await filled()
        let path = fixture.folder.file("bundle.age")
        _ = try KeychainBundle.export(fixture.keychain, to: path, recipients: [identity.recipient])
        let base64 = Data("secret-of-a".utf8).base64EncodedString()
        for name in try fixture.folder.files() {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: fixture.folder.file(name)))
            #expect(bytes.range(of: Data("secret-of-a".utf8)) == nil && bytes.range(of: Data(base64.utf8)) == nil)
        }
        #expect(try content(of: path).contains(base64), "the search is for what is there")
    }

    private func content(of path: String) throws -> String {
        let file = try TransferFile.read(path)
        let content = try BundleInput.content(of: file.span, [identity])
        let text = content.span.text
        return try #require(text)
    }

    @Test func cutOrChangedAnywhereNothingIsAdded() async throws {
        let fixture = try await Fixture()
        try fixture.keychain.add(password("a"))
        let path = fixture.folder.file("bundle.age")
        _ = try KeychainBundle.export(fixture.keychain, to: path, recipients: [identity.recipient])
        let file = try WholeFile.read(path, limit: 1 << 20)
        let other = try await Fixture()
        let changed = fixture.folder.file("changed.age")
        for bytes in Hostile.cuts(file) + Hostile.flips(file) + [file + [0]] {
            try Data(bytes).write(to: URL(fileURLWithPath: changed))
            do throws(TransferError) {
                _ = try addBundle(changed, to: other.keychain, identities: [identity])
                Issue.record("a changed bundle was taken")
            } catch .file {
                continue
            }
        }
        #expect(throws: KeychainError.itemNotFound) { try other.keychain.text("a") }
        #expect(try addBundle(path, to: other.keychain, identities: [identity]).added == 1)
    }

    // MARK: The content

    private static let header = #"{"format":"mildam keychain bundle","version":1,"created":1}"# + "\n"
    private static let line =
        #"{"class":"genp","accessible":"ak","group":"g","synchronizable":false,"attributes":{"acct":"a"},"secret":"cw=="}"#
        + "\n"

    private func add(_ content: String, to keychain: LocalKeychain) throws(TransferError) -> ImportReport {
        try add(bytes: Array(content.utf8), to: keychain)
    }

    private func add(bytes: [UInt8], to keychain: LocalKeychain) throws(TransferError) -> ImportReport {
        try KeychainBundle.add(content: bytes.span, to: keychain) { $0.accessGroup = nil }
    }

    /// How many items there are that can be read.
    private func items(of content: [UInt8]) -> Int {
        guard let lines = try? BundleDocument.lines(of: content.span).items else { return 0 }
        return lines.count { (try? BundleItem.read(content.span.extracting($0))) != nil }
    }

    @Test func oneBadItemDoesNotLoseTheOthers() async throws {
        let fixture = try await Fixture()
        let keychain = fixture.keychain
        let bad = [
            "nothing\n", "{}\n", Self.line.replacingOccurrences(of: "genp", with: "idnt"),
            Self.line.replacingOccurrences(of: "\"ak\"", with: "\"aku\""),
            Self.line.replacingOccurrences(of: "\"acct\":\"a\"", with: "\"acct\":1"),
            Self.line.replacingOccurrences(of: "\"acct\":\"a\"", with: "\"port\":\"a\""),
            Self.line.replacingOccurrences(of: "acct", with: "xxxx"),
            Self.line.replacingOccurrences(of: "cw==", with: "cx=="),
            Self.line.replacingOccurrences(of: "\"secret\"", with: "\"secrets\""),
            Self.line.replacingOccurrences(of: "\"group\":\"g\",", with: ""),
        ]
        let report = try add(
            Self.header + bad.joined() + Self.line + "{\"items\":\(bad.count + 1),\"leftOut\":2}\n",
            to: keychain
        )
        #expect(report.refused == bad.count && report.added == 1, "\(report)")
        #expect(report.rows.last?.position == bad.count + 1)
        #expect(report.leftOut.values.reduce(0, +) == 2)
    }

    @Test(arguments: [
        "", "\n", header, header + line, header + line + "{\"items\":2,\"leftOut\":0}\n",
        header + line + "{\"items\":1,\"leftOut\":0}", header + line + "{\"items\":1,\"leftOut\":-1}\n",
        header + "{\"items\":1,\"leftOut\":0}\n" + line, line + "{\"items\":0,\"leftOut\":0}\n",
        header.replacingOccurrences(of: "mildam", with: "other") + "{\"items\":0,\"leftOut\":0}\n",
    ])
    func aFrameThatIsNotWholeIsRefused(_ content: String) async throws {
        let fixture = try await Fixture()
        let keychain = fixture.keychain
        #expect(throws: TransferError.self) { try add(content, to: keychain) }
    }

    @Test func aNewerVersionIsToldApart() async throws {
        let fixture = try await Fixture()
        let keychain = fixture.keychain
        let content = Self.header.replacingOccurrences(of: ":1,", with: ":2,") + "{\"items\":0,\"leftOut\":0}\n"
        #expect(throws: TransferError.newerVersion(2)) { try add(content, to: keychain) }
    }

    @Test func contentCutOrChangedAnywhereIsAnErrorOrARefusal() async throws {
        let fixture = try await Fixture()
        let keychain = fixture.keychain
        let content = Array((Self.header + Self.line + "{\"items\":1,\"leftOut\":0}\n").utf8)
        for cut in Hostile.cuts(content) {
            #expect(throws: TransferError.self) { try add(bytes: cut, to: keychain) }
        }
        let refused = Hostile.flips(content).count { items(of: $0) == 0 }
        #expect(refused > 500, "\(refused)")
    }

    @Test func moreThanTheLimitIsNotRead() async throws {
        let fixture = try await Fixture()
        let path = fixture.folder.file("large.age")
        let file = try Descriptor.open(path, O_RDWR | O_CREAT)
        #expect(ftruncate(file.number, 80 << 20) == 0)
        #expect(throws: TransferError.tooLarge(limit: TransferLimits.fileSize)) {
            try addBundle(path, to: fixture.keychain, identities: [identity])
        }
        #expect(throws: TransferError.tooLarge(limit: TransferLimits.fileSize)) {
            try TransferFile.read(path).count
        }
    }
}

@Suite("Encrypted bundles: with the age program", .enabled(if: ageIsExpected))
struct BundleProgramTests {
    @Test("age opens a bundle, and any JSON reader reads it; a bundle that age wrote is imported")
    func both() async throws {
        let fixture = try await Fixture()
        for number in 0..<2000 { try fixture.keychain.add(password("user \(number)", "service", "secret \(number)")) }
        let identity = AgeX25519Identity()
        let (key, path) = (fixture.folder.file("key"), fixture.folder.file("bundle.age"))
        try identity.secretText.write(toFile: key, atomically: true, encoding: .utf8)
        _ = try KeychainBundle.export(fixture.keychain, to: path, recipients: [identity.recipient])
        let opened = try Program.run("age", ["-d", "-i", key, path])
        #expect(opened.status == 0, "\(opened.errors)")
        let script = """
            import base64, json, sys
            lines = [json.loads(l) for l in sys.stdin]
            assert lines[0]["format"] == "mildam keychain bundle" and lines[0]["version"] == 1
            assert lines[-1] == {"items": 2000, "leftOut": 0}
            for n, item in enumerate(lines[1:-1]):
                assert item["class"] == "genp" and item["attributes"]["acct"] == f"user {n}"
                assert base64.b64decode(item["secret"]) == f"secret {n}".encode()
            print("right")
            """
        #expect(String(decoding: try python(script, input: opened.output), as: UTF8.self) == "right\n")
        let theirs = fixture.folder.file("theirs.age")
        let made = try Program.run(
            "age",
            ["-r", identity.recipient.description, "-o", theirs],
            input: opened.output
        )
        #expect(made.status == 0, "\(made.errors)")
        let other = try await Fixture()
        #expect(try addBundle(theirs, to: other.keychain, identities: [identity]).added == 2000)
        #expect(try other.keychain.text("user 1999") == "secret 1999")
    }
}

/// Adds the items of a bundle in a file.
private func addBundle(
    _ path: String,
    to keychain: any Keychain,
    identities: [any AgeIdentity],
    duplicates: DuplicateRule = .skip
) throws(TransferError) -> ImportReport {
    let file = try TransferFile.read(path)
    return try KeychainBundle.add(file.span, to: keychain, identities: identities, duplicates: duplicates)
}
