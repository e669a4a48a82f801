import MildamCrypto
import MildamOTP
import MildamOneTimeCode
import MildamWire

extension FuzzTarget {
    /// Files of other programs. The first byte says which kind it is taken for, or that this is to be found out.
    static let otpImports = FuzzTarget(
        name: "otp-imports",
        source: .file,
        seeds: { ImportSeeds.all },
        take: { input in
            guard let first = input.first else { return }
            let file = Array(input.dropFirst())
            let formats = ImportFormat.allCases
            let format = Int(first) < formats.count ? formats[Int(first)] : nil
            guard
                let read = try? TokenImport(
                    file.span,
                    as: format,
                    password: ImportSeeds.password,
                    limits: ImportSeeds.limits
                )
            else { return }
            planted(read.format == .twoFAS && read.tokens.isEmpty)
            mustHold(format == nil || format == read.format, "a file is taken for what it is called")
            mustHold(read.rows.count <= ImportSeeds.limits.rowCount, "a file has no more rows than it may")
            mustHold(read.tokens.allSatisfy(isStable), "a token that was read is written and read as the same")
        }
    )
}

/// A file of each kind, at the least cost.
private enum ImportSeeds {
    static let password = SymmetricKey(data: Array("p".utf8))

    static let limits: ImportLimits = {
        var limits = ImportLimits()
        limits.rowCount = 100
        limits.memory = 1 << 14
        limits.work = 1 << 15
        limits.rounds = 10
        return limits
    }()

    static let all: [[UInt8]] =
        [uris, aegis, twoFAS, andOTP, tokens, ente].map { [255] + Array($0.utf8) } + [
            [UInt8(place(of: .andOTPEncrypted))] + sealedAndOTP, [255] + Array(sealedAegis.utf8),
            [255] + Array(sealedTwoFAS.utf8),
        ]

    private static func place(of format: ImportFormat) -> Int { ImportFormat.allCases.firstIndex(of: format) ?? 0 }

    private static let uris = "# mine\notpauth://totp/A:b?secret=JBSWY3DP\r\n\"otpauth://steam/c?secret=AA\"\n"
    private static let content =
        #"{"version":3,"entries":[{"type":"totp","name":"a","issuer":"b","info":{"secret":"JBSWY3DP","algo":"SHA1","#
        + #""digits":6,"period":30}},{"type":"hotp","info":{"secret":"AA","algo":"SHA256","digits":7,"counter":5}}]}"#
    private static let aegis = #"{"version":1,"header":{"slots":null,"params":null},"db":\#(content)}"#
    private static let twoFAS =
        #"{"services":[{"name":"N","secret":"JBSWY3DP","otp":{"account":"a","label":"a","tokenType":"TOTP","#
        + #""digits":6,"period":30,"algorithm":"SHA512"}}],"schemaVersion":4}"#
    private static let andOTP =
        #"[{"secret":"JBSWY3DP======","label":"I - a","type":"TOTP","digits":6,"algorithm":"SHA1","period":30,"tags":[]}]"#
    private static let tokens =
        #"[{"secretKey":"SGVsbG8h3q2+7w==","service":"S","name":"\u00e9","timeInterval":30.0},{"key":[1,-2,255]}]"#

    /// Made with python3-nacl, password "p".
    private static let ente =
        #"{"version":1,"kdfParams":{"memLimit":8192,"opsLimit":1,"salt":"kGWHEgzllJc/BfsNRsOqQQ=="},"encry"#
        + #"ptedData":"L06/x6NA6RoIvs5L2w1IPocfL4sbyklbyZscjF/493OzeEmNNgJyXWhF7Bbp2Zb6BHdSP+uzgJQV1OTC9aTJB"#
        + #"9ceA/IhdqqHo4sNhUItqdTMrv35qYYexssak/BcpykensjchZ9VuQ==","encryptionNonce":"7mcBlM+tydfY3PpZ7tPI"#
        + #"fh5yFASiW9O2"}"#

    private static let sealedAegis: String = {
        let salt = [UInt8](repeating: 1, count: 32)
        let nonce = [UInt8](repeating: 2, count: 12)
        let master = [UInt8](repeating: 3, count: 32)
        let wrapping = must { () throws(CryptoKitError) in
            try KDF.Scrypt.deriveKey(
                from: Array("p".utf8),
                salt: salt,
                outputByteCount: 32,
                rounds: 2,
                blockSize: 1,
                parallelism: 1
            )
        }
        let wrapped = seal(master, nonce, wrapping)
        let box = seal(Array(content.utf8), nonce, SymmetricKey(data: master))
        func parameters(_ box: [UInt8]) -> String {
            #"{"nonce":"\#(Hex.encode(nonce))","tag":"\#(Hex.encode(box.suffix(16)))"}"#
        }
        return #"{"version":1,"header":{"slots":[{"type":1,"key":"\#(Hex.encode(wrapped.dropLast(16)))","#
            + #""key_params":\#(parameters(wrapped)),"n":2,"r":1,"p":1,"salt":"\#(Hex.encode(salt))"}],"#
            + #""params":\#(parameters(box))},"db":"\#(Base64.standard.encode(Array(box.dropLast(16))))"}"#
    }()

    /// Its rounds are more than the limits allow, so that it is read up to its key.
    private static let sealedTwoFAS: String = {
        let part = Base64.standard.encode([UInt8](repeating: 5, count: 20))
        let nonce = Base64.standard.encode([UInt8](repeating: 5, count: 12))
        return #"{"services":[],"schemaVersion":4,"servicesEncrypted":"\#(part):\#(part):\#(nonce)","reference":""}"#
    }()

    private static let sealedAndOTP: [UInt8] = {
        let salt = [UInt8](repeating: 1, count: 12)
        let nonce = [UInt8](repeating: 2, count: 12)
        let key = must { () throws(CryptoKitError) in
            try KDF.PBKDF2.deriveKey(
                from: Array("p".utf8),
                salt: salt,
                using: .insecureSHA1,
                outputByteCount: 32,
                rounds: 1
            )
        }
        return [0, 0, 0, 1] + salt + nonce + seal(Array(andOTP.utf8), nonce, key)
    }()

    private static func seal(_ content: [UInt8], _ nonce: [UInt8], _ key: SymmetricKey) -> [UInt8] {
        must { () throws(CryptoKitError) in
            let box = try AES.GCM.seal(content, using: key, nonce: AES.GCM.Nonce(data: nonce))
            return Array(box.ciphertext + box.tag)
        }
    }
}
