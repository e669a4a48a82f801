import Foundation
import MildamCrypto
import MildamFiles
import MildamStorage
import MildamSystem
import TestSupport
import Testing

@testable import MildamVault

@Suite("The copy of a vault's names")
struct VaultNamesTests {
    private let box: VaultBox

    init() throws {
        box = try VaultBox()
    }

    private func names(of vault: Vault) throws -> NamesState {
        let (state, damaged) = try vault.readNames(opening: vault.keys.identities, isProven: true)
        #expect(damaged == 0)
        return state
    }

    /// What the copy of the names should say.
    private func expected(in vault: Vault) throws -> NamesState {
        var state = NamesState()
        for entry in try vault.index.entries(formerToo: true) {
            guard let present = entry.entry else {
                state.apply(NameRecord(entry))
                continue
            }
            var record = NameRecord(entry)
            record.name = try #require(try vault.entries().first { $0.id == present }).name
            state.apply(record)
        }
        return state
    }

    @Test("every change is in the copy when it is in the index")
    func keptTrue() throws {
        let vault = try box.make()
        func expectTrue(_ comment: Comment) throws {
            let (names, should) = (try names(of: vault), try expected(in: vault))
            #expect(names.present.mapValues(\.digest) == should.present.mapValues(\.digest), comment)
            #expect(names.present.mapValues(\.tags) == should.present.mapValues(\.tags), comment)
            let former = should.former.mapValues { Set($0.map(\.digest)) }
            #expect(names.former.mapValues { Set($0.map(\.digest)) }.filter { !$0.value.isEmpty } == former, comment)
        }
        try box.add([1], "a", to: vault)
        try box.add([2], "folder/b", to: vault)
        try expectTrue("added")
        try box.add([3], "a", to: vault)
        try expectTrue("replaced")
        try vault.move(try VaultName("a"), to: try VaultName("c"))
        try vault.tag(try VaultName("c"), adding: ["\"quoted\\", "밀담"])
        try expectTrue("moved and tagged")
        _ = try vault.restore(try VaultName("c"))
        try expectTrue("restored")
        try vault.rekey(to: ["\(AgeX25519Identity().recipient)"])
        try expectTrue("rekeyed")
        #expect(NamesFolder(in: box.path).files().count == 1, "what others could open is gone")
        try vault.remove([try VaultName("folder/b")])
        try expectTrue("removed")
        #expect(NamesFolder(in: box.path).files().count == 1)
        try vault.prune(try vault.entries())
        try expectTrue("pruned")
        try vault.remove(try vault.entries())
        #expect(NamesFolder(in: box.path).files().isEmpty)
    }

    @Test("what is missing, damaged or left over is written anew by the next change")
    func healing() throws {
        let folder = NamesFolder(in: box.path)
        do {
            let vault = try box.make()
            for number in 0..<70 { try box.add([UInt8(number)], "\(number)", to: vault) }
            #expect(folder.files().count == 70)
        }
        #expect(try names(of: try box.open()).present.count == 70)
        #expect(folder.files().count == 1, "many were written in one")
        for damage in 0..<3 {
            let path = folder.path(of: try #require(folder.files().keys.max()))
            let bytes = try WholeFile.read(path, limit: 1 << 20)
            switch damage {
            case 0: try FileManager.default.removeItem(atPath: path)
            case 1: try WholeFile.write(bytes.span.extracting(..<100), to: path)
            default: try WholeFile.write(bytes.span, to: folder.path(of: 999))
            }
            let vault = try box.open()
            #expect(try names(of: vault).present.count == 70 && folder.files().count == 1, "\(damage)")
        }
        // Of its size, and damaged within: verifying tells.
        let path = folder.path(of: try #require(folder.files().keys.max()))
        var bytes = try WholeFile.read(path, limit: 1 << 20)
        bytes[bytes.count - 1] ^= 1
        try WholeFile.write(bytes.span, to: path)
        let vault = try box.open()
        #expect(try vault.verify().isClean)
        #expect(try names(of: vault).present.count == 70)
    }

    @Test("without index, names, tags, times and former versions come back")
    func repairing() throws {
        let before: [VaultEntry]
        do {
            let vault = try box.make()
            for content in [[1], [2]] as [[UInt8]] { try box.add(content, "letter", to: vault) }
            try box.add([2], "copy", to: vault)
            try vault.tag(try VaultName("copy"), adding: ["tagged"])
            before = try vault.entries()
        }
        try box.loseIndex()
        let repair = try Vault.repair(in: box.path, rootKey: box.root)
        #expect(repair.recovered.count == 2 && repair.namedCount == 2 && repair.formerCount == 1)
        #expect(repair.missing.isEmpty && repair.unreadable.isEmpty)
        let vault = try box.open()
        let after = try vault.entries()
        #expect(after.map(\.name) == before.map(\.name) && after.map(\.tags) == before.map(\.tags))
        #expect(after.map(\.modified) == before.map(\.modified) && after.map(\.added) == before.map(\.added))
        #expect(try box.content(of: "letter", version: 1, in: vault) == [1])
        #expect(try box.stored.count == 2 && vault.verify().isClean)
    }

    @Test("a repair that was interrupted loses no name, whoever changes the vault meanwhile")
    func interruptedRepair() throws {
        do {
            let vault = try box.make()
            for content in [[1], [2]] as [[UInt8]] { try box.add(content, "letter", to: vault) }
            try box.add([2], "copy", to: vault)
        }
        try box.loseIndex()
        #expect(throws: VaultError.cancelled) {
            try Vault.repair(in: box.path, rootKey: box.root, monitor: FileMonitor(isCancelled: { true }))
        }
        do {
            let vault = try box.open()
            #expect(try vault.entries().isEmpty)
            try box.add([3], "meanwhile", to: vault)
            #expect(throws: VaultError.self, "names would be lost") { try vault.rekey(to: []) }
        }
        let repair = try Vault.repair(in: box.path, rootKey: box.root)
        #expect(repair.namedCount == 2 && repair.formerCount == 1)
        let vault = try box.open()
        #expect(try vault.entries().map(\.name.description) == ["copy", "letter", "meanwhile"])
        #expect(try box.content(of: "letter", version: 1, in: vault) == [1] && vault.verify().isClean)
        try vault.rekey(to: [])
    }

    @Test("a repair that came no further than to a new index loses no former version")
    func repairWithANewIndex() throws {
        let key: SymmetricKey
        do {
            let vault = try box.make()
            for content in [[1], [2]] as [[UInt8]] { try box.add(content, "letter", to: vault) }
            key = vault.keys.index
        }
        try box.loseIndex()
        do { #expect(try VaultIndex(in: box.path, under: key, making: true).isEmpty()) }
        let repair = try Vault.repair(in: box.path, rootKey: box.root)
        #expect(repair.namedCount == 1 && repair.formerCount == 1)
        #expect(try box.content(of: "letter", version: 1, in: try box.open()) == [1])
    }

    @Test("a repair for a damaged row brings no former version back twice")
    func knownVersions() throws {
        do {
            let vault = try box.make()
            for content in [[1], [2]] as [[UInt8]] { try box.add(content, "letter", to: vault) }
            try box.add([3], "other", to: vault)
            let id = try vault.entry(named: try VaultName("other")).id
            try vault.index.database.execute("UPDATE entries SET value = zeroblob(64) WHERE id = ?", id.bytes)
        }
        let repair = try Vault.repair(in: box.path, rootKey: box.root)
        #expect(repair.namedCount == 1 && repair.formerCount == 0)
        #expect(try box.open().history(of: try VaultName("letter")).count == 1)
    }

    @Test("of what a name had, as many contents are kept as a vault keeps, and the newest")
    func formerBound() throws {
        let name = try VaultName("letter")
        func record(_ number: UInt8, replaced: Int64?) -> NameRecord {
            var entry = VaultEntry(
                id: .random(),
                file: .random(),
                name: name,
                size: 1,
                storedSize: 1,
                modified: 0,
                added: Int64(number),
                type: "",
                digest: [UInt8](repeating: number, count: VaultEntry.digestSize),
                tags: [],
                generation: 1
            )
            entry.replaced = replaced
            return NameRecord(entry)
        }
        // As changes say it one after the other, and as a whole file does, in whatever order.
        let changes = (1...100).map { record($0, replaced: nil) }
        let whole = (1...99).map { record(100 - $0, replaced: Int64(100 - $0)) }
        for said in [changes, whole] {
            var state = NamesState()
            for record in said { state.apply(record) }
            let former = try #require(state.former[name])
            #expect(former.map { $0.digest[0] }.sorted() == Array(90...99))
        }
    }

    @Test("a repair leaves an entry no more former versions than a vault keeps")
    func formerBoundOfARepair() throws {
        do {
            let vault = try box.make()
            for content in 0...UInt8(Vault.maximumVersions) { try box.add([content], "letter", to: vault) }
            for (content, name) in [(100, "third"), (101, "other")] as [(UInt8, String)] {
                try box.add([content], name, to: vault)
            }
            var former = NameRecord(try vault.entry(named: try VaultName("third")))
            former.name = try VaultName("letter")
            former.replaced = 1 << 50
            let file = NamesFile(vault: vault.keys.id, number: 1000, isWhole: false, records: [former])
            let path = NamesFolder(in: box.path).path(of: 1000)
            let key = NamesFile.key(of: vault.keys.current.identity)
            _ = try file.write(to: path, for: try vault.keys.allRecipients(), under: key)
            let id = try vault.entry(named: try VaultName("other")).id
            try vault.index.database.execute("UPDATE entries SET value = zeroblob(64) WHERE id = ?", id.bytes)
        }
        let repair = try Vault.repair(in: box.path, rootKey: box.root)
        #expect(repair.namedCount == 1 && repair.formerCount == 0 && repair.damagedNames == 0)
        #expect(try box.open().history(of: try VaultName("letter")).count == Vault.maximumVersions)
    }

    @Test("of files of names that nobody can prove, so many bytes are read and no more")
    func unprovenBound() throws {
        let vault = try box.make()
        try box.add([1], "letter", to: vault)
        let rescue = AgeX25519Identity()
        var record = NameRecord(try vault.entry(named: try VaultName("letter")))
        var sizes: [Int] = []
        for number in 10...12 {
            record.name = try VaultName("name \(number)")
            let file = NamesFile(vault: vault.keys.id, number: number, isWhole: false, records: [record])
            let path = NamesFolder(in: box.path).path(of: number)
            sizes.append(try file.write(to: path, for: [rescue.recipient], under: SymmetricKey(size: .bits256)))
        }
        let limit = sizes[0] + sizes[1]
        let some = try vault.readNames([10, 11, 12], opening: [rescue], isProven: false, atMost: limit)
        #expect(some.state.present.count == 2 && some.damaged == [12])
        let all = try vault.readNames([10, 11, 12], opening: [rescue], isProven: false)
        #expect(all.state.present.count == 3 && all.damaged.isEmpty)
    }

    @Test("a repair can be stopped while it reads names, and at each of them")
    func stopped() throws {
        let names = (1...5).map { "name \($0)" }
        do {
            let vault = try box.make()
            for (number, name) in names.enumerated() { try box.add([UInt8(number)], name, to: vault) }
            let stop = FileMonitor(isCancelled: { true })
            #expect(throws: VaultError.cancelled) {
                try vault.readNames(opening: vault.keys.identities, isProven: true, stop)
            }
            for file in try box.stored { try FileManager.default.removeItem(atPath: box.path + "/files/" + file) }
        }
        try box.loseIndex()
        // Each file of names is read twice, to check its MAC first; each name is that of a missing file.
        for count in 0..<3 * names.count {
            let asked = Lock(0)
            let monitor = FileMonitor(isCancelled: {
                asked.withLock { times in
                    times += 1
                    return times > count
                }
            })
            #expect(throws: VaultError.cancelled, "\(count)") {
                try Vault.repair(in: box.path, rootKey: box.root, monitor: monitor)
            }
        }
        _ = try Vault.repair(in: box.path, rootKey: box.root)
        #expect(try box.open().entries().map(\.name.description) == names)
    }

    @Test("names that a reader takes for one have different hashes")
    func hashes() throws {
        let (one, other) = (try VaultName("e\u{301}"), try VaultName("\u{E9}"))
        #expect(one != other && one.hashValue != other.hashValue)
    }

    @Test("two names that a reader takes for one come back as two")
    func sameToTheEye() throws {
        let names = ["e\u{301}", "\u{E9}"]
        do {
            let vault = try box.make()
            for (number, name) in names.enumerated() { try box.add([UInt8(number)], name, to: vault) }
            #expect(try vault.entries(in: try VaultName(names[0])).count == 1)
        }
        try box.loseIndex()
        let repair = try Vault.repair(in: box.path, rootKey: box.root)
        #expect(repair.namedCount == 2 && repair.formerCount == 0)
        #expect(try box.open().entries().map(\.name.key) == names.map { Array($0.utf8) })
    }

    @Test("what the copy says of renamed entries can be written anew")
    func renamed() throws {
        let vault = try box.make()
        for content in [[1], [2]] as [[UInt8]] { try box.add(content, "a", to: vault) }
        try vault.move(try VaultName("a"), to: try VaultName("b"))
        try box.add([3], "a", to: vault)
        let state = try names(of: vault)
        #expect(state.records.map(\.name.description) == ["a", "b", "b"])
        var again = NamesState()
        for record in state.records { again.apply(record) }
        #expect(again == state)
    }

    @Test("a link in the place of the copy costs no file of others")
    func linked() throws {
        let outside = box.folder.file("outside")
        try Folder.create(outside)
        try WholeFile.write(Array("mine".utf8).span, to: outside + "/1.age")
        do {
            let vault = try box.make()
            try FileManager.default.createSymbolicLink(atPath: box.path + "/names", withDestinationPath: outside)
            #expect(throws: VaultError.self) { try box.add([1], "a", to: vault) }
        }
        #expect(throws: VaultError.self) { try box.open() }
        #expect(Folder.names(in: outside) == ["1.age"])
        try FileManager.default.removeItem(atPath: box.path + "/names")
        #expect(try box.open().entries().isEmpty)
    }

    @Test("a file whose number nothing comes after ends in an error")
    func lastNumber() throws {
        let path = NamesFolder(in: box.path).path(of: .max)
        do {
            let vault = try box.make()
            try box.add([1], "a", to: vault)
            try WholeFile.write(Array("x".utf8).span, to: path)
            #expect(throws: VaultError.self) { try box.add([2], "b", to: vault) }
        }
        #expect(throws: VaultError.self) { try box.open() }
        try FileManager.default.removeItem(atPath: path)
        #expect(try box.open().entries().count == 1)
    }

    @Test("a name whose file is gone is told; a file that the copy does not know gets a name of ours")
    func partly() throws {
        do {
            let vault = try box.make()
            try box.add([1], "gone", to: vault)
            try FileManager.default.removeItem(atPath: box.path + "/files/" + (try #require(try box.stored.first)))
            try box.add([2], "there", to: vault)
        }
        try box.loseIndex()
        let first = try Vault.repair(in: box.path, rootKey: box.root)
        #expect(first.missing.map(\.description) == ["gone"] && first.namedCount == 1)
        try box.loseIndex()
        try FileManager.default.removeItem(atPath: box.path + "/names")
        let second = try Vault.repair(in: box.path, rootKey: box.root)
        #expect(second.recovered.count == 1 && second.namedCount == 0)
        #expect(second.recovered[0].name.description.hasPrefix("recovered/"))
    }

    @Test("a name whose file is missing stays, and is that of the file when it is put back", arguments: [false, true])
    func putBack(_ isElsewhere: Bool) throws {
        let kept = box.folder.file("kept.age")
        var path: String
        do {
            let vault = try box.make()
            try box.add([1], "gone", to: vault)
            path = vault.files.path(of: try vault.entry(named: try VaultName("gone")).file)
            try FileManager.default.moveItem(atPath: path, toPath: kept)
            try box.add([2], "there", to: vault)
            if isElsewhere { path = vault.files.path(of: .random()) }
        }
        try box.loseIndex()
        #expect(try Vault.repair(in: box.path, rootKey: box.root).missing.map(\.description) == ["gone"])
        do {
            let vault = try box.open()
            let found = try vault.verify()
            #expect(found.damaged.map { $0.name.description } == ["gone"] && found.sound == 1)
            #expect(try names(of: vault).present.count == 2)
        }
        try Folder.create(Folder.parent(of: path))
        try FileManager.default.moveItem(atPath: kept, toPath: path)
        let repair = try Vault.repair(in: box.path, rootKey: box.root)
        #expect(repair.recovered.count == (isElsewhere ? 1 : 0) && repair.namedCount == repair.recovered.count)
        let vault = try box.open()
        #expect(try vault.entries().map(\.name.description) == ["gone", "there"])
        #expect(try vault.verify().isClean && box.content(of: "gone", in: vault) == [1])
    }

    @Test("a recipient's key alone brings back everything, and opens it afterwards, too")
    func withARecipientsKey() throws {
        let rescue = AgeX25519Identity()
        do {
            let vault = try box.make(recipients: ["\(rescue.recipient)"])
            for content in [[1], [2]] as [[UInt8]] { try box.add(content, "letter", to: vault) }
        }
        let other = RootKeyFile(path: box.folder.file("other.key"))
        #expect(throws: VaultError.self) { try Vault.repair(in: box.path, rootKey: other) }
        let stranger = AgeX25519Identity()
        for isThere in [true, false] {
            if !isThere { try FileManager.default.removeItem(atPath: box.path + "/vault.keys") }
            let repair = try Vault.repair(
                in: box.path,
                rootKey: isThere ? other : RootKeyFile(path: box.folder.file("third.key")),
                opening: [stranger, rescue],
                recipients: ["\(rescue.recipient)"]
            )
            #expect(repair.namedCount == 1 && repair.formerCount == 1 && repair.unreadable.isEmpty)
            #expect(!repair.areNamesProven && (repair.keysSetAside != nil) == isThere)
        }
        let vault = try Vault.open(
            in: box.path,
            rootKey: RootKeyFile(path: box.folder.file("third.key")),
            changing: true
        )
        #expect(try box.content(of: "letter", in: vault) == [2])
        #expect(try box.content(of: "letter", version: 1, in: vault) == [1])
        #expect(try vault.verify().isClean && vault.keys.recipients == ["\(rescue.recipient)"])
        for file in try box.stored {
            let target = box.folder.file(UUID().uuidString)
            #expect(try AgeFile.decrypt(box.path + "/files/" + file, to: target, identities: [rescue]) == 1)
        }
    }

    @Test("names that somebody else wrote are not believed")
    func forged() throws {
        let vault = try box.make()
        try box.add([1], "letter", to: vault)
        let record = NameRecord(try vault.entry(named: try VaultName("letter")))
        var other = record
        other.name = try VaultName("forged")
        let file = NamesFile(vault: vault.keys.id, number: 2, isWhole: true, records: [other])
        let recipients = try vault.keys.allRecipients()
        let path = NamesFolder(in: box.path).path(of: 2)
        _ = try file.write(to: path, for: recipients, under: SymmetricKey(size: .bits256))
        let (state, damaged) = try vault.readNames(opening: vault.keys.identities, isProven: true)
        #expect(damaged == 1 && state.present.keys.map(\.description) == ["letter"])
        // Nor are those of another place among them.
        let own = try WholeFile.read(NamesFolder(in: box.path).path(of: 1), limit: 1 << 20)
        try WholeFile.write(own.span, to: path)
        #expect(try vault.readNames(opening: vault.keys.identities, isProven: true).damaged == 1)
    }

    @Test("a recipient's key makes nothing believed of a vault whose own keys are there")
    func forgedForARecipient() throws {
        let rescue = AgeX25519Identity()
        do {
            let vault = try box.make(recipients: ["\(rescue.recipient)"])
            try box.add([1], "letter", to: vault)
            var other = NameRecord(try vault.entry(named: try VaultName("letter")))
            other.name = try VaultName("forged")
            let file = NamesFile(vault: vault.keys.id, number: 9, isWhole: true, records: [other])
            let path = NamesFolder(in: box.path).path(of: 9)
            _ = try file.write(to: path, for: [rescue.recipient], under: SymmetricKey(size: .bits256))
        }
        try box.loseIndex()
        let repair = try Vault.repair(in: box.path, rootKey: box.root, opening: [rescue])
        #expect(repair.areNamesProven && repair.damagedNames == 1 && repair.missing.isEmpty)
        #expect(try box.open().entries().map(\.name.description) == ["letter"])
    }

    @Test("a file of names comes back, and is refused where it is cut and with a bit flipped")
    func texts() throws {
        let vault = try box.make()
        try box.add([1], "a \"name\"\\", to: vault)
        try vault.tag(try VaultName("a \"name\"\\"), adding: ["tag"])
        var record = NameRecord(try vault.entry(named: try VaultName("a \"name\"\\")), was: try VaultName("b"))
        for replaced in [nil, 5] as [Int64?] {
            record.replaced = replaced
            var line: [UInt8] = []
            record.append(to: &line)
            #expect(NameRecord(line.span) == record)
            for end in 0..<line.count - 1 { #expect(NameRecord(line.span.extracting(..<end)) == nil) }
            for bit in 0..<8 * line.count {
                var flipped = line
                flipped[bit / 8] ^= 1 << UInt8(bit % 8)
                // A digit of the digest may be a capital letter.
                guard NameRecord(flipped.span) == record else { continue }
                let (one, other) = (String(decoding: line, as: UTF8.self), String(decoding: flipped, as: UTF8.self))
                #expect(one.lowercased() == other.lowercased(), "bit \(bit)")
            }
        }
        let file = box.folder.file("names.age")
        let (identity, key) = (AgeX25519Identity(), SymmetricKey(size: .bits256))
        let names = NamesFile(vault: vault.keys.id, number: 7, isWhole: true, records: [record])
        _ = try names.write(to: file, for: [identity.recipient], under: key)
        func read(_ keys: [SymmetricKey], _ path: String) throws -> NamesFile {
            try NamesFile(at: path, number: 7, opening: [identity], under: keys)
        }
        let back = try read([SymmetricKey(size: .bits256), key], file)
        #expect(back.records == [record] && back.vault == vault.keys.id && back.isWhole)
        #expect(throws: VaultError.file(file, .differentCiphertext)) { try read([SymmetricKey(size: .bits256)], file) }
        let bytes = try WholeFile.read(file, limit: 1 << 20)
        let damaged = box.folder.file("damaged.age")
        for place in stride(from: 0, to: bytes.count, by: 7) {
            try WholeFile.write(bytes.span.extracting(..<place), to: damaged)
            #expect(throws: VaultError.self) { try read([key], damaged) }
            var flipped = bytes
            flipped[place] ^= 4
            try WholeFile.write(flipped.span, to: damaged)
            #expect(throws: VaultError.self) { try read([key], damaged) }
        }
    }

    @Test("of a file of names nothing is kept until its MAC is checked")
    func checkedFirst() throws {
        let vault = try box.make()
        try box.add([1], "letter", to: vault)
        var text = Array("{\"vault\":\"\(String(repeating: "0", count: 32))\",\"number\":1,\"whole\":true}\n".utf8)
        NameRecord(try vault.entry(named: try VaultName("letter"))).append(to: &text)
        let key = SymmetricKey(size: .bits256)
        let code = Array(HMAC<SHA256>.authenticationCode(for: text, using: key))
        text += Array("{\"mac\":\"\(code.map { String(format: "%02x", $0) }.joined())\"}\n".utf8)
        for isKeeping in [false, true] {
            var reading = NamesReading([key], keeping: isKeeping)
            let isTaken = reading.take(text)
            #expect(isTaken && reading.isEnded && reading.records.count == (isKeeping ? 1 : 0))
        }
    }

    @Test("a text that goes on after its end, or begins otherwise, is refused")
    func malformed() {
        let head = "{\"vault\":\"\(String(repeating: "0", count: 32))\",\"number\":1,\"whole\":true}\n"
        for text in ["{\"mac\":\"00\"}\n", head + "{}\n", head + head, String(repeating: "x", count: 1 << 17)] {
            var reading = NamesReading([])
            let isTaken = reading.take(Array(text.utf8))
            #expect(!isTaken, "\(text.prefix(200))")
        }
        let end = "{\"mac\":\"\(String(repeating: "0", count: 64))\"}\n"
        var unproven = NamesReading([])
        let isTaken = unproven.take(Array((head + end).utf8))
        #expect(isTaken && unproven.isEnded)
        let goesOn = unproven.take(Array(end.utf8))
        #expect(!goesOn)
        var proven = NamesReading([SymmetricKey(size: .bits256)])
        let isProven = proven.take(Array((head + end).utf8))
        #expect(!isProven)
    }
}
