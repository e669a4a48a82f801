import Foundation
import HouseSupport
import TestSupport
import Testing

/// `mildam enclave encrypt` and `decrypt`: Apple's packets, ours, and what is none.
@Suite("Apple's packets, at the command line", .serialized)
struct ECIESCommandTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// A packet that an Apple system made, or a program that reads and writes theirs.
    private struct Vector: Codable {
        let name, curve, hash: String
        let variable_iv: Bool
        let private_key_hex, public_key_hex, ciphertext_hex, plaintext_utf8: String

        /// The options that say what the packet does not.
        var options: [String] { ["--hash", hash.lowercased()] + (variable_iv ? ["--variable-iv"] : []) }

        static func read() throws -> [Vector] {
            let vectors = try JSONDecoder().decode([Vector].self, from: Vectors.data("ecies/apple_interop.json"))
            try #require(vectors.count >= 9, "\(vectors.count) packets of nine")
            return vectors
        }
    }

    private func mildam(
        _ arguments: [String],
        input: String? = nil,
        environment more: [String: String] = [:]
    ) async throws -> Program.Result {
        let environment = [
            "MILDAM_HOME": folder.file("home"), "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent",
            "MILDAM_PASSPHRASE": "correct horse", "MILDAM_TPM": "",
        ]
        return try await Program.result(
            of: "mildam",
            ["enclave"] + arguments,
            input: input,
            environment: environment.merging(more) { $1 }
        )
    }

    private func write(_ name: String, _ bytes: Data) throws -> String {
        let path = folder.file(name)
        try bytes.write(to: URL(fileURLWithPath: path))
        return path
    }

    private func bytes(_ hex: String) -> Data {
        var bytes = Data()
        var rest = Substring(hex)
        while rest.count >= 2 {
            bytes.append(UInt8(rest.prefix(2), radix: 16) ?? 0)
            rest = rest.dropFirst(2)
        }
        return bytes
    }

    private func content(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

    @Test(.enabled(if: Vectors.areExpected)) func everyPublishedPacketOpens() async throws {
        for vector in try Vector.read() {
            // As SecKeyCopyExternalRepresentation gives a private key.
            let whole = bytes(vector.public_key_hex + vector.private_key_hex)
            let key = try write("key", whole)
            let packet = try write("packet", bytes(vector.ciphertext_hex))
            let opened = try await mildam(["decrypt", "--private-key", key, packet] + vector.options)
            #expect(opened.status == 0 && opened.output == vector.plaintext_utf8, "\(vector.name): \(opened)")
            let text = try await mildam(
                ["decrypt", "--private-key", key, "--form", "hex"] + vector.options,
                input: vector.ciphertext_hex + "\n"
            )
            #expect(text.output == vector.plaintext_utf8, "\(vector.name): \(text)")
            // Another IV is another algorithm: one message says what it may be.
            let other = vector.options.filter { $0 != "--variable-iv" } + (vector.variable_iv ? [] : ["--variable-iv"])
            let target = folder.file("out")
            let refused = try await mildam(["decrypt", "--private-key", key, packet, "-o", target] + other)
            expect(refused, 3, "another key", "hash or IV", "damaged")
            #expect(!FileManager.default.fileExists(atPath: target))
        }
    }

    private struct Packets: Codable {
        let known: [Vector]
        let packets: [Form]
    }
    private struct Messages: Codable { let messages: [Form] }
    private struct Form: Codable {
        var curve, hash: String
        var variable_iv: Bool
        var private_key_hex, public_key_hex, ciphertext_hex, message_hex: String?
    }
    private struct Opened: Codable { let messages: [String] }
    private struct Sealed: Codable { let packets: [String] }

    /// A second implementation opens what the command makes, and the command what that makes, in every form of a key.
    @Test(.enabled(if: Vectors.areExpected && PythonPeer.isExpected)) func thePeerAgrees() async throws {
        let peer = PythonPeer("Tests/Crypto/ECIES/ecies.py")
        let vectors = try Vector.read()
        let curves = ["secp256r1", "secp384r1", "secp521r1"]
        for (curve, hash) in zip(curves, ["SHA256", "SHA384", "SHA512"]) {
            let vector = try #require(vectors.first { $0.curve == curve })
            let pem = folder.file("private.pem")
            let der = try write("scalar.der", sec1(vector))
            #expect(try Program.run("openssl", ["pkey", "-inform", "DER", "-in", der, "-out", pem]).status == 0)
            let publicKey = folder.file("public.pem")
            #expect(try Program.run("openssl", ["pkey", "-in", pem, "-pubout", "-out", publicKey]).status == 0)
            let message = "a message of \(curve)"
            for variable in [false, true] {
                let options = ["--hash", hash.lowercased()] + (variable ? ["--variable-iv"] : [])
                let sealed = try await mildam(
                    ["encrypt", "--public-key", publicKey, "--form", "hex"] + options,
                    input: message
                )
                #expect(sealed.status == 0, "\(sealed)")
                var form = Form(curve: curve, hash: hash, variable_iv: variable)
                form.private_key_hex = vector.private_key_hex
                form.ciphertext_hex = sealed.output.trimmingCharacters(in: .newlines)
                let opened: Opened = try peer.run("open", Packets(known: vectors, packets: [form]))
                #expect(opened.messages.map { bytes($0) } == [Data(message.utf8)])

                form.public_key_hex = vector.public_key_hex
                form.message_hex = Data(message.utf8).map { String(format: "%02x", $0) }.joined()
                let theirs: Sealed = try peer.run("seal", Messages(messages: [form]))
                let packet = try write("theirs", bytes(theirs.packets[0]))
                let read = try await mildam(["decrypt", "--private-key", pem, packet] + options)
                #expect(read.output == message, "\(read)")
            }
        }
    }

    /// A key as RFC 5915 has it.
    private func sec1(_ vector: Vector) -> Data {
        let curves: [String: [UInt8]] = [
            "secp256r1": [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07], "secp384r1": [0x2B, 0x81, 0x04, 0x00, 0x22],
            "secp521r1": [0x2B, 0x81, 0x04, 0x00, 0x23],
        ]
        let (scalar, curve) = (Array(bytes(vector.private_key_hex)), curves[vector.curve] ?? [])
        var body: [UInt8] = [2, 1, 1, 4, UInt8(scalar.count)] + scalar
        body += [0xA0, UInt8(curve.count + 2), 6, UInt8(curve.count)] + curve
        return Data([0x30, UInt8(body.count)] + body)
    }

    /// Makes a key pair with OpenSSL.
    private func keys() throws -> (privateKey: String, publicKey: String) {
        let (privateKey, publicKey) = (folder.file("k.pem"), folder.file("p.pem"))
        let made = try Program.run(
            "openssl",
            ["genpkey", "-algorithm", "EC", "-pkeyopt", "group:P-256", "-out", privateKey]
        )
        try #require(made.status == 0, "\(made)")
        try #require(try Program.run("openssl", ["pkey", "-in", privateKey, "-pubout", "-out", publicKey]).status == 0)
        return (privateKey, publicKey)
    }

    @Test func filesAppearWholeAndReplaceNothing() async throws {
        let (privateKey, publicKey) = try keys()
        let message = try write("message", Data([0, 1, 0xFF, 10]))
        let (packet, target) = (folder.file("packet"), folder.file("out"))
        let made = try await mildam(["encrypt", "--public-key", publicKey, "-o", packet, message, "--json"])
        expect(made, 0, "\"size\":85")
        #expect(try await mildam(["decrypt", "--private-key", privateKey, "-o", target, packet]).status == 0)
        #expect(try content(target) == Data([0, 1, 0xFF, 10]))
        let mode = try FileManager.default.attributesOfItem(atPath: target)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        try Data("before".utf8).write(to: URL(fileURLWithPath: target))
        expect(try await mildam(["decrypt", "--private-key", privateKey, "-o", target, packet]), 6, "exists")
        #expect(try content(target) == Data("before".utf8))
        var damaged = try content(packet)
        damaged[damaged.count - 1] ^= 1
        let bad = try write("damaged", damaged)
        expect(try await mildam(["decrypt", "--private-key", privateKey, "-o", target, "--force", bad]), 3, "damaged")
        #expect(try content(target) == Data("before".utf8), "a failed command leaves what was there")
        #expect(
            try await mildam(["decrypt", "--private-key", privateKey, "-o", target, "--force", packet]).status == 0
        )
        #expect(try content(target) == Data([0, 1, 0xFF, 10]))
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(!names.contains { $0.hasSuffix(".part") }, "\(names)")
    }

    @Test func aWrongKeyAndDamageAreOneMessage() async throws {
        let (privateKey, publicKey) = try keys()
        let packet = try await mildam(["encrypt", "--public-key", publicKey, "--form", "hex"], input: "a message")
            .output
        let whole = bytes(packet.trimmingCharacters(in: .newlines))
        for place in [0, 1, 40, 65, 70, whole.count - 1] {
            var changed = whole
            changed[place] ^= 1
            let path = try write("changed", changed)
            expect(try await mildam(["decrypt", "--private-key", privateKey, path]), 3, "key", "damaged")
        }
        let short = try write("short", whole.prefix(80))
        expect(try await mildam(["decrypt", "--private-key", privateKey, short]), 5, "short: ", "81 bytes")
        expect(try await mildam(["decrypt", "--private-key", privateKey], input: ""), 5, "standard input: ")
        let other = try write("other", bytes(String(repeating: "00", count: 3)))
        expect(try await mildam(["decrypt", "--private-key", other, short]), 5, "other: this is no key")
        expect(try await mildam(["decrypt", "--private-key", publicKey, short]), 6, "this is a public key")
        expect(try await mildam(["encrypt", "--public-key", privateKey, short]), 6, "this is a private key")
        expect(try await mildam(["decrypt", "--private-key", folder.file("none"), short]), 4)
        expect(try await mildam(["decrypt", "--private-key", privateKey, "--form", "base64"], input: "!"), 5, "base64")
    }

    @Test func whatContradictsItselfIsRefused() async throws {
        let (privateKey, publicKey) = try keys()
        for arguments in [
            ["encrypt"], ["decrypt"], ["encrypt", "--public-key", publicKey, "--key", "a"],
            ["encrypt", "--public-key", publicKey, "--hash", "md5"], ["encrypt", "--public-key", "-"],
            ["decrypt", "--private-key", "-"], ["decrypt", "--private-key", privateKey, "--group", "g"],
            ["decrypt", "--private-key", privateKey, "--pin-fd", "0"], ["decrypt", "--key", "a", "--pin-fd", "0"],
            ["decrypt", "--key", "a", "x", "--pin-fd", "0", "--passphrase-fd", "0"],
            ["decrypt", "--key", "a", "x", "--pin-fd", "77"],
        ] {
            let result = try await mildam(arguments, input: "x")
            #expect(result.status == 2 && result.output.isEmpty, "\(arguments): \(result)")
        }
        // Standard output would be both.
        expect(try await mildam(["encrypt", "--public-key", publicKey, "--json"], input: "x"), 2, "--output", "error")
        // A key may come from standard input, where the content does not.
        let message = try write("message", Data("a message".utf8))
        let key = try String(contentsOfFile: publicKey, encoding: .utf8)
        let sealed = try await mildam(["encrypt", "--public-key", "-", "--form", "base64", message], input: key)
        #expect(sealed.status == 0, "\(sealed)")
        let packet = try write("packet", Data(sealed.output.utf8))
        let secret = try String(contentsOfFile: privateKey, encoding: .utf8)
        let opened = try await mildam(["decrypt", "--private-key", "-", "--form", "base64", packet], input: secret)
        #expect(opened.output == "a message", "\(opened)")
    }

    /// Keys of the enclave: what others seal to the public key that was printed, the chip opens.
    @Test(.enabled(if: softwareTPMIsExpected)) func keysOfTheEnclaveOpenPackets() async throws {
        let tpm = try SoftwareTPM()
        let chip = ["MILDAM_TPM": tpm.address]
        let home = ["MILDAM_HOME": folder.file("home"), "MILDAM_PASSPHRASE": "correct horse"]
        let bus = ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"]
        func keychain(_ arguments: String...) async throws -> Program.Result {
            try await Program.result(of: "mildam", arguments, environment: home.merging(bus) { $1 })
        }
        try await makeKeychain(in: folder.file("home/default"))
        let kinds: [(String, [String])] = [("chip", []), ("soft", ["--software"]), ("guarded", ["--pin"])]
        for (name, options) in kinds {
            let pin = name == "chip" ? [] : ["--pin-fd", "0"]
            let made = try await mildam(["create", name] + options + pin, input: "1234\n", environment: chip)
            #expect(made.status == 0, "\(made)")
            let publicKey = try write(name + ".pem", Data(made.output.utf8))
            let packet = folder.file(name + ".packet")
            let sealing = ["encrypt", "--public-key", publicKey, "-o", packet, "--variable-iv"]
            #expect(try await mildam(sealing, input: "to " + name).status == 0)
            let opening = ["decrypt", "--key", name, "--variable-iv", packet] + pin
            let opened = try await mildam(opening, input: "1234\n", environment: chip)
            #expect(opened.status == 0 && opened.output == "to " + name, "\(opened)")
            let sealed = try await mildam(["encrypt", "--key", name, "--form", "base64"], input: "again")
            let text = try write("text", Data(sealed.output.utf8))
            let again = try await mildam(
                ["decrypt", "--key", name, "--form", "base64", text] + pin,
                input: "1234\n",
                environment: chip
            )
            #expect(again.output == "again", "\(again)")
            let other = try await mildam(["decrypt", "--key", name, packet] + pin, input: "1234\n", environment: chip)
            expect(other, 3, "another key", "damaged")
        }
        let packet = folder.file("guarded.packet")
        let wrong = ["decrypt", "--key", "guarded", packet, "--pin-fd", "0"]
        expect(try await mildam(wrong, input: "4321\n", environment: chip), 3, "the PIN is wrong")
        expect(try await mildam(["decrypt", "--key", "nobody", packet], environment: chip), 4, "no key nobody")
        #expect(try await mildam(["create", "signer", "--signing"], environment: chip).status == 0)
        expect(try await mildam(["decrypt", "--key", "signer", packet], environment: chip), 6, "signs or agrees")
        expect(try await mildam(["encrypt", "--key", "signer"], input: "x", environment: chip), 6, "signs or agrees")
        // What is no packet is not brought before the TPM, which would count a wrong PIN.
        let short = try write("short", Data([4, 5]))
        let noPacket = try await mildam(
            ["decrypt", "--key", "guarded", short, "--pin-fd", "0"],
            input: "4321\n",
            environment: chip
        )
        expect(noPacket, 5, "81 bytes")
        expect(try await mildam(["status"], environment: chip), 0, "wrong PINs: 1 of 3")
        _ = try await keychain("lock", "--stop")
    }
}
