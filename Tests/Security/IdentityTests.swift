import Foundation
import MildamCrypto
import MildamKeychain
import MildamSecurity
import TestSupport
import Testing

/// A private key and certificates of it, made by the program `openssl`.
struct MadeIdentity {
    let key: SecKey
    let certificates: [SecCertificate]

    init(_ names: String...) throws {
        let folder = try TemporaryFolder()
        func openssl(_ arguments: String...) throws -> String {
            let result = try Program.run("openssl", arguments, folder: folder.path)
            guard result.status == 0 else { throw PeerError(description: "\(result)") }
            return result.output
        }
        _ = try openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "key.pem")
        certificates = try names.map { name in
            _ = try openssl(
                "req",
                "-x509",
                "-new",
                "-key",
                "key.pem",
                "-subj",
                "/O=Example/CN=\(name)",
                "-days",
                "3",
                "-outform",
                "DER",
                "-out",
                "certificate.der",
                "-sha256"
            )
            let der = try Data(contentsOf: URL(fileURLWithPath: folder.file("certificate.der")))
            return try #require(SecCertificateCreateWithData(nil, der as CFData))
        }
        // The scalar and the point: the end of the key in SEC 1's DER is the point.
        _ = try openssl("ec", "-in", "key.pem", "-outform", "DER", "-out", "key.der")
        let der = try Data(contentsOf: URL(fileURLWithPath: folder.file("key.der")))
        let attributes: [String: Any] = [
            kSecAttrKeyType as String: kSecAttrKeyTypeEC, kSecAttrKeyClass as String: kSecAttrKeyClassPrivate,
        ]
        let whole = der.suffix(65) + der[7..<39]
        key = try required(SecKeyCreateWithData(Data(whole), attributes as CFDictionary, nil))
    }

    struct PeerError: Error, CustomStringConvertible {
        let description: String
    }
}

extension SecurityTests {
    @Suite("Certificates and identities")
    struct Identities {
        private func count(_ itemClass: CFString) -> Int {
            let query: [String: Any] = [
                kSecClass as String: itemClass, kSecReturnAttributes as String: true,
                kSecMatchLimit as String: kSecMatchLimitAll,
            ]
            return (find(query).item as? [[String: Any]])?.count ?? 0
        }

        @Test func aCertificateSaysWhatItIs() throws {
            let made = try MadeIdentity("mail.example.org")
            let certificate = made.certificates[0]
            #expect(SecCertificateCopySubjectSummary(certificate) == "mail.example.org")
            #expect(SecCertificateCopyKey(certificate) == SecKeyCopyPublicKey(made.key))
            let der = SecCertificateCopyData(certificate)
            let read = try X509Certificate(derRepresentation: der)
            #expect(read.issuer == read.subject)
            #expect(read.version == 2)
            #expect(read.subjectKeyIdentifier == Data(Insecure.SHA1.hash(data: read.publicKey)))
            #expect(SecCertificateCopySerialNumberData(certificate, nil) == read.serialNumber)
            #expect(der.range(of: Data([2, UInt8(read.serialNumber.count)]) + read.serialNumber) != nil)
            for size in 0..<der.count { #expect(SecCertificateCreateWithData(nil, der.prefix(size)) == nil) }
            #expect(SecCertificateCreateWithData(nil, der + [0]) == nil)
            // A changed certificate may still be one: reading it verifies nothing. It must only not be the same.
            for bit in 0..<der.count * 8 {
                var changed = der
                changed[bit / 8] ^= 1 << (bit % 8)
                if let other = SecCertificateCreateWithData(nil, changed) { #expect(other != certificate) }
            }
        }

        @Test func aCertificateIsKeptWithWhatItSays() async throws {
            let fixture = try await Fixture()
            let certificate = try MadeIdentity("mail.example.org").certificates[0]
            let asRef: [String: Any] = [kSecClass as String: kSecClassCertificate, kSecValueRef as String: certificate]
            #expect(SecItemAdd(asRef as CFDictionary, nil) == errSecSuccess)
            #expect(SecItemAdd(asRef as CFDictionary, nil) == errSecDuplicateItem)
            let asData: [String: Any] = [
                kSecClass as String: kSecClassCertificate,
                kSecValueData as String: SecCertificateCopyData(certificate) as Data,
            ]
            #expect(SecItemAdd(asData as CFDictionary, nil) == errSecDuplicateItem, "data say the same as the object")
            let broken = asData.merging([kSecValueData as String: Data([0x30, 0])]) { $1 }
            #expect(SecItemAdd(broken as CFDictionary, nil) == errSecDecode)
            let query: [String: Any] = [
                kSecClass as String: kSecClassCertificate, kSecAttrLabel as String: "mail.example.org",
            ]
            #expect(find(query, [kSecReturnRef as String: true]).item as! SecCertificate? == certificate)
            let found = find(query, [kSecReturnAttributes as String: true]).item as? [String: Any]
            let read = try X509Certificate(derRepresentation: SecCertificateCopyData(certificate))
            #expect(found?[kSecAttrIssuer as String] as? Data == read.issuer)
            #expect(found?[kSecAttrSerialNumber as String] as? Data == read.serialNumber)
            #expect(found?[kSecAttrSubjectKeyID as String] as? Data == read.subjectKeyIdentifier)
            #expect(found?[kSecAttrPublicKeyHash as String] as? Data == Data(Insecure.SHA1.hash(data: read.publicKey)))
            #expect(found?[kSecAttrCertificateType as String] as? Int == 3)
            withExtendedLifetime(fixture) {}
        }

        @Test func anIdentityIsACertificateAndItsKey() async throws {
            let fixture = try await Fixture()
            let made = try MadeIdentity("mail.example.org")
            let identity = try #require(SecIdentityCreate(nil, made.certificates[0], made.key))
            let stranger = try makeKey()
            #expect(SecIdentityCreate(nil, made.certificates[0], stranger) == nil)
            let request: [String: Any] = [kSecClass as String: kSecClassIdentity, kSecValueRef as String: identity]
            #expect(SecItemAdd(request as CFDictionary, nil) == errSecSuccess)
            #expect(count(kSecClassCertificate) == 1)
            #expect(count(kSecClassKey) == 1)
            #expect(SecItemAdd(request as CFDictionary, nil) == errSecDuplicateItem)
            #expect(SecItemDelete([kSecClass as String: kSecClassKey]) == errSecSuccess)
            let query: [String: Any] = [kSecClass as String: kSecClassIdentity]
            #expect(find(query).status == errSecItemNotFound, "a certificate alone is no identity")
            let publicKey = try #require(SecKeyCopyPublicKey(made.key))
            #expect(SecItemAdd([kSecValueRef as String: publicKey], nil) == errSecSuccess)
            #expect(find(query).status == errSecItemNotFound, "nor is it one with a public key")
            #expect(SecItemDelete([kSecValueRef as String: publicKey]) == errSecSuccess)
            #expect(SecItemAdd(request as CFDictionary, nil) == errSecSuccess, "the half that is missing is added")
            let found = find(query, [kSecReturnRef as String: true]).item as! SecIdentity?
            #expect(found == identity)
            var certificate: SecCertificate?
            var key: SecKey?
            #expect(unsafe SecIdentityCopyCertificate(try #require(found), &certificate) == errSecSuccess)
            #expect(unsafe SecIdentityCopyPrivateKey(try #require(found), &key) == errSecSuccess)
            #expect(certificate == made.certificates[0])
            #expect(key == made.key)
            withExtendedLifetime(fixture) {}
        }

        @Test func halfAnIdentityIsNotLeftBehind() async throws {
            let fixture = try await Fixture()
            let made = try MadeIdentity("mail.example.org")
            let identity = try #require(SecIdentityCreate(nil, made.certificates[0], made.key))
            // The label is the certificate's alone, and longer than a keychain takes.
            let request: [String: Any] = [
                kSecValueRef as String: identity,
                kSecAttrLabel as String: String(repeating: "x", count: AttributeValue.maximumSize + 1),
            ]
            #expect(SecItemAdd(request as CFDictionary, nil) == errSecParam)
            #expect(count(kSecClassKey) == 0)
            withExtendedLifetime(fixture) {}
        }

        @Test func identitiesAreFoundByEitherHalf() async throws {
            let fixture = try await Fixture()
            let (one, other) = (try MadeIdentity("one"), try MadeIdentity("other"))
            for (made, tag) in [(one, "tag of one"), (other, "tag of other")] {
                let identity = try #require(SecIdentityCreate(nil, made.certificates[0], made.key))
                let request: [String: Any] = [
                    kSecValueRef as String: identity, kSecAttrApplicationTag as String: Data(tag.utf8),
                ]
                #expect(SecItemAdd(request as CFDictionary, nil) == errSecSuccess)
            }
            let query: [String: Any] = [kSecClass as String: kSecClassIdentity, kSecReturnAttributes as String: true]
            func names(_ more: [String: Any]) -> [String]? {
                let all = query.merging([kSecMatchLimit as String: kSecMatchLimitAll]) { $1 }
                return (find(all, more).item as? [[String: Any]])?.compactMap { $0[kSecAttrLabel as String] as? String }
            }
            #expect(names([:]) == ["one", "other"])
            #expect(names([kSecAttrLabel as String: "other"]) == ["other"])
            #expect(names([kSecAttrApplicationTag as String: Data("tag of other".utf8)]) == ["other"])
            #expect(names([kSecAttrLabel as String: "one", kSecAttrApplicationTag as String: "tag of other"]) == nil)
            #expect(names([kSecMatchLimit as String: 2]) == ["one", "other"])
            let first = find(query, [kSecAttrLabel as String: "other"]).item as? [String: Any]
            #expect(first?[kSecClass as String] as? String == kSecClassIdentity as String)
            #expect(first?[kSecAttrApplicationTag as String] as? Data == Data("tag of other".utf8))
            let whole = find(query, [kSecReturnData as String: true, kSecReturnPersistentRef as String: true])
            let parts = whole.item as? [String: Any]
            #expect(parts?[kSecValueData as String] as? Data == SecCertificateCopyData(one.certificates[0]))
            let reference = try #require(parts?[kSecValuePersistentRef as String] as? Data)
            let byReference = find([kSecValuePersistentRef as String: reference, kSecReturnRef as String: true])
            #expect(byReference.item as! SecIdentity? == SecIdentityCreate(nil, one.certificates[0], one.key))
            #expect(SecItemUpdate(query as CFDictionary, [kSecAttrLabel as String: "x"]) == errSecUnimplemented)
            withExtendedLifetime(fixture) {}
        }

        @Test func deletingAnIdentityKeepsAKeyThatIsStillNeeded() async throws {
            let fixture = try await Fixture()
            let made = try MadeIdentity("first", "renewed")
            for certificate in made.certificates {
                let identity = try #require(SecIdentityCreate(nil, certificate, made.key))
                #expect(SecItemAdd([kSecValueRef as String: identity], nil) == errSecSuccess)
            }
            #expect(count(kSecClassIdentity) == 2)
            #expect(count(kSecClassKey) == 1)
            let first: [String: Any] = [kSecClass as String: kSecClassIdentity, kSecAttrLabel as String: "first"]
            #expect(SecItemDelete(first as CFDictionary) == errSecSuccess)
            #expect(count(kSecClassIdentity) == 1)
            #expect(SecItemDelete([kSecClass as String: kSecClassIdentity]) == errSecSuccess)
            #expect(count(kSecClassKey) == 0)
            #expect(count(kSecClassCertificate) == 0)
            #expect(SecItemDelete([kSecClass as String: kSecClassIdentity]) == errSecItemNotFound)
            withExtendedLifetime(fixture) {}
        }
    }
}
