import FoundationEssentials
import MLSInterop
import MildamCrypto
import MildamGroupStore
import MildamMLS
import MildamStorage
import TestSupport
import Testing

/// A database with groups in it, in a folder of its own.
struct Household {
    let folder: TemporaryFolder
    let database: Database
    let rootKey: SymmetricKey
    let store: GroupStore

    init(_ rootKey: SymmetricKey = SymmetricKey(size: .bits256), _ folder: TemporaryFolder? = nil) throws {
        self.folder = try folder ?? TemporaryFolder()
        self.rootKey = rootKey
        database = try Database(path: self.folder.file("groups.db"), schema: Household.schema)
        store = GroupStore(database: database, rootKey: rootKey)
    }

    static let schema = Schema(applicationID: 0x4d4c_5331, migrations: [GroupStore.migration])

    /// What lies on the disk: the database, and its write-ahead log.
    func files() throws -> [[UInt8]] {
        try ["groups.db", "groups.db-wal"].map { name in
            let path = folder.file(name)
            return FileManager.default.fileExists(atPath: path)
                ? [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) : []
        }
    }

    static let environment = GroupEnvironment(
        authentication: Everybody(),
        policy: Everybody(),
        now: { 1_700_000_000 }
    )

    static func bundle(_ name: String, _ suite: CipherSuite = .x25519ChaChaPoly) throws -> KeyPackageBundle {
        try KeyPackageBundle(
            .basic(identity: Array(name.utf8)),
            signer: SignatureKeyPair(suite),
            lifetime: Lifetime(notBefore: 1_699_000_000, notAfter: 1_701_000_000)
        )
    }

    /// A group of these, of whom each has a copy: the first made it, and added the others.
    static func group(_ names: [String], _ suite: CipherSuite = .x25519ChaChaPoly) throws -> [Group] {
        var first = try Group(
            creating: GroupID(Array("household".utf8)),
            with: bundle(try #require(names.first), suite),
            environment: environment
        )
        let others = try names.dropFirst().map { try bundle($0, suite) }
        var options = CommitOptions()
        options.proposals = others.map { .add($0.keyPackage) }
        let messages = try first.commit(options)
        try first.mergeStagedCommit()
        guard case .welcome(let welcome)? = messages.welcome else { throw MLSError.notWelcome }
        return try [first]
            + others.map {
                try Group(joining: welcome, with: $0, environment: environment, isKnown: { _ in false })
            }
    }
}
