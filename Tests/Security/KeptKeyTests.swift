import Foundation
import MildamCrypto
import MildamEnclave
import MildamKeychain
import MildamSecurity
import TestSupport
import Testing

extension SecurityTests {
    @Suite("Keys in the keychain and in an enclave")
    struct KeptKeys {
        private let tag = Data("com.example.key".utf8)
        private let algorithm = SecKeyAlgorithm.eciesEncryptionStandardX963SHA256AESGCM

        private var query: [String: Any] {
            [
                kSecClass as String: kSecClassKey, kSecAttrApplicationTag as String: tag,
                kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom,
            ]
        }

        private func permanent(_ more: [String: Any] = [:]) -> [String: Any] {
            [
                kSecPrivateKeyAttrs as String: more.merging([
                    kSecAttrApplicationTag as String: tag, kSecAttrIsPermanent as String: true,
                ]) { $1 }
            ]
        }

        @Test func aKeyIsMadeOnceAndFoundByItsTag() async throws {
            let fixture = try await Fixture()
            #expect(find(query, [kSecReturnRef as String: true]).status == errSecItemNotFound)
            let made = try makeKey(256, permanent([kSecAttrLabel as String: "a label"]))
            let found = find(query, [kSecReturnRef as String: true]).item as! SecKey?
            #expect(found == made)
            let attributes = find(query, [kSecReturnAttributes as String: true]).item as? [String: Any]
            let publicKey = try #require(SecKeyCopyPublicKey(made))
            let point = try required(SecKeyCopyExternalRepresentation(publicKey, nil) as Data?)
            #expect(attributes?[kSecAttrApplicationLabel as String] as? Data == Data(Insecure.SHA1.hash(data: point)))
            #expect(attributes?[kSecAttrKeyClass as String] as? Int == 1)
            #expect(attributes?[kSecAttrKeyType as String] as? Int == 73)
            #expect(attributes?[kSecAttrKeySizeInBits as String] as? Int == 256)
            #expect(attributes?[kSecAttrIsPermanent as String] as? Bool == true)
            #expect(attributes?[kSecAttrLabel as String] as? String == "a label")
            let data = find(query, [kSecReturnData as String: true]).item as? Data
            #expect(data == SecKeyCopyExternalRepresentation(made, nil))
            #expect(data?.count == 97)
            #expect(find([kSecClass as String: kSecClassKey, kSecValueRef as String: made]).status == errSecSuccess)
            #expect(SecItemDelete([kSecValueRef as String: made]) == errSecSuccess)
            #expect(find(query).status == errSecItemNotFound)
            withExtendedLifetime(fixture) {}
        }

        @Test func aKeyThatIsNotPermanentIsNotKept() async throws {
            let fixture = try await Fixture()
            _ = try makeKey(256, [kSecPrivateKeyAttrs as String: [kSecAttrApplicationTag as String: tag]])
            #expect(find(query).status == errSecItemNotFound)
            withExtendedLifetime(fixture) {}
        }

        @Test func thePublicHalfIsKeptWhenItIsAskedFor() async throws {
            let fixture = try await Fixture()
            let key = try makeKey(
                521,
                permanent().merging([
                    kSecPublicKeyAttrs as String: [
                        kSecAttrApplicationTag as String: tag, kSecAttrIsPermanent as String: true,
                    ] as [String: Any]
                ]) { $1 }
            )
            let publicQuery = query.merging([
                kSecAttrKeyClass as String: kSecAttrKeyClassPublic, kSecReturnRef as String: true,
            ]) { $1 }
            #expect(find(publicQuery).item as! SecKey? == SecKeyCopyPublicKey(key))
            let all = find(query, [kSecMatchLimit as String: kSecMatchLimitAll, kSecReturnRef as String: true]).item
            #expect((all as? [SecKey])?.count == 2)
            withExtendedLifetime(fixture) {}
        }

        @Test func aKeyIsAddedAsARefOrAsData() async throws {
            let fixture = try await Fixture()
            let key = try makeKey(384)
            let asRef: [String: Any] = [
                kSecClass as String: kSecClassKey, kSecValueRef as String: key, kSecAttrApplicationTag as String: tag,
            ]
            #expect(SecItemAdd(asRef as CFDictionary, nil) == errSecSuccess)
            #expect(SecItemAdd(asRef as CFDictionary, nil) == errSecDuplicateItem)
            let data = try required(SecKeyCopyExternalRepresentation(key, nil))
            let asData: [String: Any] = [
                kSecClass as String: kSecClassKey, kSecValueData as String: data,
                kSecAttrApplicationTag as String: tag, kSecAttrKeyType as String: kSecAttrKeyTypeEC,
                kSecAttrKeyClass as String: kSecAttrKeyClassPrivate,
            ]
            #expect(SecItemAdd(asData as CFDictionary, nil) == errSecDuplicateItem, "it is the same key")
            let both = asRef.merging([kSecValueData as String: data]) { $1 }
            #expect(SecItemAdd(both as CFDictionary, nil) == errSecParam)
            #expect(SecItemDelete(query as CFDictionary) == errSecSuccess)
            #expect(SecItemAdd(asData as CFDictionary, nil) == errSecSuccess)
            #expect(find(query, [kSecReturnRef as String: true]).item as! SecKey? == key)
            let symmetric: [String: Any] = [
                kSecClass as String: kSecClassKey, kSecValueData as String: Data(repeating: 7, count: 32),
                kSecAttrApplicationTag as String: "symmetric", kSecAttrKeyClass as String: kSecAttrKeyClassSymmetric,
            ]
            #expect(SecItemAdd(symmetric as CFDictionary, nil) == errSecSuccess)
            let found: [String: Any] = [
                kSecClass as String: kSecClassKey, kSecAttrApplicationTag as String: "symmetric",
            ]
            #expect((find(found, [kSecReturnData as String: true]).item as? Data)?.count == 32)
            #expect(find(found, [kSecReturnRef as String: true]).status == errSecUnimplemented)
            withExtendedLifetime(fixture) {}
        }

        @Test func withoutAnEnclaveItsKeysAreNotMade() async throws {
            let fixture = try await Fixture()
            let parameters: [String: Any] = [
                kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: 256,
                kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
            ]
            var error: Unmanaged<CFError>?
            #expect(unsafe SecKeyCreateRandomKey(parameters as CFDictionary, &error) == nil)
            #expect(unsafe code(error) == errSecUnimplemented)
            let foreign = parameters.merging([kSecAttrTokenID: "com.example.token"]) { $1 }
            #expect(unsafe SecKeyCreateRandomKey(foreign as CFDictionary, &error) == nil)
            #expect(unsafe code(error) == errSecUnimplemented)
            let claimed: [String: Any] = [
                kSecClass: kSecClassKey, kSecAttrTokenID: kSecAttrTokenIDSecureEnclave, kSecValueData: Data([1]),
            ]
            #expect(SecItemAdd(claimed as CFDictionary, nil) == errSecParam)
            withExtendedLifetime(fixture) {}
        }

        private func softwareFixture() async throws -> Fixture {
            let costs = try Argon2Costs(memoryKiB: 19_456, passes: 2)
            let pin = try EnclavePIN(SecretBytes(copying: Array("1234".utf8)))
            return try await Fixture(enclave: SoftwareEnclave(costs: costs), pin: pin)
        }

        private func enclaveKey(_ more: [String: Any] = [:]) throws -> SecKey {
            try makeKey(256, permanent(more).merging([kSecAttrTokenID as String: kSecAttrTokenIDSecureEnclave]) { $1 })
        }

        @Test func anEnclavesKeyDecryptsAndNeverLeaves() async throws {
            let fixture = try await softwareFixture()
            _ = try enclaveKey()
            let key = find(query, [kSecReturnRef as String: true]).item as! SecKey
            let publicKey = try #require(SecKeyCopyPublicKey(key))
            let message = Data("a refresh token".utf8)
            let sealed = try required(SecKeyCreateEncryptedData(publicKey, algorithm, message, nil))
            #expect(SecKeyCreateDecryptedData(key, algorithm, sealed, nil) == message)
            var error: Unmanaged<CFError>?
            #expect(unsafe SecKeyCopyExternalRepresentation(key, &error) == nil)
            #expect(unsafe code(error) == errSecUnimplemented)
            let attributes = find(query, [kSecReturnAttributes as String: true]).item as? [String: Any]
            #expect(attributes?[kSecAttrTokenID as String] as? String == kSecAttrTokenIDSecureEnclave as String)
            let blob = try #require(find(query, [kSecReturnData as String: true]).item as? Data)
            #expect(blob.starts(with: Array("MEKB".utf8)), "what the keychain holds is of use to the enclave only")
            let ephemeral = try makeKey()
            let theirs = try #require(SecKeyCopyPublicKey(ephemeral))
            let one = SecKeyCopyKeyExchangeResult(key, .ecdhKeyExchangeStandard, theirs, [:], nil)
            let other = SecKeyCopyKeyExchangeResult(ephemeral, .ecdhKeyExchangeStandard, publicKey, [:], nil)
            #expect(one == other)
            #expect(one != nil)
            #expect(!SecKeyIsAlgorithmSupported(key, .sign, .ecdsaSignatureMessageX962SHA256))
            #expect(unsafe SecKeyCreateSignature(key, .ecdsaSignatureMessageX962SHA256, message, &error) == nil)
            #expect(unsafe code(error) == errSecUnimplemented)
            withExtendedLifetime(fixture) {}
        }

        @Test func anEnclavesKeySignsWhenItIsMadeTo() async throws {
            let fixture = try await softwareFixture()
            _ = try enclaveKey([kSecAttrCanSign as String: true])
            let key = find(query, [kSecReturnRef as String: true]).item as! SecKey
            let publicKey = try #require(SecKeyCopyPublicKey(key))
            let message = Data("a message".utf8)
            for algorithm in [SecKeyAlgorithm.ecdsaSignatureMessageX962SHA256, .ecdsaSignatureMessageRFC4754SHA256] {
                #expect(SecKeyIsAlgorithmSupported(key, .sign, algorithm))
                let signature = try required(SecKeyCreateSignature(key, algorithm, message, nil))
                #expect(verifies(publicKey, algorithm, message, signature))
            }
            #expect(!SecKeyIsAlgorithmSupported(key, .sign, .ecdsaSignatureMessageX962SHA384))
            #expect(SecKeyCreateSignature(key, .ecdsaSignatureMessageX962SHA384, message, nil) == nil)
            #expect(!SecKeyIsAlgorithmSupported(key, .decrypt, algorithm))
            withExtendedLifetime(fixture) {}
        }

        @Test func anAccessControlAsksForTheEnclavesPIN() async throws {
            let fixture = try await softwareFixture()
            let protection = kSecAttrAccessibleWhenUnlockedThisDeviceOnly
            func control(_ flags: SecAccessControlCreateFlags) throws -> [String: Any] {
                let made = SecAccessControlCreateWithFlags(kCFAllocatorDefault, protection, flags, nil)
                return [kSecAttrAccessControl as String: try #require(made)]
            }
            let key = try enclaveKey(try control([.privateKeyUsage, .userPresence]))
            let attributes = find(query, [kSecReturnAttributes as String: true]).item as? [String: Any]
            #expect(attributes?[kSecAttrAccessible as String] as? String == protection as String)
            let publicKey = try #require(SecKeyCopyPublicKey(key))
            let sealed = try required(SecKeyCreateEncryptedData(publicKey, algorithm, Data([1]), nil))
            let enclave = SoftwareEnclave()
            let wrong = try EnclavePIN(SecretBytes(copying: Array("4321".utf8)))
            for pin in [wrong, nil] {
                SecKeychain.use(fixture.keychain, enclave: enclave) { pin }
                var error: Unmanaged<CFError>?
                #expect(unsafe SecKeyCreateDecryptedData(key, algorithm, sealed, &error) == nil)
                #expect(unsafe code(error) == errSecAuthFailed)
            }
            let parameters: [String: Any] = [
                kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
            ]
            let refused: [(SecAccessControlCreateFlags, OSStatus)] = [
                ([.privateKeyUsage, .userPresence], errSecAuthFailed), ([.biometryAny], errSecUnimplemented),
            ]
            for (flags, expected) in refused {
                let asking = parameters.merging([kSecPrivateKeyAttrs: try control(flags)]) { $1 }
                var error: Unmanaged<CFError>?
                #expect(unsafe SecKeyCreateRandomKey(asking as CFDictionary, &error) == nil)
                #expect(unsafe code(error) == expected)
            }
            let inMemory: [String: Any] = [
                kSecAttrKeyType: kSecAttrKeyTypeEC, kSecPrivateKeyAttrs: try control([.userPresence]),
            ]
            var error: Unmanaged<CFError>?
            #expect(unsafe SecKeyCreateRandomKey(inMemory as CFDictionary, &error) == nil)
            #expect(unsafe code(error) == errSecUnimplemented, "nothing would ask")
        }

        @Test(.timeLimit(.minutes(1))) func manyCallsAtOnceDoNotWaitForEachOther() async throws {
            let fixture = try await softwareFixture()
            let key = try enclaveKey()
            let publicKey = try #require(SecKeyCopyPublicKey(key))
            let sealed = try required(SecKeyCreateEncryptedData(publicKey, algorithm, Data([7]), nil))
            let algorithm = algorithm
            // More tasks than there are threads for tasks: each blocks one while it waits.
            let opened = await withTaskGroup(of: Data?.self) { group in
                for _ in 0..<8 { group.addTask { SecKeyCreateDecryptedData(key, algorithm, sealed, nil) } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(opened == Array(repeating: Data([7]), count: 8))
            withExtendedLifetime(fixture) {}
        }

        @Test func aTPMsKeyNeedsNoPIN() async throws {
            let tpm = try SoftwareTPM()
            let fixture = try await Fixture(enclave: TPMEnclave(try TPMAddress(tpm.address)))
            let key = try enclaveKey()
            let publicKey = try #require(SecKeyCopyPublicKey(key))
            let sealed = try required(SecKeyCreateEncryptedData(publicKey, algorithm, Data([7]), nil))
            #expect(SecKeyCreateDecryptedData(key, algorithm, sealed, nil) == Data([7]))
            tpm.kill()
            var error: Unmanaged<CFError>?
            #expect(unsafe SecKeyCreateDecryptedData(key, algorithm, sealed, &error) == nil)
            #expect(unsafe code(error) == errSecNotAvailable)
            withExtendedLifetime(fixture) {}
        }
    }
}
