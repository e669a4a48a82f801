import FoundationEssentials
import MildamCrypto
import MildamWire

@testable import MildamKeychain

extension FuzzTarget {
    /// Logins in CSV.
    static let keychainCSV = FuzzTarget(
        name: "keychain-csv",
        seeds: {
            [
                "name,url,username,password,note\r\nA,https://a.example:8443/x,alice,\"p\"\"w,\",\"1\n2\"\r\nB,,bob,pw,\r\n",
                "\u{feff}folder,type,name,fields,login_uri,login_password,login_totp\nF,login,A,x: 1,\"a.b,c.d\",p,AA\n",
                "url,username,password,httpRealm,guid\n[::1],u,p,r,\n\"x,y\n",
            ].map { Array($0.utf8) }
        },
        take: { input in
            guard let result = try? CSVImport.read(input.span) else { return }
            planted(result.logins.contains { $0.addresses.count == 3 })
            mustBeBounded(result, input)
        }
    )

    /// Bitwarden's exports. The first byte says which: in clear; encrypted, with changes; or what is encrypted.
    static let keychainBitwarden = FuzzTarget(
        name: "keychain-bitwarden",
        seeds: {
            let login =
                #"{"type":1,"name":"A","login":{"uris":[{"uri":"https://a"}],"username":"u","password":"p","totp":"A"}}"#
            let note = #"{"type":2,"name":"N","notes":"\u00e9","fields":[{"name":"f","value":"v"}],"folderId":"1"}"#
            let plain = #"{"folders":[{"id":"1","name":"W"}],"items":["# + login + "," + note + "]}"
            let file = encryptedBitwarden(Array(plain.utf8))
            return [[0] + Array(plain.utf8), [1] + file, [2] + Array(plain.utf8)]
        },
        take: { input in
            guard let first = input.first else { return }
            let rest = Array(input.dropFirst())
            switch first {
            case 0:
                guard let result = try? BitwardenImport.read(rest.span) else { return }
                planted(result.defects.contains(.unknownKind))
                mustBeBounded(result, rest)
            case 1:
                // What costs much is refused, or a mutation that asks for less than the limit would take seconds.
                guard rest.count < 4096, !mayCostMuch(rest) else { return }
                _ = try? BitwardenImport.read(rest.span, password: SecretValue(text: "pw"))
            default:
                let file = encryptedBitwarden(rest)
                let inner = try? BitwardenImport.read(rest.span)
                let outer = try? BitwardenImport.read(file.span, password: SecretValue(text: "pw"))
                guard let inner, let outer else {
                    // Encrypted once more, it asks for a password of its own.
                    return mustHold(outer == nil, "an encrypted export says what is in it")
                }
                mustHold(inner.rows.count == outer.rows.count, "an encrypted export says what is in it")
            }
        }
    )

    /// KeePass's exports.
    static let keychainKeePass = FuzzTarget(
        name: "keychain-keepass",
        seeds: {
            let string = "<String><Key>Title</Key><Value ProtectInMemory=\"True\">A&amp;&#x41;</Value></String>"
            let password = "<String><Key>Password</Key><Value><![CDATA[p<]]></Value></String>"
            let entry = "<Entry>\(string)\(password)<History><Entry/></History><Binary/></Entry>"
            return [
                "<?xml version=\"1.0\" encoding=\"utf-8\"?><KeePassFile><Meta><RecycleBinUUID>B</RecycleBinUUID></Meta>"
                    + "<Root><Group><Name>D</Name>\(entry)<Group><Name>W</Name>\(entry)</Group></Group></Root></KeePassFile>",
                "<!DOCTYPE x [<!ENTITY a \"b\">]><KeePassFile/>",
            ].map { Array($0.utf8) }
        },
        take: { input in
            guard let result = try? KeePassImport.read(input.span) else { return }
            planted(result.leftOut["attachments"] == 1)
            mustBeBounded(result, input)
        }
    )

    /// The content of a bundle.
    static let keychainBundle = FuzzTarget(
        name: "keychain-bundle",
        seeds: {
            let item = #"{"class":"genp","accessible":"ak","group":"g","synchronizable":false,"attributes":"#
            return [
                #"{"format":"mildam keychain bundle","version":1,"created":1}"# + "\n" + item
                    + #"{"acct":"a\n","gena":"AA==","invi":true,"cdat":-1,"crtr":7},"secret":"cw=="}"# + "\n"
                    + #"{"items":1,"leftOut":0}"# + "\n"
            ].map { Array($0.utf8) }
        },
        take: { input in
            guard let (lines, _) = try? BundleDocument.lines(of: input.span) else { return }
            for line in lines {
                guard let item = try? BundleItem.read(input.span.extracting(line)) else { continue }
                planted((item.attributes.number(.creator) ?? 7) != 7)
                mustHold(item.itemClass != .identity, "an identity has no row of its own")
                mustHold(!item.accessibility.staysOnThisDevice, "what stays on its device is in no bundle")
                mustHold(item.secret.count <= line.count, "a secret is no longer than its text")
            }
        }
    )

    /// What mildam-keyring answers.
    static let keyringAnswer = FuzzTarget(
        name: "keyring-answer",
        seeds: {
            var login = ImportedLogin(position: 1)
            (login.title, login.username, login.password) = ("A", "u", SecretValue(text: "p"))
            (login.realm, login.folder, login.addresses) = ("r", "Login", ["smb://nas/x"])
            login.fields = [.init("attributes", SecretValue(text: "zone=b"))]
            var logins = ImportedLogins()
            logins.rows = [.login(login), .refused(position: 2, name: "B", reason: .locked)]
            return [KeyringAnswer.logins(logins), .failure("no bus")].map { answer in
                unsafe answer.bytes.withUnsafeBytes { unsafe [UInt8]($0) }
            }
        },
        take: { input in
            guard let answer = try? KeyringAnswer(input.span) else { return }
            let written = unsafe answer.bytes.withUnsafeBytes { unsafe [UInt8]($0) }
            mustHold(written == input, "an answer is written as it was read")
            guard case .logins(let logins) = answer else { return }
            planted(logins.logins.contains { $0.addresses.isEmpty && $0.realm != nil })
            mustHold(logins.rows.count <= TransferLimits.rows, "there are no more rows than the limit says")
        }
    )

    private static func mustBeBounded(_ result: ImportedLogins, _ input: [UInt8]) {
        mustHold(result.rows.count <= TransferLimits.rows, "there are no more rows than the limit says")
        for login in result.logins {
            mustHold(!login.isEmpty, "a login says something")
            let parts = login.parts { $0.oneTimeCodeItem($1) }
            mustHold(!parts.isEmpty, "a login becomes an item")
            for part in parts { mustHold(part.item.secret.count <= input.count, "nothing is longer than its file") }
        }
    }

    /// Whether a digit could have been put before the rounds of ``encryptedBitwarden(_:)``.
    private static func mayCostMuch(_ file: [UInt8]) -> Bool {
        let text = String(decoding: file, as: UTF8.self)
        return !text.contains("\"kdfType\":0,\"kdfIterations\":1,")
    }

    private static let keys: (encryption: SymmetricKey, authentication: SymmetricKey) = must {
        () throws(CryptoKitError) in
        let key = try KDF.PBKDF2.deriveKey(
            from: Array("pw".utf8),
            salt: Array("salt".utf8),
            using: .sha256,
            outputByteCount: 32,
            rounds: 1
        )
        func expand(_ label: String) -> SymmetricKey {
            HKDF<SHA256>.expand(pseudoRandomKey: key, info: Array(label.utf8), outputByteCount: 32)
        }
        return (expand("enc"), expand("mac"))
    }

    private static func encryptedBitwarden(_ plain: [UInt8]) -> [UInt8] {
        func seal(_ content: [UInt8]) -> String {
            let iv = [UInt8](repeating: 7, count: 16)
            let data = must { () throws(CryptoKitError) in
                Array(try Insecure.AES.CBC.encrypt(content, using: keys.encryption, iv: Insecure.AES.IV(data: iv)))
            }
            let mac = Array(HMAC<SHA256>.authenticationCode(for: iv + data, using: keys.authentication))
            return "2." + [iv, data, mac].map { Base64.standard.encode($0) }.joined(separator: "|")
        }
        return Array(
            (#"{"encrypted":true,"passwordProtected":true,"salt":"salt","kdfType":0,"kdfIterations":1,"#
                + #""encKeyValidation_DO_NOT_EDIT":""# + seal(Array("check".utf8)) + #"","data":""# + seal(plain)
                + "\"}").utf8
        )
    }
}

extension ImportedLogins {
    fileprivate var defects: [RowDefect] {
        rows.compactMap { if case .refused(_, _, let reason) = $0 { reason } else { nil } }
    }
}
