import Foundation
import Glibc
import HouseSupport
import MildamSystem
import TestSupport
import Testing

/// Stores of the data-encryption article: read, and written for a program that still reads them; `openssl` and `sqlite3`
/// stand for that program.
@Suite("A vault takes in the article's store, and writes it")
struct StoreTests {
    private let folder: TemporaryFolder
    private let someone: Person
    private let password = "one password, 밀담"

    init() async throws {
        folder = try TemporaryFolder()
        someone = Person(name: "someone", home: folder.file("home"), relay: "")
        try await someone.done("vault", "init")
        try Folder.create(folder.file("store"))
    }

    private func write(_ text: String, _ name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder.file(name)))
    }

    /// The key and the ciphertext that the article's code makes, by Python's hashes and the openssl program.
    private func encrypt(_ text: String, to name: String, salt: String, iv: String) throws {
        let script =
            "import hashlib,sys;print(hashlib.pbkdf2_hmac('sha256',sys.argv[1].encode(),bytes.fromhex(sys.argv[2]),10000).hex())"
        let key = try Program.run("python3", ["-c", script, password, salt]).output.trimmingCharacters(in: .newlines)
        try write(text, "plain")
        let made = try Program.run(
            "openssl",
            [
                "enc", "-aes-256-cbc", "-K", key, "-iv", iv, "-in", folder.file("plain"), "-out",
                folder.file("store/" + name),
            ]
        )
        try #require(made.status == 0, "\(made)")
    }

    private func base64(_ hex: String) -> String {
        var bytes = Data()
        for place in stride(from: 0, to: hex.count, by: 2) {
            bytes.append(UInt8(hex.dropFirst(place).prefix(2), radix: 16) ?? 0)
        }
        return bytes.base64EncodedString()
    }

    @Test(arguments: ["csv", "json", "db"])
    func importing(_ form: String) async throws {
        let salts = (0..<3).map { String(repeating: "0\($0)", count: 20) }
        let ivs = (0..<3).map { String(repeating: "a\($0)", count: 16) }
        for number in 0..<3 {
            try encrypt("content \(number), 내용\n", to: "\(number).enc", salt: salts[number], iv: ivs[number])
        }
        // The third is damaged; then rows that lead out, or nowhere, or lack something.
        var damaged = try Data(contentsOf: URL(fileURLWithPath: folder.file("store/2.enc")))
        damaged[damaged.count - 17] ^= 0x55
        try damaged.write(to: URL(fileURLWithPath: folder.file("store/2.enc")))
        let rows = [
            ["first", "0.enc", salts[0], ivs[0]],
            ["7", "/var/mobile/Documents/1.enc", base64(salts[1]), base64(ivs[1])],
            ["third", "2.enc", salts[2], ivs[2]], ["out", "../plain", salts[0], ivs[0]],
            ["gone", "gone.enc", salts[0], ivs[0]], ["short", "0.enc", salts[0], "00"],
        ]
        let table = folder.file("table.\(form)")
        switch form {
        case "csv":
            let lines =
                [["iv", "id", "note", "salt", "file_path"]] + rows.map { [$0[3], $0[0], "\"a, b\"", $0[2], $0[1]] }
            try write(lines.map { $0.joined(separator: ",") }.joined(separator: "\r\n"), "table.csv")
        case "json":
            let objects = rows.map { ["id": $0[0], "file_path": $0[1], "salt": $0[2], "iv": $0[3]] }
            try JSONEncoder().encode(objects).write(to: URL(fileURLWithPath: table))
        default:
            var sql = "CREATE TABLE other (x); CREATE TABLE secure (id TEXT, file_path TEXT, salt, iv, extra INTEGER);"
            for (number, row) in rows.enumerated() {
                // Salt and IV as blobs or as texts.
                let quoted = number == 0 ? ["x'\(row[2])'", "x'\(row[3])'"] : ["'\(row[2])'", "'\(row[3])'"]
                sql += "INSERT INTO secure VALUES ('\(row[0])', '\(row[1])', \(quoted.joined(separator: ", ")), 1);"
            }
            let script = "import sqlite3,sys; sqlite3.connect(sys.argv[1]).executescript(sys.argv[2])"
            try #require(try Program.run("python3", ["-c", script, table, sql]).status == 0)
        }
        let result = try await someone.run(
            "vault",
            "import",
            table,
            "--folder",
            folder.file("store"),
            "--json",
            environment: ["MILDAM_PASSPHRASE": password]
        )
        #expect(result.status == 1, "\(result)")
        let answer = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
        #expect(answer?["authenticated"] as? Bool == false)
        let reports = try #require(answer?["rows"] as? [[String: Any]])
        #expect(reports.map { $0["name"] as? String } == ["imported/first", "imported/7", nil, nil, nil, nil])
        let errors = reports.map { $0["error"] as? String ?? "" }
        let words = ["", "", "wrong password", "leads out", "gone.enc", "iv"]
        for (error, word) in zip(errors, words) {
            #expect(word.isEmpty ? error.isEmpty : error.contains(word), "\(errors)")
        }
        expect(try await someone.run("vault", "get", "imported/first"), 0, "content 0, 내용")
        expect(try await someone.run("vault", "get", "imported/7"), 0, "content 1, 내용")
        expect(try await someone.run("vault", "verify"), 0, "2 sound, 0 damaged, 0 unknown")
        let wrong = try await someone.run(
            "vault",
            "import",
            table,
            "--folder",
            folder.file("store"),
            environment: ["MILDAM_PASSPHRASE": "another"]
        )
        #expect(wrong.status == 1 && wrong.errors.contains("authenticated: false"), "\(wrong)")
    }

    @Test(arguments: ["csv", "json", "db"])
    func writing(_ form: String) async throws {
        try await someone.done("vault", "add", "-", "--as", "a/\"one\", 내용", input: "what is in it\n")
        try await someone.done("vault", "add", "-", "--as", "empty", input: "")
        let (target, table) = (folder.file("written"), folder.file("written.\(form)"))
        expect(try await someone.run("vault", "export", target, "--table", table), 0, "exported 2")
        let password = try await someone.done("vault", "store-password").trimmingCharacters(in: .newlines)
        #expect(password.utf8.count == 43)
        #expect(try await someone.done("vault", "store-password") == password + "\n", "it stays the same")
        // Another program opens it.
        let script = """
            import base64, csv, hashlib, json, sqlite3, subprocess, sys
            form, table, folder, password = sys.argv[1:]
            if form == "csv": rows = list(csv.DictReader(open(table, newline="")))
            elif form == "json": rows = json.load(open(table))
            else:
                c = sqlite3.connect(table)
                rows = [dict(id=r[0], file_path=r[1], salt=r[2].hex(), iv=r[3].hex())
                        for r in c.execute("SELECT id, file_path, salt, iv FROM files")]
            for row in sorted(rows, key=lambda r: r["id"]):
                assert len(row["salt"]) == 40
                key = hashlib.pbkdf2_hmac("sha256", password.encode(), bytes.fromhex(row["salt"]), 10000).hex()
                run = subprocess.run(["openssl", "enc", "-d", "-aes-256-cbc", "-K", key, "-iv", row["iv"], "-in",
                                      folder + "/" + row["file_path"]], capture_output=True, check=True)
                print(row["id"], run.stdout)
            """
        let opened = try Program.run("python3", ["-c", script, form, table, target, password])
        #expect(opened.output == "a/\"one\", 내용 b'what is in it\\n'\nempty b''\n", "\(opened)")
        // And so does a vault.
        let other = Person(name: "other", home: folder.file("home"), relay: "")
        try await other.done("vault", "init")
        expect(
            try await other.run(
                "vault",
                "import",
                table,
                "--folder",
                target,
                environment: ["MILDAM_PASSPHRASE": password]
            ),
            0,
            "added 2"
        )
        expect(try await other.run("vault", "get", "imported/a/\"one\", 내용"), 0, "what is in it")
    }
}
