import Foundation
import MildamCrypto
import MildamEnclave
import MildamKeychain
import MildamSecurity
import TestSupport
import Testing

extension SecurityTests {
    /// Keys that commands keep by name, and keys that `SecKeyCreateRandomKey` keeps by tag, are of one form.
    @Suite("Keys of an enclave by name")
    struct EnclaveKeyStoreTests {
        private let enclave: SoftwareEnclave
        private let pin: EnclavePIN

        init() throws {
            enclave = SoftwareEnclave(costs: try Argon2Costs(memoryKiB: 19_456, passes: 2))
            pin = try EnclavePIN(SecretBytes(copying: Array("1234".utf8)))
        }

        private func fixture() async throws -> Fixture { try await Fixture(enclave: enclave, pin: pin) }

        private func blob(_ purpose: EnclaveKeyPurpose = .keyAgreement) async throws -> EnclaveKeyBlob {
            try await enclave.makeKey(purpose, options: EnclaveKeyOptions(pin: pin))
        }

        private func query(_ name: String) -> [String: Any] {
            [
                kSecClass as String: kSecClassKey, kSecAttrApplicationTag as String: Data(name.utf8),
                kSecAttrTokenID as String: kSecAttrTokenIDSecureEnclave,
            ]
        }

        @Test func aKeptKeyIsFoundByItsTagAndUsed() async throws {
            let fixture = try await fixture()
            let store = EnclaveKeyStore(fixture.keychain)
            try store.keep(try await blob(), as: "tokens")
            let key = find(query("tokens"), [kSecReturnRef as String: true]).item as! SecKey
            let publicKey = try #require(SecKeyCopyPublicKey(key))
            let algorithm = SecKeyAlgorithm.eciesEncryptionStandardX963SHA256AESGCM
            let message = Data("a refresh token".utf8)
            let sealed = try required(SecKeyCreateEncryptedData(publicKey, algorithm, message, nil))
            #expect(SecKeyCreateDecryptedData(key, algorithm, sealed, nil) == message)
            let attributes = find(query("tokens"), [kSecReturnAttributes as String: true]).item as? [String: Any]
            #expect(attributes?[kSecAttrLabel as String] as? String == "tokens")
            // The same attributes as the other way, but for the name and the moments.
            let other = try makeKey(
                256,
                [
                    kSecAttrTokenID as String: kSecAttrTokenIDSecureEnclave,
                    kSecPrivateKeyAttrs as String: [
                        kSecAttrIsPermanent as String: true, kSecAttrLabel as String: "other",
                        kSecAttrApplicationTag as String: Data("other".utf8),
                    ] as [String: Any],
                ]
            )
            let others = find(query("other"), [kSecReturnAttributes as String: true]).item as? [String: Any]
            let (ours, theirs) = (try #require(attributes), try #require(others))
            #expect(Set(ours.keys) == Set(theirs.keys))
            let own = [kSecAttrLabel, kSecAttrApplicationTag, kSecAttrApplicationLabel] as [String]
            let moments = [kSecAttrCreationDate, kSecAttrModificationDate] as [String]
            for key in ours.keys where !(own + moments).contains(key) && key != kSecAttrAccessControl as String {
                #expect("\(String(describing: ours[key]))" == "\(String(describing: theirs[key]))", "\(key)")
            }
            withExtendedLifetime((fixture, other)) {}
        }

        @Test func aKeyThatSecKeyKeepsIsFoundByItsName() async throws {
            let fixture = try await fixture()
            let made = try makeKey(
                256,
                [
                    kSecAttrTokenID as String: kSecAttrTokenIDSecureEnclave,
                    kSecPrivateKeyAttrs as String: [
                        kSecAttrIsPermanent as String: true, kSecAttrApplicationTag as String: Data("com.a".utf8),
                    ] as [String: Any],
                ]
            )
            // Not an enclave's, and so none of these.
            _ = try makeKey(
                256,
                [
                    kSecPrivateKeyAttrs as String: [
                        kSecAttrIsPermanent as String: true, kSecAttrApplicationTag as String: Data("com.b".utf8),
                    ] as [String: Any]
                ]
            )
            let store = EnclaveKeyStore(fixture.keychain)
            #expect(try store.all().map(\.name) == ["com.a"])
            let blob = try store.find("com.a").blob()
            let point = try required(SecKeyCopyExternalRepresentation(required(SecKeyCopyPublicKey(made)), nil))
            #expect(blob.publicKey.x963Representation == point as Data)
            #expect(throws: EnclaveKeyError.nameTaken(name: "com.a")) { try store.check("com.a") }
            try store.remove(try store.find("com.a"))
            #expect(find(query("com.a")).status == errSecItemNotFound)
            withExtendedLifetime(fixture) {}
        }

        @Test func aNameIsOneKeys() async throws {
            let fixture = try await fixture()
            let store = EnclaveKeyStore(fixture.keychain)
            try store.keep(try await blob(), as: "b")
            try store.keep(try await blob(.signing), as: "a")
            #expect(try store.all().map(\.name) == ["a", "b"])
            let second = try await blob()
            #expect(throws: EnclaveKeyError.nameTaken(name: "a")) { try store.keep(second, as: "a") }
            #expect(try store.find("a").blob().purpose == .signing, "the first stays")
            #expect(throws: EnclaveKeyError.noKey(name: "c")) { _ = try store.find("c") }
            for name in ["", "a\nb", "\u{1B}[2J", String(repeating: "a", count: 256)] {
                #expect(throws: EnclaveKeyError.invalidName) { try store.keep(second, as: name) }
            }
            #expect(try store.all().count == 2)
            withExtendedLifetime(fixture) {}
        }

        /// A keychain whose first look does not see what another program is just adding.
        private struct Blind: Keychain {
            let keychain: LocalKeychain
            let looks = Counter()

            final class Counter: Sendable {
                private let lock = NSLock()
                private nonisolated(unsafe) var count = 0
                func next() -> Int {
                    lock.lock()
                    defer { lock.unlock() }
                    unsafe count += 1
                    return unsafe count
                }
            }

            func add(_ item: NewItem) throws(KeychainError) -> ItemReference { try keychain.add(item) }
            func copyMatching(
                _ query: KeychainQuery,
                limit: KeychainQuery.Limit,
                returningSecrets: Bool
            ) throws(KeychainError) -> [KeychainItem] {
                if looks.next() == 1 { throw .itemNotFound }
                return try keychain.copyMatching(query, limit: limit, returningSecrets: returningSecrets)
            }
            func update(_ query: KeychainQuery, _ change: ItemChange) throws(KeychainError) -> Int {
                try keychain.update(query, change)
            }
            func delete(_ query: KeychainQuery) throws(KeychainError) -> Int { try keychain.delete(query) }
            func set(_ item: NewItem) throws(KeychainError) -> ItemReference { try keychain.set(item) }
        }

        @Test func ofTwoAtOnceTheFirstStays() async throws {
            let fixture = try await fixture()
            let first = try await blob()
            try EnclaveKeyStore(fixture.keychain).keep(first, as: "a")
            let late = EnclaveKeyStore(Blind(keychain: fixture.keychain))
            let second = try await blob()
            #expect(throws: EnclaveKeyError.nameTaken(name: "a")) { try late.keep(second, as: "a") }
            #expect(try EnclaveKeyStore(fixture.keychain).find("a").blob() == first)
            withExtendedLifetime(fixture) {}
        }

        @Test func whatIsNoBlobIsNamedAndKept() async throws {
            let fixture = try await fixture()
            let store = EnclaveKeyStore(fixture.keychain)
            try store.keep(try await blob(), as: "a")
            try store.keep(try await blob(), as: "b")
            let query = KeychainQuery(try store.find("a").reference)
            try fixture.keychain.update(query, ItemChange(secret: SecretValue(text: "no key")))
            let keys = try store.all()
            #expect(keys.map(\.name) == ["a", "b"])
            #expect(throws: EnclaveKeyError.unusable(name: "a", .damagedBlob)) { _ = try keys[0].blob() }
            _ = try keys[1].blob()
            try store.remove(keys[0])
            #expect(try store.all().map(\.name) == ["b"])
            withExtendedLifetime(fixture) {}
        }

        @Test func aTagThatIsNoTextHasANameToo() async throws {
            let fixture = try await fixture()
            let store = EnclaveKeyStore(fixture.keychain)
            try store.keep(try await blob(), as: "a")
            let query = KeychainQuery(try store.find("a").reference)
            try fixture.keychain.update(query, ItemChange([.applicationTag: .data([0xFF, 0x00])]))
            #expect(try store.find("ff00").reference == query.reference)
            try fixture.keychain.update(query, ItemChange([.applicationTag: nil]))
            #expect(try store.find("a").reference == query.reference, "its label")
            withExtendedLifetime(fixture) {}
        }

        @Test(.enabled(if: softwareTPMIsExpected)) func aChipsKeyStaysOnThisDevice() async throws {
            let fixture = try await fixture()
            let tpm = try SoftwareTPM()
            let chip = TPMEnclave(try TPMAddress(tpm.address))
            let store = EnclaveKeyStore(fixture.keychain)
            try store.keep(try await chip.makeKey(.signing, options: EnclaveKeyOptions()), as: "chip")
            try store.keep(try await blob(), as: "software")
            func accessibility(_ name: String) throws -> Accessibility {
                try fixture.keychain.item(KeychainQuery(store.find(name).reference)).accessibility
            }
            #expect(try accessibility("chip") == .whenUnlockedThisDeviceOnly)
            #expect(try accessibility("software") == .whenUnlocked)
        }
    }
}
