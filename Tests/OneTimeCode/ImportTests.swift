import Foundation
import MildamCrypto
import MildamOTP
import TestSupport
import Testing

@testable import MildamOneTimeCode

/// A token from a text, which a compiler's literal cannot get wrong.
func token(_ uri: String) throws -> OneTimePassword { try OneTimePassword(uri: uri) }

@Suite("Imports: files that are not encrypted")
struct ImportTests {
    private func rows(
        _ text: String,
        as format: ImportFormat? = nil,
        map: FieldMap = FieldMap()
    ) throws(ImportError) -> TokenImport {
        let bytes = Array(text.utf8)
        return try TokenImport(bytes.span, as: format, map: map)
    }

    private func refusal(_ text: String, as format: ImportFormat? = nil) -> ImportError? {
        do throws(ImportError) {
            _ = try rows(text, as: format)
            return nil
        } catch { return error }
    }

    private func only(_ text: String, map: FieldMap = FieldMap()) throws -> TokenImport.Row {
        let rows = try rows(text, map: map).rows
        try #require(rows.count == 1)
        return rows[0]
    }

    @Test func uriLists() throws {
        let list = try rows(
            """
            \u{feff}# mine
            otpauth://totp/A:b?secret=JBSWY3DP

            otpauth://totp/A:b?secret=1\r
            "otpauth://totp/A:c?secret=JBSWY3DP&codeDisplay=%7B%22pinned%22%3Afalse%7D"
            something else
            otpauth-migration://offline?data=AA
            """
        )
        #expect(list.format == .uriList && list.rows.map(\.number) == [2, 4, 5, 6, 7])
        #expect(try list.rows[0].token.get() == token("otpauth://totp/A:b?secret=JBSWY3DP"))
        #expect(list.rows[1].token == .failure(.invalid(.secret)))
        #expect(try list.rows[2].token.get().account == "c")
        #expect(list.rows[3].token == .failure(.notOTPAuth) && list.rows[4].token == .failure(.isMigration))
        #expect(list.tokens.count == 2)
    }

    @Test func migrationLists() throws {
        let tokens = try (0..<12).map { try token("otpauth://totp/A:b\($0)?secret=JBSWY3DP") }
        let lines = try MigrationBatch.batches(of: tokens, id: 9).map(\.uri)
        let both = try rows(lines.reversed().joined(separator: "\n") + "\n")
        #expect(both.format == .migration && both.tokens == tokens && both.rows.map(\.number) == Array(1...12))
        #expect(refusal(lines[1]) == .migration(.missingBatches([0], of: 2)))
        #expect(refusal(lines[1] + "\nx") == .migration(.notMigration))
        #expect(refusal("", as: .migration) == .migration(.empty))
    }

    @Test("What each program exports is known, and read", arguments: ["aegis", "2fas", "andotp", "ente"])
    func programs(name: String) throws {
        try #require(Exports.tokens.count == 5)
        guard Exports.areExpected else { return }
        let file = try Exports.make("plain-" + name, Exports.tokens)
        let formats: [String: ImportFormat] = ["aegis": .aegis, "2fas": .twoFAS, "andotp": .andOTP, "ente": .uriList]
        #expect(ImportFormat.detect(file.span) == formats[name])
        let read = try TokenImport(file.span)
        #expect(read.tokens == Exports.tokens && read.rows.map(\.number) == [1, 2, 3, 4, 5])
        #expect(read.rows.allSatisfy { $0.secretReading == nil })
    }

    @Test func aegis() throws {
        func vault(_ entries: String, version: String = "3") -> String {
            #"{"version":1,"header":{"slots":null,"params":null},"db":{"version":\#(version),"entries":[\#(entries)]}}"#
        }
        let info = #""info":{"secret":"JBSWY3DP","algo":"SHA1","digits":6,"period":30}"#
        let fine = #"{"type":"totp","name":"a","issuer":"b",\#(info)}"#
        let list = try rows(
            vault(
                [
                    fine, #"{"type":"yandex","name":"a",\#(info)}"#, #"{"type":"motp","name":"a",\#(info)}"#,
                    #"{"name":"a",\#(info)}"#, #"{"type":"totp","name":"a"}"#, "7", fine,
                    #"{"type":"totp","name":7,\#(info)}"#,
                    #"{"type":"hotp","info":{"secret":"JBSWY3DP","algo":"SHA1","digits":6}}"#,
                    #"{"type":"totp","info":{"secret":"JBSWY3DP","algo":"MD5","digits":6,"period":30}}"#,
                    #"{"type":"totp","info":{"secret":"JBSWY3DP","algo":"SHA1","digits":true,"period":30}}"#,
                    #"{"type":"totp","info":{"secret":"JBSWY3DP","algo":"SHA1","digits":6,"period":-30}}"#,
                    #"{"type":"totp","info":{"secret":[1],"algo":"SHA1","digits":6,"period":30}}"#,
                ].joined(separator: ",")
            )
        )
        #expect(list.format == .aegis)
        #expect(
            try list.tokens == [
                token("otpauth://totp/b:a?secret=JBSWY3DP"), token("otpauth://totp/b:a?secret=JBSWY3DP"),
            ]
        )
        let reasons = list.rows.compactMap { row -> TokenError? in
            if case .failure(let reason) = row.token { reason } else { nil }
        }
        #expect(
            reasons == [
                .unsupported(.yandex), .unsupported(.motp), .missing(.type), .missing(.secret), .missing(.type),
                .invalid(.account), .missing(.counter), .unsupported(.md5), .invalid(.digits), .outOfRange(.period),
                .invalid(.secret),
            ]
        )
        #expect(refusal(vault("", version: "4")) == .unsupportedVersion(.aegis, 4))
        #expect(refusal(vault("", version: "null")) == .malformed(.aegis))
        #expect(refusal(#"{"header":{},"db":{"version":1}}"#) == .malformed(.aegis))
        #expect(refusal("[]", as: .aegis) == .malformed(.aegis))
    }

    @Test func twoFAS() throws {
        func backup(_ services: String, version: Int = 4) -> String {
            #"{"services":[\#(services)],"schemaVersion":\#(version)}"#
        }
        let list = try rows(
            backup(
                [
                    #"{"name":"N","secret":"jbsw y3dp","otp":{"account":"a","digits":6}}"#,
                    #"{"name":"N","secret":"JBSWY3DP","otp":{"label":"I:a","issuer":"I","tokenType":"HOTP"}}"#,
                    #"{"name":"N","secret":"JBSWY3DP"}"#, #"{"name":"N","otp":{}}"#,
                    #"{"secret":"JBSWY3DP","otp":{"tokenType":"NEW"}}"#,
                ].joined(separator: ",")
            )
        )
        #expect(list.format == .twoFAS)
        #expect(
            try list.tokens == [
                token("otpauth://totp/N:a?secret=JBSWY3DP"), token("otpauth://hotp/I:a?secret=JBSWY3DP&counter=0"),
                token("otpauth://totp/N:?secret=JBSWY3DP"),
            ]
        )
        #expect(list.rows[3].token == .failure(.missing(.secret)) && list.rows[4].token == .failure(.invalid(.type)))
        #expect(refusal(backup("", version: 5)) == .unsupportedVersion(.twoFAS, 5))
        #expect(refusal(#"{"services":{},"schemaVersion":4}"#) == .malformed(.twoFAS))
    }

    @Test func andOTP() throws {
        let tail = #""digits":6,"algorithm":"SHA1","thumbnail":"Default","period":30"#
        let list = try rows(
            #"[{"secret":"JBSWY3DP======","label":"I - a - b","type":"TOTP",\#(tail)},"#
                + #"{"secret":"JBSWY3DP","label":"I - a","issuer":"J","type":"TOTP",\#(tail)},"#
                + #"{"secret":"JBSWY3DP","label":"J:a","issuer":"J","type":"TOTP",\#(tail)},"#
                + #"{"secret":"JBSWY3DP","label":"a","type":"MOTP",\#(tail)},{"label":"a","type":"TOTP"},{"secret":"AA"}]"#
        )
        #expect(list.format == .andOTP)
        #expect(
            try list.tokens == [
                token("otpauth://totp/I:a%20-%20b?secret=JBSWY3DP"),
                token("otpauth://totp/J:I%20-%20a?secret=JBSWY3DP"), token("otpauth://totp/J:a?secret=JBSWY3DP"),
            ]
        )
        #expect(list.rows[3].token == .failure(.unsupported(.motp)))
        #expect(list.rows[4].token == .failure(.missing(.secret)) && list.rows[5].token == .failure(.missing(.type)))
        #expect(refusal("{}", as: .andOTP) == .malformed(.andOTP))
    }

    /// What an article keeps: Swift structures of any names, encoded by Foundation's encoder.
    private struct TOTPToken: Encodable {
        let name: String
        let service: String
        let secretKey: Data
        let timeInterval: Double
    }

    @Test("An array of a program's own structures is read by the names that such have")
    func tokenArrays() throws {
        let bytes = Data((0..<20).map { UInt8($0 * 11) })
        let data = try JSONEncoder().encode([
            TOTPToken(name: "me", service: "Site", secretKey: bytes, timeInterval: 30),
            TOTPToken(name: "you", service: "Site", secretKey: bytes, timeInterval: 60),
        ])
        let list = try TokenImport(Array(data).span)
        #expect(list.format == .tokenArray && list.rows.map(\.secretReading) == [.base64, .base64])
        let key = SymmetricKey(data: bytes)
        #expect(try list.tokens[0] == OneTimePassword(secret: key, issuer: "Site", account: "me"))
        #expect(list.tokens[1].kind == .totp(period: 60))
    }

    @Test(
        "How a secret is read is found out, and told",
        arguments: [
            (#""JBSWY3DPEHPK3PXP""#, TokenImport.SecretReading.base32), (#""jbsw y3dp ehpk 3pxp""#, .base32),
            (#""SGVsbG8h3q2+7w==""#, .base64), (#""SGVsbG8h3q2-7w""#, .base64),
            (#""SGVsbG8h\n3q2+7w==""#, .base64), (#"[72,101,108,108,111,33,222,173,190,239]"#, .bytes),
            (#"[72,101,108,108,111,33,-34,-83,-66,-17]"#, .bytes), (#""!""#, nil), (#"[256]"#, nil), (#"[1.5]"#, nil),
            (#"["1"]"#, nil), ("7", nil), ("{}", nil), (#""SGVsbG8h3q2+7w=a""#, nil),
        ] as [(String, TokenImport.SecretReading?)]
    )
    func secretReadings(written: String, reading: TokenImport.SecretReading?) throws {
        let row = try only(#"[{"secret":\#(written)}]"#)
        #expect(row.secretReading == reading || row.token == .failure(.invalid(.secret)))
        guard let reading else {
            #expect(row.token == .failure(.invalid(.secret)))
            return
        }
        #expect(try row.token.get().secret == SymmetricKey(data: Array("Hello!".utf8) + [0xde, 0xad, 0xbe, 0xef]))
        #expect(row.secretReading == reading)
    }

    /// The bounds of the guess: each of these is read as the other one thing.
    @Test func likelyBase32() {
        for (text, isLikely) in [
            ("JBSWY3DP", true), ("jbswy3dp", true), ("JBSWY3dp", false), ("JBSWY3D", true), ("JBSWY3", false),
            ("JBSWY", true), ("JBSW", true), ("JBS", false), ("JB", true), ("J", false), ("", false),
            ("JB======", true),
            ("JBSWY3==", false), ("JB==", false), ("JBSW=JBSW", false), ("JBSW1===", false), ("JBSW-Y3DP", true),
        ] {
            let bytes = Array(text.utf8)
            #expect(Base32Secret.isLikely(bytes.span) == isLikely, "\(text)")
        }
    }

    @Test func synonyms() throws {
        let expected = try token("otpauth://hotp/I:a?secret=JBSWY3DP&algorithm=SHA256&digits=8&counter=4")
        for object in [
            #"{"secret":"JBSWY3DP","issuer":"I","account":"a","type":"hotp","algorithm":"SHA256","digits":8,"counter":4}"#,
            #"{"KEY":"JBSWY3DP","Service_Name":"I","user-name":"a","otp_type":"HOTP","hash":"sha-256","codeLength":"8","moving_factor":4}"#,
            #"{"seed":"JBSWY3DP","label":"I:a","kind":"hotp","algo":"HmacSHA256","digit_count":8,"counter":4,"period":30}"#,
            #"{"uri":"otpauth://hotp/I:a?secret=JBSWY3DP&algorithm=SHA256&digits=8&counter=4","secret":"AA","note":[]}"#,
            #"{"secret":"JBSWY3DP","title":"X","issuer":"I","email":"x","name":"y","account":"a","type":"hotp","algorithm":"SHA256","digits":8,"counter":4,"url":"https://x"}"#,
        ] {
            #expect(try only("[\(object)]").token.get() == expected, "\(object)")
        }
    }

    @Test(
        "An object that says too much or too little is refused",
        arguments: [
            (#"{"secret":"JBSWY3DP","key":"AA"}"#, TokenError.duplicate(.secret)),
            (#"{"secret":"JBSWY3DP","Secret":"AA"}"#, .duplicate(.secret)),
            (#"{"secret":"JBSWY3DP","period":30,"interval":60}"#, .duplicate(.period)),
            (#"{"name":"a"}"#, .missing(.secret)),
            ("7", .missing(.secret)), (#"{"secret":null}"#, .missing(.secret)),
            (#"{"secret":""}"#, .outOfRange(.secret)),
            (#"{"secret":"JBSWY3DP","type":"x"}"#, .invalid(.type)),
            (#"{"secret":"JBSWY3DP","type":1}"#, .invalid(.type)),
            (#"{"secret":"JBSWY3DP","digits":"six"}"#, .invalid(.digits)),
            (#"{"secret":"JBSWY3DP","digits":-6}"#, .outOfRange(.digits)),
            (#"{"secret":"JBSWY3DP","period":30.5}"#, .invalid(.period)), (#"{"secret":[]}"#, .outOfRange(.secret)),
            (#"{"uri":"otpauth://totp/a"}"#, .missing(.secret)),
        ]
    )
    func badObjects(object: String, reason: TokenError) throws {
        #expect(try only("[\(object)]").token == .failure(reason))
    }

    @Test func givenNames() throws {
        let text = #"[{"k":"SGVsbG8h3q2+","s":"AAAA","from":"I","secret":"JBSWY3DP","digits":7,"n":8}]"#
        let given = try only(text, map: FieldMap("secret=k,issuer=from,digits=n"))
        let named = try given.token.get()
        #expect(given.secretReading == .base64 && named.issuer == "I" && named.digits == 8)
        #expect(try only(text, map: FieldMap("secret=s")).secretReading == .base32)
        let forced = try only(text, map: FieldMap("secret=s,encoding=base64"))
        #expect(try forced.secretReading == .base64 && forced.token.get().secret == SymmetricKey(data: [0, 0, 0]))
        #expect(try only(text, map: FieldMap("secret=missing")).token == .failure(.missing(.secret)))
        for (map, error) in [
            ("", FieldMapError.malformed("")), ("secret", .malformed("secret")), ("secret=", .malformed("secret=")),
            ("pin=p", .unknownField("pin")), ("label=p", .unknownField("label")),
            ("secret=a,secret=b", .repeated("secret")),
            ("encoding=hex", .unknownEncoding("hex")), ("encoding=bytes", .unknownEncoding("bytes")),
        ] {
            #expect(throws: error) { try FieldMap(map) }
            #expect(!error.description.isEmpty)
        }
    }

    @Test func detection() throws {
        for (text, format) in [
            ("", nil), ("hello", nil), ("{}", nil), ("[", nil), ("[]", ImportFormat.tokenArray), ("[1]", .tokenArray),
            (#"{"header":{},"db":{}}"#, .aegis), (#"{"header":{},"db":"AA"}"#, .aegisEncrypted),
            (#"{"schemaVersion":1,"services":[]}"#, .twoFAS),
            (#"{"schemaVersion":1,"services":[],"servicesEncrypted":"a"}"#, .twoFASEncrypted),
            (#"{"kdfParams":{},"encryptedData":"","encryptionNonce":""}"#, .enteEncrypted),
            ("\u{feff}  otpauth://x", .uriList), ("#\n\nOTPAUTH-MIGRATION://x", .migration), ("motp://x", .uriList),
            (#"[{"secret":"","label":"","type":"","algorithm":"","tags":[]}]"#, .andOTP),
            (#"[{"secret":"","label":"","type":"","algorithm":""}]"#, .tokenArray),
        ] {
            let bytes = Array(text.utf8)
            #expect(ImportFormat.detect(bytes.span) == format, "\(text)")
        }
        // Binary: only what asks for as many rounds as andOTP does.
        var binary = [UInt8](repeating: 0xfe, count: 44)
        #expect(ImportFormat.detect(binary.span) == nil)
        binary.replaceSubrange(0..<4, with: [0, 2, 0x39, 0x70])
        #expect(ImportFormat.detect(binary.span) == .andOTPEncrypted)
        #expect(ImportFormat.detect(binary.span.extracting(..<43)) == nil)
        #expect(ImportFormat.allCases.filter(\.needsPassword).count == 5)
    }

    @Test func wholeFiles() throws {
        #expect(refusal("hello") == .unknownFormat && refusal("{}") == .unknownFormat)
        #expect(refusal("[1,") == .malformedJSON(.malformed(at: 3)))
        #expect(refusal(#"[{"a":1,"a":2}]"#) == .malformedJSON(.duplicateName(at: 8)))
        #expect(refusal(#"{"header":{},"db":"AA"}"#) == .passwordNeeded(.aegisEncrypted))
        var limits = ImportLimits()
        limits.rowCount = 2
        let three = Array("[1,2,3]".utf8)
        #expect(throws: ImportError.tooManyRows(limit: 2)) { try TokenImport(three.span, limits: limits) }
        let lines = Array("otpauth://a\notpauth://b\notpauth://c".utf8)
        #expect(throws: ImportError.tooManyRows(limit: 2)) { try TokenImport(lines.span, limits: limits) }
        let batch = Array(
            try MigrationBatch.batches(
                of: [OneTimePassword](repeating: token("otpauth://totp/a?secret=AA"), count: 3),
                id: 1
            )[0].uri.utf8
        )
        #expect(throws: ImportError.tooManyRows(limit: 2)) { try TokenImport(batch.span, limits: limits) }
        limits.fileByteCount = 6
        #expect(throws: ImportError.tooLarge(limit: 6)) { try TokenImport(three.span, limits: limits) }
        #expect(ImportLimits().fileByteCount == 16_777_216)
    }

    @Test("No error shows what stood in the file")
    func errorsAreSilent() throws {
        let shown = "JBSWY3DPEHPK3PXQ"
        for text in [
            #"[{"secret":"\#(shown)1"},{"secret":"\#(shown)","type":"\#(shown)"},{"secret":"\#(shown)","digits":"\#(shown)"}]"#,
            "otpauth://totp/a?secret=\(shown)1\notpauth://\(shown)/a?secret=\(shown)\notpauth://totp/a?secret=\(shown)&algorithm=\(shown)",
            #"{"header":{"slots":null},"db":{"version":3,"entries":[{"type":"totp","info":{"secret":"\#(shown)1"}}]}}"#,
        ] {
            let read = try rows(text)
            #expect(!read.rows.isEmpty && read.tokens.isEmpty)
            for row in read.rows {
                guard case .failure(let reason) = row.token else { continue }
                var dumped = ""
                dump(reason, to: &dumped)
                #expect(!"\(reason) \(reason.localizedDescription) \(dumped)".contains("JBSW"))
            }
        }
    }

    @Test("Nothing that prints an export shows a secret or a name")
    func nothingIsDescribed() throws {
        let one = try OneTimePassword(
            secret: SymmetricKey(data: [UInt8](repeating: 0xab, count: 20)),
            kind: .hotp(counter: 171_171),
            issuer: "Issuer",
            account: "account"
        )
        let uri = Array(one.uri.utf8)
        let list = try TokenImport(uri.span)
        for value in [try MigrationBatch.batches(of: [one], id: 3), list, list.rows, list.tokens] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), dumped] {
                for shown in ["171", "abab", "VOV2", "Issuer", "account", one.code(at: 0)] {
                    #expect(!text.contains(shown), "\(text)")
                }
            }
        }
    }
}
