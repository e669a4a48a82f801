import Foundation
import MildamCrypto
import MildamKeychain
import MildamSecurity
import TestSupport
import Testing

/// A key in memory.
func makeKey(_ bits: Int = 256, _ more: [String: Any] = [:]) throws -> SecKey {
    var error: Unmanaged<CFError>?
    let parameters: [String: Any] = [
        kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits as String: bits,
    ]
    let key = unsafe SecKeyCreateRandomKey(parameters.merging(more) { $1 } as CFDictionary, &error)
    return try #require(key, unsafe "\(String(describing: error?.takeRetainedValue()))")
}

extension SecurityTests {
    @Suite("SecKey")
    struct Keys {
        private let message = Data("a message".utf8)

        @Test(arguments: [(256, 65), (384, 97), (521, 133)])
        func representationsHaveTheirSizesAndComeBack(_ bits: Int, _ size: Int) throws {
            let key = try makeKey(bits)
            let publicKey = try #require(SecKeyCopyPublicKey(key))
            let point = try required(SecKeyCopyExternalRepresentation(publicKey, nil) as Data?)
            let whole = try required(SecKeyCopyExternalRepresentation(key, nil) as Data?)
            #expect(point.count == size)
            #expect(whole.count == size + (size - 1) / 2)
            #expect(whole.prefix(size) == point)
            #expect(SecKeyGetBlockSize(key) == (size - 1) / 2)
            let kinds = [(point, kSecAttrKeyClassPublic, publicKey), (whole, kSecAttrKeyClassPrivate, key)]
            for (data, keyClass, expected) in kinds {
                let attributes: [String: Any] = [
                    kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeyClass as String: keyClass,
                    kSecAttrKeySizeInBits as String: bits,
                ]
                #expect(SecKeyCreateWithData(data as CFData, attributes as CFDictionary, nil) == expected)
                for count in stride(from: 0, to: data.count, by: 7) {
                    var error: Unmanaged<CFError>?
                    let cut = unsafe SecKeyCreateWithData(data.prefix(count), attributes as CFDictionary, &error)
                    #expect(cut == nil)
                    #expect(unsafe code(error) == errSecDecode)
                }
                for bit in stride(from: 0, to: data.count * 8, by: 5) {
                    var changed = data
                    changed[bit / 8] ^= 1 << (bit % 8)
                    #expect(SecKeyCreateWithData(changed, attributes as CFDictionary, nil) == nil)
                }
            }
            let wrongSize: [String: Any] = [
                kSecAttrKeyType as String: kSecAttrKeyTypeEC, kSecAttrKeyClass as String: kSecAttrKeyClassPublic,
                kSecAttrKeySizeInBits as String: bits + 1,
            ]
            #expect(SecKeyCreateWithData(point, wrongSize as CFDictionary, nil) == nil)
        }

        @Test func attributesSayWhatAKeyIs() throws {
            let key = try makeKey(384)
            let attributes = try #require(SecKeyCopyAttributes(key))
            #expect(attributes[kSecAttrKeyType] as? String == kSecAttrKeyTypeECSECPrimeRandom as String)
            #expect(attributes[kSecAttrKeyClass] as? String == kSecAttrKeyClassPrivate as String)
            #expect(attributes[kSecAttrKeySizeInBits] as? Int == 384)
            #expect(attributes[kSecAttrCanSign] as? Bool == true)
            #expect(attributes[kSecAttrCanVerify] as? Bool == false)
            let publicKey = try #require(SecKeyCopyPublicKey(key))
            let point = try required(SecKeyCopyExternalRepresentation(publicKey, nil) as Data?)
            #expect(attributes[kSecAttrApplicationLabel] as? Data == Data(Insecure.SHA1.hash(data: point)))
            #expect(SecKeyCopyPublicKey(publicKey) == publicKey)
        }

        @Test func aDescriptionShowsNothingOfTheKey() throws {
            let key = try makeKey()
            let whole = try required(SecKeyCopyExternalRepresentation(key, nil) as Data?)
            var shown = "\(key)"
            dump(key, to: &shown)
            #expect(shown.contains("SecKey (P-256, private)"))
            #expect(!shown.contains("\(whole[65]), \(whole[66])"))
            #expect(shown.utf8.count < 80, "\(shown)")
        }

        static let encryptions: [SecKeyAlgorithm] = [
            .eciesEncryptionStandardX963SHA224AESGCM, .eciesEncryptionStandardX963SHA256AESGCM,
            .eciesEncryptionStandardX963SHA384AESGCM, .eciesEncryptionStandardX963SHA512AESGCM,
            .eciesEncryptionCofactorX963SHA256AESGCM, .eciesEncryptionStandardVariableIVX963SHA256AESGCM,
            .eciesEncryptionCofactorVariableIVX963SHA512AESGCM,
        ]

        @Test(arguments: encryptions, [256, 384, 521])
        func whatIsEncryptedIsDecrypted(_ algorithm: SecKeyAlgorithm, _ bits: Int) throws {
            let key = try makeKey(bits)
            let publicKey = try #require(SecKeyCopyPublicKey(key))
            #expect(SecKeyIsAlgorithmSupported(publicKey, .encrypt, algorithm))
            #expect(SecKeyIsAlgorithmSupported(key, .decrypt, algorithm))
            #expect(!SecKeyIsAlgorithmSupported(key, .encrypt, algorithm))
            let sealed = try required(SecKeyCreateEncryptedData(publicKey, algorithm, message as CFData, nil))
            #expect(SecKeyCreateDecryptedData(key, algorithm, sealed, nil) as Data? == message)
            var error: Unmanaged<CFError>?
            #expect(unsafe SecKeyCreateDecryptedData(try makeKey(bits), algorithm, sealed, &error) == nil)
            #expect(unsafe code(error) == errSecDecode)
            var changed = sealed
            changed[changed.count - 1] ^= 1
            #expect(unsafe SecKeyCreateDecryptedData(key, algorithm, changed, &error) == nil)
            #expect(unsafe code(error) == errSecDecode)
            #expect(unsafe SecKeyCreateEncryptedData(key, algorithm, message, &error) == nil)
            #expect(unsafe code(error) == errSecParam)
            #expect(unsafe SecKeyCreateDecryptedData(publicKey, algorithm, sealed, &error) == nil)
            #expect(unsafe code(error) == errSecParam)
        }

        @Test func aSealedMessageIsOneOfECIES() throws {
            let own = P256.KeyAgreement.PrivateKey()
            let attributes: [String: Any] = [
                kSecAttrKeyType as String: kSecAttrKeyTypeEC, kSecAttrKeyClass as String: kSecAttrKeyClassPublic,
            ]
            let point = own.publicKey.x963Representation
            let publicKey = try required(SecKeyCreateWithData(point, attributes as CFDictionary, nil))
            let algorithm = SecKeyAlgorithm.eciesEncryptionStandardVariableIVX963SHA256AESGCM
            let sealed = try required(SecKeyCreateEncryptedData(publicKey, algorithm, message, nil))
            let opened = try ECIES.open(
                ECIES.Packet<P256>(combined: sealed),
                with: own,
                parameters: ECIES.Parameters(hash: .sha256, iv: .derived)
            )
            #expect(unsafe opened.withUnsafeBytes { unsafe Data($0) } == message)
        }

        static let signatures: [(SecKeyAlgorithm, SecKeyAlgorithm)] = [
            (.ecdsaSignatureMessageX962SHA224, .ecdsaSignatureDigestX962SHA224),
            (.ecdsaSignatureMessageX962SHA256, .ecdsaSignatureDigestX962SHA256),
            (.ecdsaSignatureMessageX962SHA384, .ecdsaSignatureDigestX962SHA384),
            (.ecdsaSignatureMessageX962SHA512, .ecdsaSignatureDigestX962SHA512),
            (.ecdsaSignatureMessageRFC4754SHA256, .ecdsaSignatureDigestRFC4754SHA256),
        ]

        @Test(arguments: signatures, [256, 384, 521])
        func whatIsSignedIsVerified(_ algorithms: (SecKeyAlgorithm, SecKeyAlgorithm), _ bits: Int) throws {
            let (ofMessage, ofDigest) = algorithms
            let key = try makeKey(bits)
            let publicKey = try #require(SecKeyCopyPublicKey(key))
            let digests: [Data] = [
                Data(SHA224.hash(data: message)), Data(SHA256.hash(data: message)), Data(SHA384.hash(data: message)),
                Data(SHA512.hash(data: message)),
            ]
            let name = ofMessage.rawValue.split(separator: ":").last ?? ""
            let digest = try #require(digests.first { name == "SHA\($0.count * 8)" })
            #expect(SecKeyIsAlgorithmSupported(key, .sign, ofMessage))
            #expect(SecKeyIsAlgorithmSupported(publicKey, .verify, ofMessage))
            let signature = try required(SecKeyCreateSignature(key, ofMessage, message as CFData, nil) as Data?)
            #expect(verifies(publicKey, ofMessage, message, signature))
            #expect(verifies(publicKey, ofDigest, digest, signature))
            let again = try required(SecKeyCreateSignature(key, ofDigest, digest, nil) as Data?)
            #expect(verifies(publicKey, ofMessage, message, again))
            var error: Unmanaged<CFError>?
            #expect(unsafe !SecKeyVerifySignature(publicKey, ofMessage, message + [0], signature, &error))
            #expect(unsafe code(error) == errSecVerifyFailed)
            #expect(unsafe !SecKeyVerifySignature(publicKey, ofMessage, message, Data(), &error))
            #expect(unsafe code(error) == errSecVerifyFailed)
            #expect(unsafe SecKeyCreateSignature(key, ofDigest, message, &error) == nil)
            #expect(unsafe code(error) == errSecParam)
            #expect(unsafe SecKeyCreateSignature(publicKey, ofMessage, message, &error) == nil)
            #expect(unsafe code(error) == errSecParam)
        }

        @Test func aSignatureIsOneOfECDSA() throws {
            let own = P256.Signing.PrivateKey()
            let attributes: [String: Any] = [
                kSecAttrKeyType as String: kSecAttrKeyTypeEC, kSecAttrKeyClass as String: kSecAttrKeyClassPrivate,
            ]
            let key = SecKeyCreateWithData(own.x963Representation, attributes as CFDictionary, nil)
            let signing = try #require(key)
            let der = try required(SecKeyCreateSignature(signing, .ecdsaSignatureMessageX962SHA256, message, nil))
            let raw = SecKeyCreateSignature(signing, .ecdsaSignatureMessageRFC4754SHA256, message, nil)
            #expect(own.publicKey.isValidSignature(try .init(derRepresentation: der), for: message))
            #expect(own.publicKey.isValidSignature(try .init(rawRepresentation: #require(raw)), for: message))
        }

        @Test(arguments: [256, 384, 521])
        func bothSidesAgree(_ bits: Int) throws {
            let (one, other) = (try makeKey(bits), try makeKey(bits))
            let publicKeys = try [one, other].map { try #require(SecKeyCopyPublicKey($0)) }
            func agree(_ algorithm: SecKeyAlgorithm, _ parameters: [String: Any]) -> [Data?] {
                [(one, publicKeys[1]), (other, publicKeys[0])].map { own, theirs in
                    SecKeyCopyKeyExchangeResult(own, algorithm, theirs, parameters as CFDictionary, nil) as Data?
                }
            }
            let plain = agree(.ecdhKeyExchangeStandard, [:])
            #expect(plain[0]?.count == (bits + 7) / 8)
            #expect(plain[0] == plain[1])
            #expect(agree(.ecdhKeyExchangeCofactor, [:]) == plain)
            let parameters: [String: Any] = [
                SecKeyKeyExchangeParameter.requestedSize.rawValue as String: 48,
                SecKeyKeyExchangeParameter.sharedInfo.rawValue as String: Data("info".utf8),
            ]
            let derived = agree(.ecdhKeyExchangeStandardX963SHA256, parameters)
            #expect(derived[0]?.count == 48)
            #expect(derived[0] == derived[1])
            #expect(agree(.ecdhKeyExchangeStandardX963SHA512, parameters)[0] != derived[0])
            let other48: [String: Any] = [SecKeyKeyExchangeParameter.requestedSize.rawValue as String: 48]
            #expect(agree(.ecdhKeyExchangeStandardX963SHA256, other48)[0] != derived[0])
            #expect(agree(.ecdhKeyExchangeStandardX963SHA256, [:]) == [nil, nil])
            let tooLong: [String: Any] = [SecKeyKeyExchangeParameter.requestedSize.rawValue as String: 65_537]
            #expect(agree(.ecdhKeyExchangeStandardX963SHA256, tooLong) == [nil, nil])
            let foreign = try #require(SecKeyCopyPublicKey(try makeKey(bits == 256 ? 384 : 256)))
            var error: Unmanaged<CFError>?
            #expect(unsafe SecKeyCopyKeyExchangeResult(one, .ecdhKeyExchangeStandard, foreign, [:], &error) == nil)
            #expect(unsafe code(error) == errSecParam)
        }

        @Test func whatIsNotDoneIsSaidToBeUnsupported() throws {
            let key = try makeKey()
            let names = [
                "algid:encrypt:ECIES:ECDH:KDFX963:SHA1:AESGCM", "algid:sign:ECDSA:message-X962:SHA1",
                "algid:sign:RSA:message-PSS:SHA256:SHA256:32", "algid:encrypt:RSA:OAEP:SHA256",
                "algid:keyexchange:ECDH:x", "",
                "algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM:", "algid:sign:ECDSA:digest-X962",
            ]
            for name in names {
                let algorithm = SecKeyAlgorithm(rawValue: name as CFString)
                for operation in [SecKeyOperationType.sign, .verify, .encrypt, .decrypt, .keyExchange] {
                    #expect(!SecKeyIsAlgorithmSupported(key, operation, algorithm), "\(name)")
                }
                var error: Unmanaged<CFError>?
                #expect(unsafe SecKeyCreateSignature(key, algorithm, message, &error) == nil)
                #expect(unsafe code(error) == errSecParam)
            }
            let sizes: [(Any, OSStatus)] = [(255, errSecKeySizeNotAllowed), (2048, errSecKeySizeNotAllowed)]
            for (size, expected) in sizes {
                var error: Unmanaged<CFError>?
                let parameters: [String: Any] = [kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: size]
                #expect(unsafe SecKeyCreateRandomKey(parameters as CFDictionary, &error) == nil)
                #expect(unsafe code(error) == expected)
            }
            var error: Unmanaged<CFError>?
            #expect(unsafe SecKeyCreateRandomKey([kSecAttrKeyType: kSecAttrKeyTypeRSA], &error) == nil)
            #expect(unsafe code(error) == errSecUnimplemented)
            #expect(unsafe SecKeyCreateRandomKey([:], &error) == nil)
            #expect(unsafe code(error) == errSecParam)
        }

        @Test func anErrorSaysWhyAndNothingElse() throws {
            let key = try makeKey()
            var error: Unmanaged<CFError>?
            #expect(unsafe SecKeyCreateSignature(key, .ecdhKeyExchangeStandard, message, &error) == nil)
            let found = try #require(unsafe error?.takeRetainedValue())
            #expect(CFErrorGetDomain(found) == kCFErrorDomainOSStatus)
            #expect(CFErrorGetCode(found) == CFIndex(errSecParam))
            #expect(
                CFErrorCopyUserInfo(found)[kCFErrorLocalizedDescriptionKey] as? String == CFErrorCopyDescription(found)
            )
            #expect("\(found as any Error)".contains("-50"))
        }
    }
}
