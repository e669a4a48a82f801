import Foundation
import MildamCrypto
import TestSupport
import Testing

@testable import MildamKeychain

@Suite("CSV: RFC 4180, as browsers write it")
struct CSVTests {
    private func read(_ text: String) throws(TransferError) -> ImportedLogins {
        try readCSV(Array(text.utf8))
    }

    @Test(arguments: [
        (
            "name,url,username,password,note\r\nA,https://a.example/,alice,pw,n\r\n",
            Shown("A", ["https://a.example/"], "alice", "pw", note: "n")
        ),
        (
            "\"url\",\"username\",\"password\",\"httpRealm\",\"formActionOrigin\",\"guid\",\"timeCreated\","
                + "\"timeLastUsed\",\"timePasswordChanged\"\n\"https://a.example\",\"alice\",\"pw\",,\"\",\"{1}\",\"1\",\"2\",\"3\"\n",
            Shown("", ["https://a.example"], "alice", "pw")
        ),
        (
            "Title,URL,Username,Password,Notes,OTPAuth\nA,https://a.example/,alice,pw,n,otpauth://totp/A?secret=AA\n",
            Shown("A", ["https://a.example/"], "alice", "pw", note: "n", oneTimeCode: "otpauth://totp/A?secret=AA")
        ),
        (
            "folder,favorite,type,name,notes,fields,reprompt,login_uri,login_username,login_password,login_totp\n"
                + "Work,1,login,A,n,\"x: 1\ny: 2\",0,\"https://a.example,https://b.example\",alice,pw,JBSW\n",
            Shown(
                "A",
                ["https://a.example", "https://b.example"],
                "alice",
                "pw",
                note: "n",
                oneTimeCode: "JBSW",
                folder: "Work",
                fields: ["fields=x: 1\ny: 2"]
            )
        ),
        (
            "\u{feff}name,password,pet\nA,\"a \"\"b\"\", c\r\nd\",cat",
            Shown("A", [], "", "a \"b\", c\r\nd", fields: ["pet=cat"])
        ),
    ])
    func whatBrowsersWriteIsRead(_ text: String, _ expected: Shown) throws {
        let result = try read(text)
        #expect(result.shown == [expected])
        #expect(result.defects.isEmpty)
    }

    /// KeePassXC writes its recycle bin as it writes other groups.
    @Test(arguments: ["Recycle Bin", "Papierkorb", "ゴミ箱", "Bins"])
    func theRecycleBinIsLeftOut(_ name: String) throws {
        let rows = ["Db", "Db/\(name)", "Db/\(name)/Old", "Db/Work/\(name)", "\(name)"].map {
            "\"\($0)\",\"A\",\"\",\"pw\",\"\",\"\",\"\",\"0\",\"\",\"\"\n"
        }
        let header = "\"Group\",\"Title\",\"Username\",\"Password\",\"URL\",\"Notes\",\"TOTP\",\"Icon\","
        let result = try read(header + "\"Last Modified\",\"Created\"\n" + rows.joined())
        let isBin = name != "Bins"
        #expect(result.logins.count == (isBin ? 3 : 5))
        #expect(result.leftOut["entries in the recycle bin"] == (isBin ? 2 : nil))
        // In another program's file it is a folder like any other.
        #expect(try read("folder,name,login_password\nDb/\(name),A,pw\n").logins.count == 1)
    }

    @Test func theRealmIsKept() throws {
        let result = try read("url,username,password,httpRealm\nhttps://a.example,alice,pw,the realm\n")
        #expect(result.logins.first?.realm == "the realm")
    }

    @Test func oneBadRowDoesNotLoseTheOthers() throws {
        let result = try read(
            "name,password\n1,a\n2,b,c\n3\n4,x\"y\n5,\"a\"b\n\n6,\r7\n,\n8,\"ends never\n9,z\n"
        )
        #expect(result.shown.map(\.title) == ["1", "9"])
        #expect(
            result.defects == [
                .fieldCount(3, expected: 2), .fieldCount(1, expected: 2), .quotes, .quotes, .quotes, .empty, .quotes,
            ]
        )
        var bytes = Array("name,password\nA,".utf8) + [0xff, 0xfe] + Array("\nB,b\n".utf8)
        #expect(try readCSV(bytes).defects == [.notUTF8])
        bytes = Array("name,password\n".utf8) + Array(repeating: UInt8(ascii: "\""), count: 3)
        #expect(try readCSV(bytes).defects == [.quotes])
    }

    @Test func whatIsNoTableOfLoginsIsRefusedAndNothingOfItIsTold() throws {
        for text in [
            "", "\n", "hunter2,alice,secret\n", "name,name,password\na,b,c\n", "name,username\na,b\n", "\"name",
        ] {
            let error = #expect(throws: TransferError.self) { try read(text) }
            guard case .notThisFormat(let reason)? = error else {
                Issue.record("\(text): \(String(describing: error))")
                continue
            }
            #expect(!reason.contains("hunter2"))
        }
    }

    @Test func hostileTablesAreBounded() throws {
        let wide = "name,password" + String(repeating: ",x", count: 300) + "\n"
        #expect(throws: TransferError.self) { try read(wide) }
        let long = "name,password\nA," + String(repeating: "x", count: SecretValue.maximumSize + 1) + "\nB,b\n"
        let result = try read(long)
        #expect(result.defects == [.tooLarge])
        #expect(result.shown.map(\.title) == ["B"])
        let many = "name,password\n" + String(repeating: "a,b\n", count: TransferLimits.rows + 1)
        #expect(throws: TransferError.tooManyRows(limit: TransferLimits.rows)) { try read(many) }
    }

    private let sample = Array(
        "name,url,username,password,note\r\nA,https://a.example:8443/x,alice,\"p\"\"w,\",\"1\n2\"\r\nB,,bob,pw2,\r\n"
            .utf8
    )

    @Test func cutAnywhereNothingIsMadeUp() throws {
        let whole = try readCSV(sample).shown
        #expect(whole.count == 2)
        for cut in Hostile.cuts(sample) {
            guard let shown = try? readCSV(cut).shown else { continue }
            #expect(shown.count <= 2)
            if cut.count < 80 { #expect(!shown.contains(whole[1])) }
        }
    }

    @Test func aFlippedBitIsAnErrorOrAnotherText() throws {
        var refused = 0
        for changed in Hostile.flips(sample) {
            if (try? readCSV(changed))?.defects.isEmpty != true { refused += 1 }
        }
        #expect(refused > 100)
    }

    @Test func whatPythonWritesIsRead() throws {
        let script = """
            import csv, io, sys
            out = io.StringIO(newline="")
            w = csv.writer(out)
            w.writerow(["name", "url", "username", "password", "note"])
            for n in range(200):
                w.writerow([f"site {n}", f"https://s{n}.example/", f"user,{n}", 'p"' * n + ",\\r\\n\\n'é👩‍👩‍👧", "" if n % 2 else "a\\nb"])
            sys.stdout.reconfigure(newline="")
            sys.stdout.write(out.getvalue())
            """
        let result = try readCSV(try python(script))
        #expect(result.defects.isEmpty)
        #expect(result.logins.count == 200)
        let login = try #require(result.logins.dropFirst(7).first)
        #expect(login.username == "user,7")
        #expect(login.password?.text == String(repeating: "p\"", count: 7) + ",\r\n\n'é👩‍👩‍👧")
    }

    @Test func aFileOfPlainSecretsIsWrittenOnlyIfThatIsMeant() async throws {
        let fixture = try await Fixture()
        try fixture.keychain.add(password("a"))
        let path = fixture.folder.file("out.csv")
        #expect(throws: TransferError.plaintextNotAccepted) {
            try CSVExport.write(fixture.keychain, to: path, acceptingPlaintext: false)
        }
        #expect(!FileManager.default.fileExists(atPath: path))
        _ = try CSVExport.write(fixture.keychain, to: path, acceptingPlaintext: true)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(throws: TransferError.self, "what is there stays") {
            try CSVExport.write(fixture.keychain, to: path, acceptingPlaintext: true)
        }
    }

    @Test func whatIsExportedIsImportedAsItWas() async throws {
        let fixture = try await Fixture()
        let text = """
            name,url,username,password,note,otpauth
            A,https://a.example:8443/x?y=1,alice,"p""w, é\r
            2",line 1
            line 2,otpauth://totp/A?secret=AA
            B,,bob,pw,,
            C,,,,only a note,
            """
        let first = fixture.keychain.importLogins(
            try read(text.replacingOccurrences(of: "line 1\nline 2", with: "\"line 1\nline 2\""))
        )
        #expect(first.refused == 0 && first.added == 5, "\(first)")
        var stays = password("stays")
        stays.accessibility = .afterFirstUnlockThisDeviceOnly
        try fixture.keychain.add(stays)
        try fixture.keychain.add(NewItem(.genericPassword, [.service: "binary"], secret: SecretValue(copying: [0xff])))
        try fixture.keychain.add(NewItem(.key, [.applicationTag: .data([1])], secret: SecretValue(text: "k")))
        let path = fixture.folder.file("out.csv")
        let report = try CSVExport.write(fixture.keychain, to: path, acceptingPlaintext: true)
        #expect(report == ExportReport(items: 5, staysOnThisDevice: 1, unsuited: 2))
        let again = try await Fixture()
        let written = try TransferFile.read(path)
        let result = try CSVImport.read(written.span)
        #expect(result.shown.count == 3, "\(result.shown)")
        let second = again.keychain.importLogins(result)
        #expect(second.added == 5 && second.refused == 0, "\(second)")
        for itemClass in [ItemClass.internetPassword, .genericPassword] {
            for item in try again.keychain.copyMatching(KeychainQuery(itemClass), limit: .all) {
                var query = KeychainQuery(itemClass)
                for attribute in itemClass.primaryKey { query.attributes[attribute] = item.attributes[attribute] }
                let before = try fixture.keychain.item(query)
                #expect(before.secret?.text == item.secret?.text)
            }
        }
        let lines = try python("import csv,sys\nprint(len(list(csv.reader(open(\(quoted(path)), newline='')))))")
        #expect(String(decoding: lines, as: UTF8.self) == "4\n")
    }

    private func quoted(_ text: String) -> String { "'\(text)'" }
}
