import Glibc
import MildamFiles
import MildamStorage
import MildamSystem
import MildamWire
import TestSupport
import Testing

@testable import MildamVault

private let one = [UInt8](repeating: 1, count: 32)
private let two = [UInt8](repeating: 2, count: 32)
private let three = [UInt8](repeating: 3, count: 32)

@Suite("What is decided when a folder and a vault are brought in step")
struct SyncDecisionTests {
    @Test(
        "by the contents alone",
        arguments: [
            (nil, nil, nil, SyncDecision.gone), (nil, nil, one, .gone), (one, one, nil, .same), (one, one, two, .same),
            (one, nil, nil, .toVault), (nil, one, nil, .toFolder),
            (one, nil, one, .removeFromFolder), (nil, one, one, .removeFromVault),
            // Changed on one side, removed on the other: what was changed stays.
            (one, nil, two, .toVault), (nil, one, two, .toFolder),
            (one, two, two, .toVault), (one, two, one, .toFolder),
            (one, two, nil, .conflict), (one, two, three, .conflict),
        ] as [([UInt8]?, [UInt8]?, [UInt8]?, SyncDecision)]
    )
    func decisions(_ folder: [UInt8]?, _ vault: [UInt8]?, _ known: [UInt8]?, _ wanted: SyncDecision) {
        #expect(SyncDecision(folder: folder, vault: vault, known: known) == wanted)
    }

    @Test(
        "the vault's version of a conflict gets a name with the date",
        arguments: [
            ("notes.txt", "notes (vault 2026-11-21).txt"), ("a.b/notes", "a.b/notes (vault 2026-11-21)"),
            ("a/.profile", "a/.profile (vault 2026-11-21)"), ("x.tar.gz", "x.tar (vault 2026-11-21).gz"),
            ("taken.txt", "taken (vault 2026-11-21 3).txt"),
        ]
    )
    func names(_ name: String, _ wanted: String) throws {
        let taken = ["taken (vault 2026-11-21).txt", "taken (vault 2026-11-21 2).txt"]
        let aside = try VaultName(name).asideOnConflict(day: "2026-11-21") { taken.contains($0.description) }
        #expect(aside.description == wanted)
    }

    @Test func aLongNameIsCut() throws {
        let aside = try VaultName(String(repeating: "é", count: 125) + ".txt").asideOnConflict(day: "2026-11-21") { _ in
            false
        }
        #expect(aside.description.utf8.count <= VaultName.maximumPartSize)
        #expect(aside.description.hasPrefix("éé") && aside.description.hasSuffix("é (vault 2026-11-21).txt"))
    }

    @Test func whatIsLeftAloneIsSoWithAllBelowIt() throws {
        var left = SyncLeft()
        #expect(!left.contains(Array("a".utf8)))
        left.insert(try VaultName("a/b"))
        for name in ["a/b", "a/b/c", "a/b/c/d"] { #expect(left.contains(Array(name.utf8)), "\(name)") }
        for name in ["a", "a/bc", "b", "x/a/b"] { #expect(!left.contains(Array(name.utf8)), "\(name)") }
    }
}

@Suite("What the last synchronisation knew")
struct SyncStateTests {
    private let state: SyncState

    init() throws {
        let stamp = SyncStamp(size: 7, modified: -1, changed: 1_700_000_000_123_456_789)
        let digest = [UInt8](repeating: 9, count: 32)
        state = SyncState(
            folder: "/media/photos",
            top: try VaultName("photos"),
            number: 131_074,
            disks: [Array("disk".utf8): 7, Array("disk/\u{E9}".utf8): 0],
            records: [
                // One text for a reader, and two names.
                Array("\u{E9}".utf8): SyncRecord(digest: digest, stamp: stamp),
                Array("e\u{301}".utf8): SyncRecord(digest: digest, stamp: nil),
            ]
        )
    }

    @Test func roundTrip() throws {
        for state in [state, SyncState(folder: "/", top: nil, number: 2, records: [:])] {
            let value = state.value
            let read = try SyncState(value: value.span)
            #expect(read == state)
        }
    }

    @Test func cutAtEveryByte() {
        let value = state.value
        for end in 0..<value.count {
            let cut = Array(value[..<end])
            #expect(throws: WireError.self, "\(end)") { try SyncState(value: cut.span) }
        }
        let more = value + [0]
        #expect(throws: WireError.trailingBytes(count: 1)) { try SyncState(value: more.span) }
    }

    @Test func oneBitFlipped() {
        let value = state.value
        for bit in 0..<value.count * 8 {
            var flipped = value
            flipped[bit / 8] ^= 1 << (bit % 8)
            // It is sealed: here it matters that nothing is taken for what was written.
            let read = try? SyncState(value: flipped.span)
            #expect(read != state, "\(bit)")
        }
    }

    @Test func namesTwiceOrOutOfOrderAreRefused() throws {
        let record = SyncRecord(digest: one, stamp: nil)
        let records = [Array("a".utf8): record, Array("b".utf8): record]
        let value = SyncState(folder: "/", top: nil, number: 2, records: records).value
        let first = try #require(value.firstIndex(of: UInt8(ascii: "a")))
        for letter in "bc/" {
            var changed = value
            changed[first] = letter.asciiValue ?? 0
            let bytes = changed
            #expect(throws: WireError.self, "\(letter)") { try SyncState(value: bytes.span) }
        }
    }
}

@Suite("What the next synchronisation need not read again")
struct SyncRecordTests {
    /// On FAT, nothing but the time of its content says when a file was changed.
    @Test(arguments: [(1, 1, true), (1, 5, false), (5, 1, false)] as [(Int64, Int64, Bool)])
    func whatMayChangeUnseenIsReadAgain(_ modified: Int64, _ changed: Int64, _ counts: Bool) {
        let stamp = SyncStamp(size: 7, modified: modified, changed: changed)
        #expect(SyncRecord(digest: one, stamp: stamp, settled: 5).stamp == (counts ? stamp : nil))
    }
}

@Suite("A folder and a vault in step")
struct VaultInStepTests {
    private let folder: TemporaryFolder
    private let vault: Vault
    private let root: RootKeyFile

    init() throws {
        folder = try TemporaryFolder()
        root = RootKeyFile(path: folder.file("root.key"))
        vault = try Vault.make(in: folder.file("vault"), rootKey: root)
        try Folder.create(folder.file("plain"))
    }

    private func write(_ text: String, _ name: String) throws {
        let path = folder.file("plain/" + name)
        try Folder.create(Folder.parent(of: path))
        try WholeFile.write(Array(text.utf8).span, to: path)
    }

    private func read(_ name: String) -> String? {
        let path = folder.file("plain/" + name)
        return (try? WholeFile.read(path, limit: 1 << 20)).map { String(decoding: $0, as: UTF8.self) }
    }

    private func store(_ text: String, _ name: String) throws {
        let source = folder.file("source")
        try WholeFile.write(Array(text.utf8).span, to: source)
        try vault.add([VaultSource(path: source, name: try VaultName(name))])
    }

    private func plan() throws -> VaultSyncPlan { try vault.planSync(with: folder.file("plain"), day: "2026-11-21") }

    private func sync() throws -> [VaultSyncPlan.Action] {
        let plan = try plan()
        try vault.sync(plan) { step, error in #expect(error == nil, "\(step)") }
        let next = try self.plan()
        #expect(next.steps.isEmpty, "\(next.steps)")
        return plan.steps.map(\.action)
    }

    @Test func whatIsChangedAfterThePlanStaysAsItIs() throws {
        for name in ["changed", "removed"] { try write("one", name) }
        #expect(try sync() == [.addToVault, .addToVault])
        try write("two", "changed")
        #expect(try sync() == [.replaceInVault])
        let entries = try vault.entries()
        try vault.remove(entries.filter { $0.name.description == "removed" })
        let plan = try plan()
        #expect(plan.steps.map(\.action) == [.removeFromFolder])
        try write("mine", "removed")
        var errors: [VaultError?] = []
        try vault.sync(plan) { errors.append($1) }
        #expect(errors == [.sourceChanged(plan.folder + "/removed")])
        #expect(read("removed") == "mine")
        #expect(try sync() == [.addToVault])
    }

    @Test func whatIsThereAgainStaysInTheVault() throws {
        try write("one", "name")
        #expect(try sync() == [.addToVault])
        #expect(unsafe unlink(folder.file("plain/name")) == 0)
        let plan = try plan()
        #expect(plan.steps.map(\.action) == [.removeFromVault])
        try write("one", "name")
        var errors: [VaultError?] = []
        try vault.sync(plan) { errors.append($1) }
        #expect(errors == [.sourceChanged(plan.folder + "/name")])
        #expect(try vault.entries().count == 1)
        #expect(try self.plan().steps.isEmpty)
    }

    /// As a disk that is taken away while somebody is asked.
    @Test func whereAnotherFolderLiesByNowNothingIsDone() throws {
        for name in ["one", "removed"] { try write(name, name) }
        #expect(try sync() == [.addToVault, .addToVault])
        #expect(unsafe unlink(folder.file("plain/removed")) == 0)
        try store("new", "new")
        let plan = try plan()
        #expect(plan.steps.map(\.action) == [.writeToFolder, .removeFromVault])
        #expect(unsafe rename(folder.file("plain"), folder.file("away")) == 0)
        for isThere in [false, true] {
            if isThere { try Folder.create(folder.file("plain")) }
            var failures = 0
            try vault.sync(plan) { failures += $1 == nil ? 0 : 1 }
            #expect(failures == 2)
        }
        #expect(Folder.names(in: folder.file("plain")).isEmpty)
        #expect(try vault.entries().count == 3)
    }

    /// What would be written below would be taken for removed when the disk is back.
    @Test(.enabled(if: SmallDisk.isPossible)) func whereADiskBelowItIsGoneByNowNothingIsDone() throws {
        let mounted = folder.file("plain/disk")
        try Folder.create(mounted)
        let asked: VaultSyncPlan
        do {
            let disk = try SmallDisk(kilobytes: 256, on: mounted)
            for name in ["disk/one", "disk/removed"] { try write(name, name) }
            #expect(try sync() == [.addToVault, .addToVault])
            #expect(unsafe unlink(folder.file("plain/disk/removed")) == 0)
            try store("new", "disk/new")
            asked = try plan()
            #expect(asked.steps.map(\.action) == [.writeToFolder, .removeFromVault])
            withExtendedLifetime(disk) {}
        }
        var failures = 0
        try vault.sync(asked) { failures += $1 == nil ? 0 : 1 }
        #expect(failures == 2)
        #expect(Folder.names(in: mounted).isEmpty)
        #expect(try vault.entries().count == 3)
    }

    /// As a FAT disk that is mounted below it.
    @Test(.enabled(if: SmallDisk.isPossible)) func aDiskBelowItThatSaysNothingOfItselfIsKnownByAMark() throws {
        func plan() throws -> VaultSyncPlan {
            try vault.planSync(with: folder.file("plain"), day: "2026-11-21", told: { _, _ in false })
        }
        let mounted = folder.file("plain/disk")
        try Folder.create(mounted)
        do {
            let disk = try SmallDisk(kilobytes: 256, on: mounted)
            try write("one", "disk/one")
            try vault.sync(try plan()) { step, error in #expect(error == nil, "\(step)") }
            let next = try plan()
            #expect(next.caution == nil && next.otherDisks.isEmpty && next.steps.isEmpty)
            withExtendedLifetime(disk) {}
        }
        let other = try SmallDisk(kilobytes: 256, on: mounted)
        let next = try plan()
        #expect(next.caution == nil && next.otherDisks.count == 1)
        #expect(next.steps.map(\.action) == [.writeToFolder])
        withExtendedLifetime(other) {}
    }

    /// What it was to get and did not is no more removed the next time than at the first.
    @Test func anotherFolderThatWasNotFilledRemovesNothing() throws {
        for name in ["one", "two"] { try write(name, name) }
        #expect(try sync() == [.addToVault, .addToVault])
        // While it has the name, no other folder gets its number.
        #expect(unsafe rename(folder.file("plain"), folder.file("before")) == 0)
        try Folder.create(folder.file("plain"))
        try write("three", "three")
        let plan = try plan()
        #expect(plan.caution == .otherFolder)
        #expect(throws: VaultError.cancelled) {
            try vault.sync(plan, monitor: FileMonitor(isCancelled: { true })) { _, _ in }
        }
        #expect(try self.plan().caution == nil)
        #expect(try sync() == [.writeToFolder, .addToVault, .writeToFolder])
        #expect(read("one") == "one" && read("two") == "two")
    }

    /// What it has is no more taken for newer than what the vault has the next time than at the first.
    @Test func anotherFolderThatWasInterruptedReplacesNothing() throws {
        try write("one", "a")
        #expect(try sync() == [.addToVault])
        #expect(unsafe rename(folder.file("plain"), folder.file("before")) == 0)
        try write("zero", "a")
        let before = try plan()
        #expect(before.caution == .otherFolder)
        #expect(throws: VaultError.cancelled) {
            try vault.sync(before, monitor: FileMonitor(isCancelled: { true })) { _, _ in }
        }
        #expect(try plan().caution == nil)
        let aside = "a (vault 2026-11-21)"
        #expect(try sync() == [.keepBoth(try VaultName(aside))])
        #expect(read("a") == "zero" && read(aside) == "one")
    }

    /// Of a conflict that was interrupted, the folder's file is not taken for what the vault has removed.
    @Test func aConflictThatWasInterruptedRemovesNothing() throws {
        try write("known", "a")
        #expect(try sync() == [.addToVault])
        try write("mine", "a")
        try vault.remove([try VaultName("a")])
        try store("theirs", "a")
        let before = try plan()
        #expect(throws: VaultError.cancelled) {
            try vault.sync(before, monitor: FileMonitor(isCancelled: { true })) { _, _ in }
        }
        try vault.move(try VaultName("a"), to: try VaultName("aside"))
        try write("known", "a")
        #expect(try sync() == [.addToVault, .writeToFolder])
    }

    @Test func aConflictTakesNoNameThatWasRemoved() throws {
        for text in ["first", "second"] {
            try write("mine, \(text)", "a")
            try store("theirs", "a")
            let aside = text == "first" ? "a (vault 2026-11-21)" : "a (vault 2026-11-21 2)"
            #expect(try sync() == [.keepBoth(try VaultName(aside))])
            #expect(read(aside) == "theirs")
            #expect(unsafe unlink(folder.file("plain/" + aside)) == 0)
            try vault.remove([try VaultName(aside)])
        }
    }

    @Test func aConflictWhoseNameWouldBeTooLongIsLeftAlone() throws {
        let part = String(repeating: "t", count: 250)
        let top = try VaultName(Array(repeating: part, count: 16).joined(separator: "/"))
        let long = String(repeating: "n", count: 70)
        for name in [long, "b"] {
            try write("folder", name)
            try store("vault", "\(top)/\(name)")
        }
        let plan = try vault.planSync(with: folder.file("plain"), as: top, day: "2026-11-21")
        #expect(plan.steps.map(\.name.description) == ["b"])
        #expect(plan.refusals.map { $0.error } == [.invalidName(.tooLong)])
        try vault.sync(plan) { step, error in #expect(error == nil, "\(step)") }
        #expect(read(long) == "folder" && read("b") == "folder" && read("b (vault 2026-11-21)") == "vault")
    }

    @Test func aStateOfAnotherNameOrKeyIsNoState() throws {
        try write("one", "one")
        #expect(try sync() == [.addToVault])
        let states = vault.folder + "/syncs"
        let name = try #require(Folder.names(in: states).first)
        let content = try WholeFile.read(states + "/" + name, limit: 1 << 20)
        #expect(!String(decoding: content, as: UTF8.self).contains("plain"))
        try WholeFile.write(content.span, to: states + "/" + VaultEntryID.random().description)
        #expect(try plan().caution == nil)
        for index in content.indices {
            var flipped = content
            flipped[index] ^= 1
            try WholeFile.write(flipped.span, to: states + "/" + name)
            #expect(try plan().caution == .stateUnreadable, "\(index)")
        }
        // Without it nothing is removed.
        try vault.remove(try vault.entries())
        #expect(try plan().steps.map(\.action) == [.addToVault])
        #expect(try sync() == [.addToVault])
        #expect(Folder.names(in: states).count == 1)
    }

    @Test func whatIsNoStateIsLeftAlone() throws {
        let outside = folder.file("outside")
        try Folder.create(outside)
        for name in ["letter", "letter.txt"] { try WholeFile.write(one.span, to: outside + "/" + name) }
        try #require(unsafe symlink(outside, vault.folder + "/syncs") == 0)
        try #require(unsafe mkfifo(outside + "/" + VaultEntryID.random().description, 0o600) == 0)
        try write("one", "one")
        #expect(try plan().caution == .stateUnreadable)
        #expect(try sync() == [.addToVault])
        #expect(Folder.names(in: outside).filter { VaultEntryID($0) == nil }.sorted() == ["letter", "letter.txt"])
        #expect(Folder.names(in: outside).count == 3)
        #expect(Folder.names(in: vault.folder + "/syncs").count == 1, "a folder of its own")
    }

    @Test func whatIsCalledOtherwiseThanAStateStays() throws {
        let states = vault.folder + "/syncs"
        try Folder.create(states)
        let (id, other) = (VaultEntryID.random().description, VaultEntryID.random().description)
        let kept = ["\(id).age", "\(id).12.part", "\(id).12.34.part.txt", "\(id).12.thirty.part"]
        for name in kept + [other, "\(id).12.34.part"] { try WholeFile.write(one.span, to: states + "/" + name) }
        try write("one", "one")
        #expect(try sync() == [.addToVault])
        #expect(Folder.names(in: states).filter { VaultEntryID($0) == nil }.sorted() == kept.sorted())
        #expect(Folder.names(in: states).count == kept.count + 1 && !WholeFile.isTaken(states + "/" + other))
    }

    /// Names may be others then, and what is missing under one was not removed.
    @Test func whatAKilledOneLeftIsPassedOverAndCleared() throws {
        let name = SyncParts(vault.keys).name()
        let others = try SyncParts(VaultKeys(recipients: [])).name()
        for place in [name, "folder/" + name, others, "notes.part"] { try write("text", place) }
        #expect(try plan().steps.map(\.name.description) == [others, "notes.part"])
        #expect(read(name) == "text", "a plan changes nothing")
        #expect(try sync() == [.addToVault, .addToVault])
        #expect(read(name) == nil && read("folder/" + name) == nil)
        #expect(read(others) == "text" && read("notes.part") == "text")
        for end in 0..<name.count { #expect(!SyncParts(vault.keys).haveMade(name.prefix(end))) }
    }

    @Test func aRepairForgetsIt() throws {
        let box = try VaultBox()
        let plain = box.folder.file("plain")
        try Folder.create(plain)
        try WholeFile.write(one.span, to: plain + "/one")
        do {
            let vault = try box.make()
            try vault.sync(try vault.planSync(with: plain, day: "2026-11-21")) { _, error in #expect(error == nil) }
        }
        try box.loseIndex()
        let names = NamesFolder(in: box.path)
        try names.remove(names.files().keys)
        let repair = try Vault.repair(in: box.path, rootKey: box.root)
        #expect(repair.recovered.count == 1 && repair.namedCount == 0)
        let plan = try box.open().planSync(with: plain, day: "2026-11-21")
        #expect(plan.steps.map(\.action) == [.addToVault, .writeToFolder])
    }

    @Test func statesAreSealedAnewWithTheIndex() throws {
        try write("one", "one")
        #expect(try sync() == [.addToVault])
        try vault.settleKeys(areEarlier: true)
        try vault.remove(try vault.entries())
        #expect(try plan().steps.map(\.action) == [.removeFromFolder])
    }

    /// As two FAT disks, of which each says the number of the slot that it is in.
    @Test func disksThatSayNothingOfThemselvesAreKnownByAMark() throws {
        func plan() throws -> VaultSyncPlan {
            try vault.planSync(with: folder.file("plain"), day: "2026-11-21", told: { _, _ in false })
        }
        func sync() throws { try vault.sync(try plan()) { step, error in #expect(error == nil, "\(step)") } }
        func exchange(_ stick: String, for other: String) throws {
            let (plain, away) = (folder.file("plain"), folder.file(stick))
            try Folder.create(away)
            try Folder.create(folder.file(other))
            for name in Folder.names(in: plain) {
                try #require(unsafe rename("\(plain)/\(name)", "\(away)/\(name)") == 0)
            }
            for name in Folder.names(in: folder.file(other)) {
                try #require(unsafe rename("\(folder.file(other))/\(name)", "\(plain)/\(name)") == 0)
            }
        }
        for name in ["one", "two"] { try write(name, name) }
        try sync()
        #expect(try plan().caution == nil && plan().steps.isEmpty)
        let marks = Folder.names(in: folder.file("plain")).filter { SyncParts(vault.keys).mark($0) != nil }
        let others = SyncParts(try VaultKeys(recipients: []))
        #expect(marks.count == 1 && others.mark(marks.first ?? "") == nil)

        // Another disk, with nothing on it, has removed nothing.
        try exchange("first", for: "second")
        #expect(try plan().caution == .otherFolder)
        #expect(try plan().steps.map(\.action) == [.writeToFolder, .writeToFolder])
        // One that is exchanged while somebody is asked has removed nothing, either.
        try exchange("second", for: "first")
        #expect(unsafe unlink(folder.file("plain/two")) == 0)
        let asked = try plan()
        #expect(asked.steps.map(\.action) == [.removeFromVault])
        try exchange("first", for: "second")
        var failures = 0
        try vault.sync(asked) { failures += $1 == nil ? 0 : 1 }
        #expect(try failures == 1 && vault.entries().count == 2)
        // The first is known again.
        try exchange("second", for: "first")
        #expect(try plan().caution == nil)
        #expect(try plan().steps.map(\.action) == [.removeFromVault])
        // With the marks of two, it might be either.
        try write("copied", SyncParts(vault.keys).newMark())
        #expect(try plan().caution == .otherFolder)
        try sync()
        #expect(try plan().caution == nil && read("two") == "two")
    }

    /// Of another vault, or of this one before its index got another key.
    @Test func marksAreNoFilesWhoeverLeftThem() throws {
        let mark = SyncParts(try VaultKeys(recipients: [])).newMark()
        try write("a mark", mark)
        try store("a mark", "folder/" + SyncParts(try VaultKeys(recipients: [])).newMark())
        #expect(try plan().steps.isEmpty)
        try write("text", ".mildam-notes.folder")
        #expect(try sync() == [.addToVault])
        #expect(read(mark) == "a mark")
    }

    @Test(arguments: [(0, 5, false), (5, 5, false), (9, 5, true)] as [(UInt64, UInt64, Bool)])
    func theNumberOfADeviceTellsNoDisk(_ system: UInt64, _ device: UInt64, _ isTold: Bool) {
        #expect(SyncDisk.rule(system, device) == isTold)
    }

    /// Whatever is done on both sides, two synchronisations in a row leave nothing to do, and no content is lost that
    /// nobody removed or replaced.
    @Test func randomChanges() throws {
        var random = Seed.generator(for: "vault sync")
        var number = 0
        for round in 0..<Count.of(few: 6, full: 100) {
            var kept: Set<String> = []
            for name in ["a", "b/c", "b/d", "e"] where Bool.random(using: &random) {
                number += 1
                switch Int.random(in: 0..<3, using: &random) {
                case 0:
                    try write("\(number)", name)
                    kept.insert("\(number)")
                case 1:
                    let path = folder.file("source-\(number)")
                    try WholeFile.write(Array("\(number)".utf8).span, to: path)
                    let entries = try vault.entries().filter { $0.name.description == name }
                    if !entries.isEmpty { try vault.remove(entries) }
                    try vault.add([VaultSource(path: path, name: try VaultName(name))])
                    kept.insert("\(number)")
                default:
                    let entries = try vault.entries().filter { $0.name.description == name }
                    if !entries.isEmpty { try vault.remove(entries) }
                }
            }
            _ = try sync()
            let place = try SyncFolder(folder.file("plain"), besides: vault.folder, SyncParts(vault.keys))
            let listing = try SyncListing(place, besides: vault.folder)
            let there = Set(listing.files.compactMap { read($0.name.description) })
            #expect(there.isSuperset(of: kept), "round \(round): \(kept.subtracting(there))")
            #expect(Set(try vault.entries().map(\.name.key)) == Set(listing.files.map(\.name.key)), "round \(round)")
        }
    }
}
