import Foundation
import MildamCrypto
import MildamStorage
import TestSupport
import Testing

@Suite("ARCHITECTURE.md, Where each secret lies: the root key")
struct RootKeyFileTests {
    @Test func itIsMadeOnceAndReadBack() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("root.key")
        let key = try RootKeyFile(path: path).rootKey(making: true)
        #expect(key.bitCount == 256)
        #expect(try RootKeyFile(path: path).rootKey(making: true) == key)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(attributes[.size] as? Int == 32)
        #expect(try RootKeyFile(path: folder.file("other.key")).rootKey(making: true) != key)
    }

    /// Beside a database that is there already, a new key would open nothing, and hide that the old one is gone.
    @Test func itIsNotMadeForADatabaseThatHasOne() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("root.key")
        #expect(throws: StorageError.self) { try RootKeyFile(path: path).rootKey(making: false) }
        #expect(!FileManager.default.fileExists(atPath: path))
        let key = try RootKeyFile(path: path).rootKey(making: true)
        #expect(try RootKeyFile(path: path).rootKey(making: false) == key)
    }

    @Test("A file of another size", arguments: [0, 1, 31, 33, 64, 65, 100_000])
    func wrongSize(_ size: Int) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("root.key")
        let bytes = Data(repeating: 1, count: size)
        try bytes.write(to: URL(fileURLWithPath: path))
        #expect(throws: StorageError.self) { try RootKeyFile(path: path).rootKey(making: true) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes, "what is there stays")
    }
}
