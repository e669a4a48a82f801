import Foundation
import Glibc
import MildamCrypto
import MildamSystem
import MildamWire
import TestSupport
import Testing

@testable import MildamFiles

@Suite("RNCryptor: the published vectors (RNCryptor-Spec)", .enabled(if: Vectors.areExpected))
struct RNCryptorVectorTests {
    @Test("Every vector is run")
    func census() throws {
        let files = (RNCryptorVector.kdf + RNCryptorVector.password + RNCryptorVector.key).map(\.file)
        let counts = Dictionary(files.map { ($0, 1) }, uniquingKeysWith: +)
        #expect(
            counts == [
                "v1/kdf": 4, "v1/password": 1, "v2/kdf": 4, "v2/password": 1, "v3/kdf": 6, "v3/password": 6,
                "v3/key": 4,
            ]
        )
        #expect(files.count == 26)
    }

    @Test("Keys of passwords", arguments: RNCryptorVector.kdf)
    func kdf(_ vector: RNCryptorVector) throws {
        let salt = try vector.bytes("salt_hex")
        let salts = RNCryptorHeader.Salts(encryption: salt, hmac: salt.reversed())
        let header = RNCryptorHeader(salts: salts, iv: [UInt8](repeating: 0, count: 16))
        let keys = try RNCryptorKeys.candidates(for: header, MildamFilesTests.password(vector.password))[0]
        #expect(try keys.encryption == SymmetricKey(data: vector.bytes("key_hex")))
        #expect(keys.hmac != keys.encryption && !keys.isPasswordTruncated)
    }

    @Test("Files with passwords open, and those of version 3 are written alike", arguments: RNCryptorVector.password)
    func password(_ vector: RNCryptorVector) throws {
        let secret = { () throws -> RNCryptorSecret in MildamFilesTests.password(vector.password) }
        let header = try open(vector, secret)
        // The vector of version 1 was made with other salts and another IV than it names.
        guard vector.fields["version"] != "1" else { return }
        let salts = try #require(header.salts)
        #expect(try salts.encryption == vector.bytes("enc_salt_hex"))
        #expect(try salts.hmac == vector.bytes("hmac_salt_hex"))
        #expect(try header.iv == vector.bytes("iv_hex"))
        if vector.fields["version"] == "3" { try write(vector, header, secret) }
    }

    @Test("Files with keys open, and are written alike", arguments: RNCryptorVector.key)
    func key(_ vector: RNCryptorVector) throws {
        let encryption = try SymmetricKey(data: vector.bytes("enc_key_hex"))
        let hmac = try SymmetricKey(data: vector.bytes("hmac_key_hex"))
        let secret = { () throws -> RNCryptorSecret in .keys(encryption: encryption, hmac: hmac) }
        let header = try open(vector, secret)
        #expect(header.salts == nil)
        #expect(try header.iv == vector.bytes("iv_hex"))
        try write(vector, header, secret)
    }

    private func open(_ vector: RNCryptorVector, _ secret: () throws -> RNCryptorSecret) throws -> RNCryptorHeader {
        let file = try vector.bytes("ciphertext_hex")
        let content = try vector.bytes("plaintext_hex")
        let opened = try RNCryptorFile.decrypt(file, secret: secret())
        #expect(opened.content == content)
        let version = try #require(
            UInt8(vector.fields["version"] ?? "").flatMap { RNCryptorHeader.Version(rawValue: $0) }
        )
        #expect(opened.opened.layout == RNCryptorLayout(version))
        #expect(opened.opened.size == content.count && !opened.opened.isPasswordTruncated)

        let folder = try TemporaryFolder()
        try WholeFile.write(file.span, to: folder.file("in"))
        let fromFile = try RNCryptorFile.decrypt(folder.file("in"), to: folder.file("out"), secret: secret())
        #expect(fromFile == opened.opened)
        #expect(try WholeFile.read(folder.file("out"), limit: 1 << 20) == content)

        let header = try RNCryptorHeader(file.span)
        #expect(header.bytes == Array(file[..<header.bytes.count]))
        return header
    }

    private func write(
        _ vector: RNCryptorVector,
        _ header: RNCryptorHeader,
        _ secret: () throws -> RNCryptorSecret
    ) throws {
        let folder = try TemporaryFolder()
        let content = try vector.bytes("plaintext_hex")
        try WholeFile.write(content.span, to: folder.file("plain"))
        let keys = try RNCryptorKeys(forNew: header, secret())
        try encrypt(folder.file("plain"), to: folder.file("made"), header, keys)
        #expect(try WholeFile.read(folder.file("made"), limit: 1 << 20) == vector.bytes("ciphertext_hex"))
    }

    private func encrypt(_ plain: String, to file: String, _ header: RNCryptorHeader, _ keys: RNCryptorKeys) throws {
        let source = try Descriptor.open(plain, O_RDONLY)
        try encrypt(source, to: file, header, keys)
    }

    private func encrypt(
        _ source: borrowing Descriptor,
        to file: String,
        _ header: RNCryptorHeader,
        _ keys: RNCryptorKeys
    ) throws {
        let target = try Descriptor.open(file, O_WRONLY | O_CREAT)
        _ = try RNCryptorFile.encrypt(FileSource(source), to: target, nil, header, keys, FileMonitor())
    }
}
