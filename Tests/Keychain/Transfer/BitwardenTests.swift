import Foundation
import MildamCrypto
import MildamWire
import TestSupport
import Testing

@testable import MildamKeychain

@Suite("Bitwarden's JSON exports")
struct BitwardenTests {
    private func read(_ text: String, _ password: String? = nil) throws(TransferError) -> ImportedLogins {
        try readBitwarden(Array(text.utf8), password.map { SecretValue(text: $0) })
    }

    private static let plain = #"""
        {"encrypted":false,"folders":[{"id":"f1","name":"Work"}],"items":[
        {"passwordHistory":[{"lastUsedDate":"2024-01-01","password":"old"}],"id":"1","organizationId":null,"folderId":"f1",
        "type":1,"reprompt":0,"name":"Mail \ud83d\ude00","notes":"a\nb","favorite":false,"fields":[
        {"name":"PIN","value":"1234","type":1,"linkedId":null},{"name":"on","value":"true","type":2,"linkedId":null},
        {"name":"same","value":null,"type":3,"linkedId":100}],"login":{"fido2Credentials":[{"keyId":"k"}],
        "uris":[{"match":null,"uri":"https://mail.example"},{"uri":"https://b.example"}],"username":"alice",
        "password":"p\"w","totp":"otpauth://totp/x?secret=AA"},"collectionIds":null},
        {"type":2,"name":"Note","notes":"text","secureNote":{"type":0}},
        {"type":3,"name":"Card","card":{"cardholderName":"A B","brand":"Visa","number":"4111","expMonth":"1","code":null}},
        {"type":4,"name":"Me","identity":{"firstName":"A","ssn":"123"}},
        {"type":5,"name":"Key","sshKey":{"privateKey":"PRIVATE","publicKey":"ssh-ed25519 AA","keyFingerprint":"SHA256:x"}},
        {"type":9,"name":"New","x":{}},{"type":1,"name":"Broken"},{"type":2,"name":"Empty","notes":null}]}
        """#

    private static let expected = [
        Shown(
            "Mail 😀",
            ["https://mail.example", "https://b.example"],
            "alice",
            "p\"w",
            note: "a\nb",
            oneTimeCode: "otpauth://totp/x?secret=AA",
            folder: "Work",
            fields: ["PIN=1234", "on=true"]
        ),
        Shown("Note", note: "text"),
        Shown("Card", fields: ["brand=Visa", "cardholderName=A B", "expMonth=1", "number=4111"]),
        Shown("Me", fields: ["firstName=A", "ssn=123"]),
        Shown("Key", fields: ["keyFingerprint=SHA256:x", "privateKey=PRIVATE", "publicKey=ssh-ed25519 AA"]),
    ]

    @Test func eachKindOfItemIsRead() throws {
        let result = try read(Self.plain)
        #expect(result.shown == Self.expected)
        #expect(result.defects == [.unknownKind, .unknownKind, .empty])
        #expect(
            result.leftOut
                == ["passkeys": 1, "earlier passwords": 1, "fields that repeat a user name or password": 1]
        )
    }

    @Test(arguments: [
        ("", TransferError.malformed(at: 0, reason: "this is no JSON")),
        ("{}", .notThisFormat(reason: "it has no items, as a Bitwarden export has")),
        ("{\"items\":[],\"items\":[]}", .malformed(at: 12, reason: "a name is there for the second time")),
        ("{\"encrypted\":true,\"passwordProtected\":true}", .needsPassword),
        (String(repeating: "[", count: 100_000), .malformed(at: 0, reason: "it is nested more than 32 deep")),
    ])
    func whatIsNoExportIsRefused(_ text: String, _ expected: TransferError) {
        #expect(throws: expected) { try read(text) }
    }

    @Test func anExportOfTheAccountsOwnIsToldApart() {
        let error = #expect(throws: TransferError.self) {
            try read("{\"encrypted\":true,\"encKeyValidation_DO_NOT_EDIT\":\"2.a|b|c\",\"items\":[]}", "x")
        }
        guard case .unsupported? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func cutAnywhereItIsNoExport() {
        let bytes = Array(Self.plain.utf8)
        for cut in Hostile.cuts(bytes) { #expect(throws: TransferError.self) { try readBitwarden(cut) } }
    }

    @Test func aFlippedBitIsAnErrorOrAnotherText() throws {
        let bytes =
            Array(Self.plain.utf8.prefix(0))
            + Array(
                #"{"encrypted":false,"items":[{"type":1,"name":"A","login":{"username":"u","password":"\u00e9","totp":null}}]}"#
                    .utf8
            )
        #expect(try readBitwarden(bytes).shown == [Shown("A", [], "u", "é")])
        var refused = 0
        for changed in Hostile.flips(bytes) {
            if (try? readBitwarden(changed)) == nil { refused += 1 }
        }
        #expect(refused > 200, "\(refused)")
    }

    // MARK: Under a password

    /// What Python's `cryptography` and `argon2` make of Bitwarden's description of the format.
    private func encrypted(_ plain: String, _ password: String, kdf: String) throws -> String? {
        let script = """
            import base64, hashlib, hmac, json, os, sys
            from cryptography.hazmat.primitives import hashes, padding
            from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
            from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand
            password, kdf, plain = json.loads(sys.stdin.read())
            salt = base64.b64encode(os.urandom(16)).decode()
            head = {"encrypted": True, "passwordProtected": True, "salt": salt}
            if kdf == "pbkdf2":
                head |= {"kdfType": 0, "kdfIterations": 5000}
                key = hashlib.pbkdf2_hmac("sha256", password.encode(), salt.encode(), 5000, 32)
            else:
                try:
                    from argon2.low_level import Type, hash_secret_raw
                except ImportError:
                    sys.exit(77)
                head |= {"kdfType": 1, "kdfIterations": 2, "kdfMemory": 16, "kdfParallelism": 4}
                key = hash_secret_raw(password.encode(), hashlib.sha256(salt.encode()).digest(), time_cost=2,
                    memory_cost=16 * 1024, parallelism=4, hash_len=32, type=Type.ID)
            enc, mac = (HKDFExpand(hashes.SHA256(), 32, label).derive(key) for label in (b"enc", b"mac"))
            def seal(text):
                iv = os.urandom(16)
                pad = padding.PKCS7(128).padder()
                data = pad.update(text.encode()) + pad.finalize()
                c = Cipher(algorithms.AES(enc), modes.CBC(iv)).encryptor()
                data = c.update(data) + c.finalize()
                tag = hmac.new(mac, iv + data, hashlib.sha256).digest()
                return "2." + "|".join(base64.b64encode(x).decode() for x in (iv, data, tag))
            head["encKeyValidation_DO_NOT_EDIT"] = seal("b1b1c0de-0000-4000-8000-000000000000")
            head["data"] = seal(plain)
            print(json.dumps(head, indent=2))
            """
        let input = try JSONEncoder().encode([password, kdf, plain])
        let result = try Program.run("/usr/bin/python3", ["-c", script], input: String(decoding: input, as: UTF8.self))
        if result.status == 77 {
            print("skipped: Argon2id of another's hand; `apt-get install python3-argon2` brings it")
            return nil
        }
        guard result.status == 0 else { throw StringError(result.description) }
        return result.output
    }

    @Test(arguments: ["pbkdf2", "argon2id"])
    func whatPythonEncryptsOpens(_ kdf: String) throws {
        guard let file = try encrypted(Self.plain, "pass wörd", kdf: kdf) else { return }
        #expect(try read(file, "pass wörd").shown == Self.expected)
        #expect(throws: TransferError.wrongPassword) { try read(file, "pass word") }
        #expect(throws: TransferError.needsPassword) { try read(file) }
    }

    /// An export made here, whose password costs nothing.
    private func sealed(_ plain: String, head: String = "\"kdfType\":0,\"kdfIterations\":1") throws -> String {
        let key = try KDF.PBKDF2.deriveKey(
            from: Array("pw".utf8),
            salt: Array("salt".utf8),
            using: .sha256,
            outputByteCount: 32,
            rounds: 1
        )
        let keys = ["enc", "mac"].map {
            HKDF<SHA256>.expand(pseudoRandomKey: key, info: Array($0.utf8), outputByteCount: 32)
        }
        func seal(_ text: String) throws -> String {
            let iv = [UInt8](repeating: 7, count: 16)
            let data = Array(
                try Insecure.AES.CBC.encrypt(Array(text.utf8), using: keys[0], iv: Insecure.AES.IV(data: iv))
            )
            let mac = Array(HMAC<SHA256>.authenticationCode(for: iv + data, using: keys[1]))
            return "2." + [iv, data, mac].map { Base64.standard.encode($0) }.joined(separator: "|")
        }
        return """
            {"encrypted":true,"passwordProtected":true,"salt":"salt",\(head),"encKeyValidation_DO_NOT_EDIT":"\(
                try seal("check"))","data":"\(try seal(plain))"}
            """
    }

    private let small = #"{"items":[{"type":1,"name":"A","login":{"password":"p"}}]}"#

    @Test func whateverIsChangedInAnEncryptedExportIsNoticed() throws {
        let file = Array(try sealed(small).utf8)
        let password = SecretValue(text: "pw")
        let expected = [Shown("A", [], "", "p")]
        #expect(try readBitwarden(file, password).shown == expected)
        var (wrong, damaged) = (0, 0)
        for changed in Hostile.flips(file) {
            do throws(TransferError) {
                let shown = try readBitwarden(changed, password).shown
                #expect(shown == expected)
            } catch .wrongPassword {
                wrong += 1
            } catch .damaged {
                damaged += 1
            } catch {}
        }
        #expect(wrong > 100 && damaged > 100, "\(wrong) \(damaged)")
        for cut in Hostile.cuts(file) {
            #expect(throws: TransferError.self) { try readBitwarden(cut, password) }
        }
    }

    @Test(arguments: [
        "\"kdfType\":0,\"kdfIterations\":2000001", "\"kdfType\":0,\"kdfIterations\":0",
        "\"kdfType\":0,\"kdfIterations\":9223372036854775807",
        "\"kdfType\":1,\"kdfIterations\":3,\"kdfMemory\":1025,\"kdfParallelism\":4",
        "\"kdfType\":1,\"kdfIterations\":11,\"kdfMemory\":64,\"kdfParallelism\":4",
        "\"kdfType\":1,\"kdfIterations\":3,\"kdfMemory\":64,\"kdfParallelism\":17",
    ])
    func costsAreBoundedBeforeAnythingIsAllocated(_ head: String) throws {
        let file = try sealed(small, head: head)
        let error = #expect(throws: TransferError.self) { try read(file, "pw") }
        guard case .costsTooHigh? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(arguments: ["\"kdfType\":2,\"kdfIterations\":1", "\"kdfIterations\":1", "\"kdfType\":1,\"kdfIterations\":3"])
    func unknownDerivationsAreRefused(_ head: String) throws {
        let file = try sealed(small, head: head)
        #expect(throws: TransferError.self) { try read(file, "pw") }
    }

    @Test("Argon2id with one lane is the same from both libraries", arguments: [(8, 1), (64, 3), (1024, 2)])
    func lanes(_ memory: Int, _ passes: Int) throws {
        let (password, salt) = (Array("password".utf8), Array("0123456789abcdef".utf8))
        let one = try KDF.Argon2id.deriveKey(from: password, salt: salt, memoryKiB: memory, passes: passes)
        #expect(
            try KDF.Argon2id.deriveKey(from: password, salt: salt, memoryKiB: memory, passes: passes, lanes: 1) == one
        )
        #expect(throws: CryptoKitError.incorrectParameterSize) {
            try KDF.Argon2id.deriveKey(from: password, salt: salt, memoryKiB: 8, passes: passes, lanes: 2)
        }
    }
}
