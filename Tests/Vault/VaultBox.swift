import Foundation
import MildamFiles
import MildamStorage
import MildamSystem
import TestSupport

@testable import MildamVault

/// A vault in a folder of its own, and files to put into it.
struct VaultBox {
    let folder: TemporaryFolder
    let root: RootKeyFile

    var path: String { folder.file("vault") }

    init() throws {
        folder = try TemporaryFolder()
        root = RootKeyFile(path: folder.file("root.key"))
    }

    func make(recipients: [String] = []) throws -> Vault {
        try Vault.make(in: path, rootKey: root, recipients: recipients)
    }

    func open(changing: Bool = true) throws -> Vault {
        try Vault.open(in: path, rootKey: root, changing: changing)
    }

    /// A file to be added, changed long ago; where no moment is said, at another for another content.
    func source(_ content: [UInt8], _ name: String, at moment: Int64? = nil) throws -> VaultSource {
        let path = folder.file("source-\(UUID().uuidString)")
        let modified = moment ?? content.reduce(1_000_000_000) { $0 + Int64($1) }
        try FileTarget(path, modified: modified).write(content.span)
        return VaultSource(path: path, name: try VaultName(name))
    }

    /// Adds a content, and says what was done.
    @discardableResult
    func add(_ content: [UInt8], _ name: String, to vault: Vault) throws -> AdditionOutcome? {
        let outcome = Lock<AdditionOutcome?>(nil)
        try vault.add([try source(content, name)]) { addition in outcome.withLock { $0 = addition.outcome } }
        return outcome.withLock { $0 }
    }

    func content(of name: String, version: Int? = nil, in vault: Vault) throws -> [UInt8] {
        let target = folder.file("out-\(UUID().uuidString)")
        let name = try VaultName(name)
        if let version {
            try vault.get(name, version: version, to: FileTarget(target))
        } else {
            try vault.get(name, to: FileTarget(target))
        }
        return try WholeFile.read(target, limit: 1 << 24)
    }

    /// The files that the vault has.
    var stored: [String] {
        get throws {
            try FileManager.default.subpathsOfDirectory(atPath: path + "/files").filter { $0.hasSuffix(".age") }
        }
    }

    /// Takes the index away.
    func loseIndex() throws {
        for suffix in ["", "-wal", "-shm"] where WholeFile.isTaken(path + "/index.db" + suffix) {
            try FileManager.default.removeItem(atPath: path + "/index.db" + suffix)
        }
    }
}
