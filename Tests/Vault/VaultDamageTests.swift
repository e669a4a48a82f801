import MildamFiles
import MildamSystem
import TestSupport
import Testing

@testable import MildamVault

@Suite("What a verification found damaged is held against what is added")
struct VaultDamageTests {
    private let box: VaultBox
    private let vault: Vault
    private let name: VaultName
    private let content = [UInt8](repeating: 7, count: 1000)

    init() throws {
        box = try VaultBox()
        vault = try box.make()
        name = try VaultName("letter")
        try box.add(content, "letter", to: vault)
    }

    /// Changes a byte of the file, which keeps its size.
    private func damage() throws {
        let path = vault.files.path(of: try vault.entry(named: name).file)
        var bytes = try WholeFile.read(path, limit: 1 << 20)
        bytes[bytes.count - 1] ^= 1
        try WholeFile.write(bytes.span, to: path)
    }

    private func isKnownDamaged() throws -> Bool {
        try #require(try vault.index.holder(of: name)).isDamaged
    }

    @Test func whatIsDamagedIsStoredAnew() throws {
        try damage()
        #expect(try box.add(content, "letter", to: vault) == .unchanged, "nobody has read it")
        #expect(try vault.verify().damaged.count == 1)
        #expect(try box.add(content, "letter", to: vault) == .stored)
        #expect(try !isKnownDamaged() && box.content(of: "letter", in: vault) == content)
    }

    @Test func whatWasPutBackIsSoundAgain() throws {
        let path = vault.files.path(of: try vault.entry(named: name).file)
        let before = try WholeFile.read(path, limit: 1 << 20)
        try damage()
        #expect(try vault.verify().damaged.count == 1)
        try WholeFile.write(before.span, to: path)
        #expect(try isKnownDamaged())
        #expect(try box.add(content, "letter", to: vault) == .unchanged)
        #expect(try !isKnownDamaged())
    }

    @Test func aNewHeaderMendsNothing() throws {
        try damage()
        #expect(try vault.verify().damaged.count == 1)
        try vault.rekey(to: [])
        #expect(try isKnownDamaged())
        #expect(try box.add(content, "letter", to: vault) == .stored)
    }

    @Test func aFormerVersionThatComesBackIsDamagedStill() throws {
        try damage()
        #expect(try vault.verify().damaged.count == 1)
        try box.add([1], "letter", to: vault)
        #expect(try !isKnownDamaged())
        _ = try vault.restore(name)
        #expect(try isKnownDamaged())
        #expect(try box.add(content, "letter", to: vault) == .stored)
        #expect(try box.content(of: "letter", in: vault) == content)
    }

    @Test func aVerificationThatIsCalledOffFindsNoDamage() throws {
        #expect(throws: VaultError.cancelled) {
            try vault.verify(monitor: FileMonitor(isCancelled: { true }))
        }
        #expect(try !isKnownDamaged())
    }

    /// FAT keeps times in steps of two seconds: what is written after the addition may have the time from before it.
    @Test("what was changed just before it was added is read again", arguments: [0, 1, 2, 60] as [Int64])
    func steps(_ age: Int64) throws {
        // The clock goes on: from a second's beginning, there is time to add what is this old.
        let path = box.folder.file("coarse")
        var added: VaultEntry?
        var moment: Int64 = 0
        while added?.added != moment + age {
            moment = WallClock.system.seconds - age
            try FileTarget(path, replacing: true, modified: moment).write(Array("one".utf8).span)
            if let added { try vault.remove([added.name]) }
            try vault.add([VaultSource(path: path, name: try VaultName("coarse"))])
            added = try vault.entry(named: try VaultName("coarse"))
        }
        try FileTarget(path, replacing: true, modified: moment).write(Array("two".utf8).span)
        try vault.add([VaultSource(path: path, name: try VaultName("coarse"))])
        #expect(try box.content(of: "coarse", in: vault) == Array((age == 60 ? "one" : "two").utf8))
    }
}
