import Foundation
import HouseSupport
import MildamEnclave
import MildamKeychain
import MildamSecurity
import TestSupport
import Testing

/// `mildam enclave`, as it is typed, over a real TPM in software and without one.
@Suite("An enclave, at the command line", .serialized, .enabled(if: softwareTPMIsExpected))
struct EnclaveCommandTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func environment(_ tpm: SoftwareTPM?) -> [String: String] {
        [
            "MILDAM_HOME": folder.file("home"), "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent",
            "MILDAM_PASSPHRASE": "correct horse", "MILDAM_TPM": tpm?.address ?? "",
        ]
    }

    private func mildam(
        _ tpm: SoftwareTPM?,
        _ arguments: String...,
        input: String? = nil
    ) async throws
        -> Program.Result
    {
        try await Program.result(of: "mildam", arguments, input: input, environment: environment(tpm))
    }

    private func json(_ tpm: SoftwareTPM?, _ arguments: String...) async throws -> [String: Any] {
        let result = try await Program.result(of: "mildam", arguments + ["--json"], environment: environment(tpm))
        return try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
    }

    private func end() async throws { _ = try await mildam(nil, "lock", "--stop") }

    @Test func theStatusOfATPM() async throws {
        let tpm = try SoftwareTPM()
        let shown = try await mildam(tpm, "enclave", "status")
        expect(shown, 0, tpm.address, "IBM", "SWTPM", "locked out: no", "wrong PINs: 0 of 3", "slots: 0 objects")
        try tpm.tool("createprimary", ["-C", "n", "-G", "ecc", "-c", tpm.file("object")])
        let answer = try await json(nil, "enclave", "status", "--tcti", tpm.address)
        #expect(answer["enclave"] as? String == "tpm" && answer["manufacturer"] as? String == "IBM", "\(answer)")
        #expect(answer["lockedOut"] as? Bool == false && answer["maximumTries"] as? Int == 3)
        #expect(answer["loadedObjects"] as? Int == 1 && answer["freeObjectSlots"] as? Int == 2)
    }

    @Test func withoutATPM() async throws {
        let nowhere = "device:" + folder.file("nowhere")
        expect(try await mildam(nil, "enclave", "status", "--tcti", nowhere), 4, "there is no TPM at " + nowhere)
        expect(try await mildam(nil, "enclave", "status", "--tcti", "nonsense"), 2, "no address")
        expect(try await mildam(nil, "enclave", "test", "--tcti", nowhere), 4)
        try await makeKeychain(in: folder.file("home/default"))
        expect(try await mildam(nil, "enclave", "create", "a", "--tcti", nowhere), 4)
        #expect(try await mildam(nil, "enclave", "list").output == "nothing\n", "nothing else was made instead")
        try await end()
    }

    /// Whoever runs what the error says has a simulator there.
    @Test func theErrorSaysHowASimulatorIsStarted() async throws {
        let socket = folder.file("s")
        let address = "swtpm:path=" + socket
        let absent = try await mildam(nil, "enclave", "status", "--tcti", address)
        expect(absent, 4, "there is no TPM at \(address): start one with")
        #expect(!absent.errors.contains("firmware"), "\(absent)")
        let line = try #require(absent.errors.split(separator: "`").first { $0.hasPrefix("swtpm socket ") })
        let state = folder.file("state")
        try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: false)
        let words = line.replacing("FOLDER", with: state).split(separator: " ").map(String.init)

        // Without the second of its sockets, nobody can switch it on.
        let half = try Program(words[0], Array(words.dropFirst().prefix { $0 != "--ctrl" }) + words.suffix(2))
        #expect(await eventually { FileManager.default.fileExists(atPath: socket) })
        let refused = try await mildam(nil, "enclave", "status", "--tcti", address)
        expect(refused, 1, "does not answer", "start one with", "--ctrl type=unixio,path=\(socket).ctrl")
        half.signal(SIGKILL)
        half.wait()
        try FileManager.default.removeItem(atPath: socket)

        let simulator = try Program(words[0], Array(words.dropFirst()))
        #expect(await eventually { FileManager.default.fileExists(atPath: socket + ".ctrl") })
        expect(try await mildam(nil, "enclave", "status", "--tcti", address), 0, "TPM at " + address)
        simulator.signal(SIGKILL)
        simulator.wait()
    }

    @Test(.enabled(if: !FileManager.default.fileExists(atPath: "/dev/tpmrm0"), "this machine has a TPM"))
    func softwareTakesItsPlaceAndSaysSo() async throws {
        expect(
            try await mildam(nil, "enclave", "status"),
            0,
            "there is no TPM at device:/dev/tpmrm0",
            "software is used"
        )
        #expect(try await json(nil, "enclave", "status")["enclave"] as? String == "software")
        try await makeKeychain(in: folder.file("home/default"))
        let made = try await mildam(nil, "enclave", "create", "a", "--pin-fd", "0", input: "a passphrase\n")
        expect(made, 0, "BEGIN PUBLIC KEY", "the key is kept in software")
        #expect(try await mildam(nil, "enclave", "list").output == "a  agreement, software\n")
        try await end()
    }

    @Test func keysAreMadeListedTestedAndDeleted() async throws {
        let tpm = try SoftwareTPM()
        #expect(try await mildam(tpm, "enclave", "create", "a").status == 4, "there is no keychain yet")
        try await makeKeychain(in: folder.file("home/default"))
        let made = try await mildam(tpm, "enclave", "create", "tokens")
        expect(made, 0, "-----BEGIN PUBLIC KEY-----")
        #expect(made.errors.isEmpty, "\(made)")
        let read = try Program.run("openssl", ["pkey", "-pubin", "-noout", "-text"], input: made.output)
        #expect(read.status == 0 && read.output.contains("NIST CURVE: P-256"), "\(read)")
        expect(try await mildam(tpm, "enclave", "create", "tokens"), 6, "there is a key tokens already")
        expect(try await mildam(tpm, "enclave", "create", "x", "--signing", "--agreement"), 2)
        expect(try await mildam(tpm, "enclave", "create", "x", "--software", "--tcti", tpm.address), 2)
        #expect(try await mildam(tpm, "enclave", "create", "signer", "--signing").status == 0)
        let soft = try await mildam(tpm, "enclave", "create", "soft", "--software", "--pin-fd", "0", input: "words\n")
        #expect(soft.status == 0 && soft.errors.isEmpty, "\(soft)")
        let listed = try await mildam(tpm, "enclave", "list")
        #expect(listed.output == "signer  signing, tpm\nsoft  agreement, software\ntokens  agreement, tpm\n")
        let keys = try await json(tpm, "enclave", "list")["keys"] as? [[String: Any]]
        #expect(keys?[2]["publicKey"] as? String == made.output.trimmingCharacters(in: .newlines))
        #expect((keys?[2]["x963"] as? String)?.count == 130)
        expect(try await mildam(tpm, "enclave", "test", "tokens"), 0, "agreement: right, in")
        expect(try await mildam(tpm, "enclave", "test", "signer"), 0, "signing: right, in")
        expect(
            try await mildam(tpm, "enclave", "test", "soft", "--pin-fd", "0", input: "words\n"),
            0,
            "agreement: right"
        )
        expect(
            try await mildam(tpm, "enclave", "test", "soft", "--pin-fd", "0", input: "word\n"),
            3,
            "passphrase is wrong"
        )
        expect(try await mildam(tpm, "enclave", "test", "nobody"), 4, "no key nobody")
        let deleted = try await mildam(tpm, "enclave", "delete", "tokens", "--yes")
        #expect(deleted.output == "deleted tokens\n", "\(deleted)")
        #expect(try await mildam(tpm, "enclave", "test", "tokens").status == 4)
        #expect(try tpm.slots().isEmpty)
        try await end()
    }

    @Test func freshKeysAreTestedAndForgotten() async throws {
        let tpm = try SoftwareTPM()
        let tested = try await mildam(tpm, "enclave", "test")
        expect(tested, 0, "enclave: tpm", "key for agreement: made", "agreement: right", "signing: right")
        let software = try await json(tpm, "enclave", "test", "--software")
        #expect(software["enclave"] as? String == "software")
        let steps = try #require(software["steps"] as? [[String: Any]])
        #expect(steps.count == 4 && steps.allSatisfy { $0["milliseconds"] as? Double ?? 0 > 0 }, "\(steps)")
        #expect(try tpm.slots().isEmpty)
        #expect(!FileManager.default.fileExists(atPath: folder.file("home/default/keychain.db")), "nothing is kept")
    }

    @Test func wrongPINsAreCountedUntilTheTPMRefuses() async throws {
        let tpm = try SoftwareTPM()
        try await makeKeychain(in: folder.file("home/default"))
        #expect(try await mildam(tpm, "enclave", "create", "a", "--pin", "--pin-fd", "0", input: "1234\n").status == 0)
        #expect(try await mildam(tpm, "enclave", "create", "open").status == 0)
        #expect(try await mildam(tpm, "enclave", "list").output == "a  agreement, tpm, PIN\nopen  agreement, tpm\n")
        expect(try await mildam(tpm, "enclave", "test", "a"), 6, "--pin-fd")
        expect(try await mildam(tpm, "enclave", "test", "open", "--pin-fd", "0", input: "1234\n"), 2, "no PIN")
        expect(try await mildam(tpm, "enclave", "test", "a", "--pin-fd", "0", input: "\n"), 2, "1 to 1024 bytes")
        expect(try await mildam(tpm, "enclave", "test", "a", "--pin-fd", "0", input: "1234\n"), 0)
        for left in [2, 1, 0] {
            let wrong = try await mildam(tpm, "enclave", "test", "a", "--pin-fd", "0", input: "4321\n")
            expect(wrong, 3, "hears \(left) more")
            #expect(!wrong.errors.contains("4321"))
        }
        expect(try await mildam(tpm, "enclave", "test", "a", "--pin-fd", "0", input: "1234\n"), 6, "locked out")
        expect(try await mildam(tpm, "enclave", "status"), 0, "locked out: yes", "wrong PINs: 3 of 3")
        #expect(try await json(tpm, "enclave", "status")["lockedOut"] as? Bool == true)
        expect(try await mildam(tpm, "enclave", "test", "open"), 0)
        try await end()
    }

    @Test func anotherTPMsKeyAndAClearedOnes() async throws {
        let (tpm, other) = (try SoftwareTPM(), try SoftwareTPM())
        try await makeKeychain(in: folder.file("home/default"))
        #expect(try await mildam(tpm, "enclave", "create", "a").status == 0)
        expect(try await mildam(tpm, "enclave", "test", "a", "--tcti", other.address), 6, "another TPM")
        try tpm.tool("clear", ["-c", "p"])
        expect(try await mildam(tpm, "enclave", "test", "a"), 6, "was cleared")
        tpm.kill()
        expect(try await mildam(tpm, "enclave", "test", "a"), 4, "there is no TPM at")
        try await end()
    }

    /// Of what a PIN opens there is a key that a recovery code does not reach.
    @Test func aPINSetsThePassphraseThatACodeCannot() async throws {
        let tpm = try SoftwareTPM()
        let made = try await json(tpm, "keychain", "create", "--tpm", "pin")
        let code = try #require(made["recoveryCode"] as? String)
        for (name, text) in [("code", code), ("new", "a new passphrase")] {
            try (text + "\n").write(toFile: folder.file(name), atomically: false, encoding: .utf8)
        }
        let passphrase = ["keychain", "passphrase", "--new-passphrase-file", folder.file("new"), "--with"]
        func change(_ more: String...) async throws -> Program.Result {
            try await Program.result(of: "mildam", passphrase + more, environment: environment(tpm))
        }
        let refused = try await change("code", "--passphrase-file", folder.file("code"))
        expect(refused, 6, "give --with pin", "`mildam keychain remove-slot`")
        #expect(try await mildam(tpm, "keychain", "slots").output.split(separator: "\n").count == 2)
        expect(try await change("pin"), 0, "changed")
        let opened = try await mildam(tpm, "unlock", "--with", "passphrase", "--passphrase-file", folder.file("new"))
        expect(opened, 0, "unlocked")
        // Without the TPM it opens by that alone, and the PIN's way says what is missing.
        tpm.kill()
        expect(try await mildam(tpm, "lock", "--stop"), 0)
        // With the status that every command has for that, also where the agent is the one that says so.
        expect(try await mildam(tpm, "unlock", "--with", "pin"), 4, "there is no TPM at")
        expect(try await mildam(tpm, "keychain", "add-slot", "code", "--with", "pin"), 4, "there is no TPM at")
        try await end()
    }

    /// A keychain's own program, under this test's name, with Apple's functions.
    @Test func keysOfSecKeyAndOfTheCommandSeeEachOther() async throws {
        let tpm = try SoftwareTPM()
        try await makeKeychain(in: folder.file("home/default"))
        #expect(try await mildam(tpm, "enclave", "create", "ours").status == 0)
        var options = LocalKeychain.Options()
        options.isOwner = true
        let keychain = try LocalKeychain(path: folder.file("home/default/keychain.db"), options: options)
        try await keychain.unlock(.passphrase(SecretValue(text: "correct horse")))
        SecKeychain.use(keychain, enclave: TPMEnclave(try TPMAddress(tpm.address)))
        defer { SecKeychain.use(nil) }
        let made = SecKeyCreateRandomKey(
            [
                kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
                kSecPrivateKeyAttrs: [kSecAttrIsPermanent: true, kSecAttrApplicationTag: Data("theirs".utf8)]
                    as [String: Any],
            ],
            nil
        )
        #expect(made != nil)
        #expect(try await mildam(tpm, "enclave", "list").output == "ours  agreement, tpm\ntheirs  agreement, tpm\n")
        expect(try await mildam(tpm, "enclave", "test", "theirs"), 0, "agreement: right")
        var found: CFTypeRef?
        let query: [String: Any] = [
            kSecClass: kSecClassKey, kSecAttrApplicationTag: Data("ours".utf8), kSecReturnRef: true,
        ]
        #expect(unsafe SecItemCopyMatching(query as CFDictionary, &found) == errSecSuccess)
        let key = try #require(found as? SecKey)
        let algorithm = SecKeyAlgorithm.eciesEncryptionStandardX963SHA256AESGCM
        let packet = try await mildam(tpm, "enclave", "encrypt", "--key", "ours", "--form", "base64", input: "a token")
        let bytes = try #require(Data(base64Encoded: packet.output.trimmingCharacters(in: .newlines)), "\(packet)")
        #expect(SecKeyCreateDecryptedData(key, algorithm, bytes, nil) == Data("a token".utf8))
        // A blob that is damaged is named; the others are listed, and it can be deleted.
        let tag = KeychainQuery.key(tag: Array("ours".utf8))
        try keychain.update(tag, ItemChange(secret: SecretValue(text: "no key")))
        let listed = try await mildam(tpm, "enclave", "list")
        #expect(listed.status == 5 && listed.output == "theirs  agreement, tpm\n", "\(listed)")
        #expect(listed.errors.contains("ours: the key is damaged"))
        expect(try await mildam(tpm, "enclave", "test", "ours"), 5, "ours: the key is damaged")
        #expect(try await mildam(tpm, "enclave", "delete", "ours", "--yes").status == 0)
        try await end()
    }

    /// Two groups may have keys of one name; then the group is to be said.
    @Test func groupsHaveNamesOfTheirOwn() async throws {
        let tpm = try SoftwareTPM()
        try await makeKeychain(in: folder.file("home/default"))
        #expect(try await mildam(tpm, "enclave", "create", "a", "--group", "one").status == 0)
        expect(try await mildam(tpm, "enclave", "create", "a"), 6)
        #expect(try await mildam(tpm, "enclave", "create", "a", "--group", "two", "--signing").status == 0)
        expect(try await mildam(tpm, "enclave", "test", "a"), 6, "--group: one, two")
        expect(try await mildam(tpm, "enclave", "test", "a", "--group", "two"), 0, "signing: right")
        #expect(try await mildam(tpm, "enclave", "list", "--group", "one").output == "a  agreement, tpm\n")
        try await end()
    }

    @Test func aTerminalAsksForAPINTwiceAndBeforeAKeyIsDeleted() async throws {
        let tpm = try SoftwareTPM()
        try await makeKeychain(in: folder.file("home/default"))
        let program = try Program.find("mildam")
        func session(_ arguments: String...) throws -> TerminalSession {
            try TerminalSession(
                "\"$@\"; echo ended $?; read -r line",
                [program, "enclave"] + arguments,
                environment: environment(tpm)
            )
        }
        let making = try session("create", "a", "--pin")
        #expect(try await making.see("New PIN of the key:"))
        making.type("13572468\n")
        #expect(try await making.see("Once more:"))
        making.type("13572468\n")
        #expect(try await making.see("ended 0"), "\(making.view)")
        #expect(!making.view.contains("13572468"))
        let testing = try session("test", "a")
        #expect(try await testing.see("PIN of a:"))
        testing.type("13572468\n")
        #expect(try await testing.see("agreement: right"), "\(testing.view)")
        let keeping = try session("delete", "a")
        #expect(try await keeping.see("[y/N]"))
        keeping.type("n\n")
        #expect(try await keeping.see("ended 6"), "\(keeping.view)")
        #expect(try await mildam(tpm, "enclave", "list").output == "a  agreement, tpm, PIN\n")
        let deleting = try session("delete", "a")
        #expect(try await deleting.see("[y/N]"))
        deleting.type("y\n")
        #expect(try await deleting.see("ended 0"), "\(deleting.view)")
        #expect(try await mildam(tpm, "enclave", "list").output == "nothing\n")
        try await end()
    }
}
