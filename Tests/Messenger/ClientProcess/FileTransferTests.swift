import Foundation
import Glibc
import HouseSupport
import MildamClientAPI
import MildamContent
import MildamCrypto
import MildamIdentity
import MildamProfile
import MildamRelayAPI
import MildamSystem
import TestSupport
import Testing

@testable import MildamMessenger

@Suite("Files that a profile's client sends and saves")
struct FileTransferTests {
    @Test("whole, of each size, under its own name and size; and nothing is left on the way")
    func wayThereAndBack() async throws {
        let house = try RoomHouse()
        let (alice, bob, room) = try await house.fileRoom()
        for count in [0, 1, 65_536, 1_500_001] {
            let (path, content) = try house.write("file \(count).bin", count)
            let id = try await alice.send(path, to: room)
            let number = try await bob.number(of: id, in: room)
            let entry = try #require(try await bob.person.rooms.entries(of: room, .from(number, count: 1)).first)
            guard case .content(let bytes) = entry.kind,
                case .attachment(let file) = try MimiContent(encoded: bytes).kind
            else {
                Issue.record("no file")
                return
            }
            #expect(file.size == UInt64(count) && file.filename == "file \(count).bin")
            #expect(try await bob.save(number, of: room, to: house.folder.file("copy \(count)")) == .done())
            #expect(house.read("copy \(count)") == content)
        }
        for person in [alice, bob] {
            #expect(person.names(in: "sending").isEmpty && person.names(in: "saving").isEmpty)
            #expect(try await person.messenger.sendingFiles().isEmpty)
            #expect(await !person.files.isBusy)
        }
        await house.stop()
    }

    @Test("the relay is away, and another process begins: it is sent once, and shown as waiting until then")
    func goesOn() async throws {
        let house = try RoomHouse()
        let (alice, bob, room) = try await house.fileRoom()
        let (path, content) = try house.write("file", 1_500_000)
        await house.stop()
        let id = try await alice.files.send(path, saying: "look", to: room)
        try await until { await alice.files.outcome(of: id, within: 0) == .waiting(code: "unreachable") }
        let items = await alice.files.items(of: room, by: nil)
        #expect(items.map(\.key) == [id] && items.first?.state == .waiting && items.first?.text == "look")
        #expect(items.first?.file == RoomItem.File(name: "file", size: 1_500_000))
        #expect(alice.names(in: "sending").count == 1)
        // Its content is here: what becomes of the file itself is nothing to it any more.
        try FileManager.default.removeItem(atPath: path)
        try await alice.restart()
        try house.start()
        guard case .done? = await alice.files.outcome(of: id, within: 60) else {
            Issue.record("it was not sent")
            return
        }
        let number = try await bob.number(of: id, in: room)
        #expect(try await bob.save(number, of: room, to: house.folder.file("copy")) == .done())
        #expect(house.read("copy") == content)
        await house.stop()
    }

    @Test("while a file is on its way, what is said goes out, and is not behind it")
    func textMeanwhile() async throws {
        let house = try RoomHouse()
        let proxy = try TamperingProxy.start(before: house.url)
        defer {
            proxy.letGo()
            proxy.stop()
        }
        let profile = OpenProfile(folder: house.folder.file("alice"))
        let messenger = Messenger(profile: profile)
        try await messenger.createAccount(Handle("alice"), at: proxy.url, password: RoomHouse.password)
        let alice = try await FilePerson(RoomPerson(Handle("alice"), profile, TestRoomStore()))
        let bob = try await FilePerson(house.person("bobby"))
        try await until { try await alice.person.rooms.stock() > 0 }
        let room = try await alice.person.makeRoom("garden")
        try await alice.person.invite(bob.person, to: room)
        let (path, content) = try house.write("file", 100_000)
        proxy.hold { Routes.putPiece ~= $0 }
        let id = try await alice.files.send(path, saying: "", to: room)
        try await until { proxy.held > 0 }
        try await alice.person.say("meanwhile", in: room)
        try await until { try await bob.person.texts(in: room) == ["meanwhile"] }
        #expect(proxy.held > 0, "the relay has not answered")
        if case .done? = await alice.files.outcome(of: id, within: 0) { Issue.record("the file is not there yet") }
        let said = try #require(try await bob.person.rooms.entries(of: room, .last(count: 1)).last).number

        proxy.letGo()
        guard case .done? = await alice.files.outcome(of: id, within: 60) else {
            Issue.record("it was not sent")
            return
        }
        let number = try await bob.number(of: id, in: room)
        #expect(number > said)
        #expect(try await bob.save(number, of: room, to: house.folder.file("copy")) == .done())
        #expect(house.read("copy") == content)
        await house.stop()
    }

    @Test("the process ended between the message and what it had to forget: it is said once")
    func saidOnce() async throws {
        let house = try RoomHouse()
        let (alice, bob, room) = try await house.fileRoom()
        let (path, _) = try house.write("file", 1_000)
        await house.stop()
        let id = try await alice.files.send(path, saying: "", to: room)
        try await until { await alice.files.sending[id]?.staged != nil }
        var record = try #require(await alice.files.sending[id])
        try house.start()
        guard case .done(let number)? = await alice.files.outcome(of: id, within: 60) else {
            Issue.record("it was not sent")
            return
        }
        record.saidAfter = 0
        try await alice.messenger.keep(record)
        try await alice.restart()
        let found = try await alice.number(of: id, in: room)
        #expect(await alice.files.outcome(of: id, within: 60) == .done(number: found))
        #expect(number == nil || number == found)
        _ = try await bob.number(of: id, in: room)
        let said = try await bob.person.rooms.entries(of: room, .last(count: 100)).filter { $0.id == id }
        #expect(said.count == 1)
        #expect(try await alice.messenger.sendingFiles().isEmpty)
        await house.stop()
    }

    /// What becomes of a file whose reading was interrupted.
    @Test func interruptedWhileItIsRead() async throws {
        let house = try RoomHouse()
        let (alice, bob, room) = try await house.fileRoom()
        let (same, content) = try house.write("same", 1_000)
        let (changed, _) = try house.write("changed", 1_000)
        let pipe = house.folder.file("pipe")
        try #require(unsafe mkfifo(pipe, 0o600) == 0)
        var records: [SendingFile] = []
        for path in [same, changed, house.folder.file("pipe")] {
            let record = SendingFile(try OpenSource(path), saying: "", in: room, at: 1_700_000_000_000, as: .random())
            try await alice.messenger.keep(record)
            records.append(record)
        }
        try Data(repeating: 7, count: 1_001).write(to: URL(fileURLWithPath: changed))
        try await alice.restart()
        guard case .done? = await alice.files.outcome(of: records[0].message, within: 60) else {
            Issue.record("what is as it was is not sent")
            return
        }
        let number = try await bob.number(of: records[0].message, in: room)
        #expect(try await bob.save(number, of: room, to: house.folder.file("copy")) == .done())
        #expect(house.read("copy") == content)
        for (record, code) in [(records[1], "file-changed"), (records[2], "file-interrupted")] {
            #expect(await alice.files.outcome(of: record.message, within: 60) == .failed(code: code))
            let item = await alice.files.items(of: room, by: nil).first { $0.key == record.message }
            #expect(item?.state == .failed(code: code), "it is shown until it is given up")
            try await alice.files.cancel(record.message)
        }
        #expect(await alice.files.items(of: room, by: nil).isEmpty)
        #expect(try await alice.messenger.sendingFiles().isEmpty)
        await house.stop()
    }

    @Test("what could not be sent is shown until it is dropped or its room is forgotten, however long ago that was")
    func failedLongAgo() async throws {
        let house = try RoomHouse()
        let alice = try await FilePerson(house.person("alice"))
        let (room, other) = (try await alice.person.makeRoom("garden"), try await alice.person.makeRoom("shed"))
        let (path, _) = try house.write("file", 10)
        let long = String(repeating: "x", count: LineLimits.itemText + 1)
        for place in [room, room, other] {
            var record = SendingFile(try OpenSource(path), saying: long, in: place, at: 1_000, as: .random())
            record.failure = "file-changed"
            try await alice.messenger.keep(record)
        }
        try await alice.restart()
        let items = await alice.files.items(of: room, by: nil)
        #expect(items.map(\.state) == [.failed(code: "file-changed"), .failed(code: "file-changed")])
        #expect(items.map(\.cut) == [long.utf8.count, long.utf8.count])
        let dropped = try #require(items.first?.key)
        #expect(await alice.files.text(of: dropped, in: room) == long)
        #expect(await alice.files.text(of: dropped, in: other) == nil)
        try await alice.files.cancel(dropped)
        try await alice.restart()
        #expect(await alice.files.items(of: room, by: nil).map(\.key) == items.suffix(1).map(\.key))

        try await alice.person.get(.leave, in: room)
        let view = RoomView(rooms: alice.person.rooms, book: MemoryBook(), files: alice.files)
        #expect(try await ClientDispatcher(view: view).answer(.forget(room: room)) == .done)
        #expect(try await alice.messenger.sendingFiles().map(\.room) == [other])
        await house.stop()
    }

    /// Of a pipe nobody knows the size before its end.
    @Test func aPipeIsReadToItsEnd() async throws {
        let house = try RoomHouse()
        let (alice, bob, room) = try await house.fileRoom()
        let pipe = house.folder.file("pipe")
        try #require(unsafe mkfifo(pipe, 0o600) == 0)
        let writer = unsafe open(pipe, O_RDWR)
        let id = try await alice.files.send(pipe, saying: "", to: room)
        var item = await alice.files.items(of: room, by: nil).first
        #expect(item?.state == .sending(done: 0, of: 0) && item?.file?.size == 0)
        let content = Array("through a pipe".utf8)
        #expect(unsafe write(writer, content, content.count) == content.count)
        item = await alice.files.items(of: room, by: nil).first
        #expect(item?.state == .sending(done: 0, of: 0), "it goes on")
        close(writer)
        guard case .done? = await alice.files.outcome(of: id, within: 60) else {
            Issue.record("it was not sent")
            return
        }
        let number = try await bob.number(of: id, in: room)
        #expect(try await bob.save(number, of: room, to: house.folder.file("copy")) == .done())
        #expect(house.read("copy") == Data(content))
        await house.stop()
    }

    @Test func givenUpItIsGone() async throws {
        let house = try RoomHouse()
        let (alice, _, room) = try await house.fileRoom()
        let (path, _) = try house.write("file", 100_000)
        await house.stop()
        var changes = await alice.files.changes().makeAsyncIterator()
        let id = try await alice.files.send(path, saying: "", to: room)
        try await until { await alice.files.outcome(of: id, within: 0) == .waiting(code: "unreachable") }
        try await alice.files.cancel(id)
        #expect(await alice.files.outcome(of: id, within: 10) == .failed(code: "cancelled"))
        while let change = await changes.next() {
            if case .gone(room, id) = change { break }
        }
        #expect(alice.names(in: "sending").isEmpty)
        #expect(try await alice.messenger.sendingFiles().isEmpty)
        await #expect(throws: RoomFault("no-such-transfer", ["wish": "\(id)"])) { try await alice.files.cancel(id) }
    }

    @Test func whatCannotBeSentIsToldAtOnce() async throws {
        let house = try RoomHouse()
        let alice = try await FilePerson(house.person("alice"))
        let room = try await alice.person.makeRoom("garden")
        let large = house.folder.file("large")
        try Data().write(to: URL(fileURLWithPath: large))
        try #require(unsafe truncate(large, 1 << 32) == 0)
        for (path, fault) in [
            ("relative", RoomFault("bad-line", ["field": "path"])),
            (house.folder.file("nowhere"), RoomFault("file-not-readable", ["errno": "\(ENOENT)"])),
            (house.folder.path, RoomFault("file-not-readable", ["errno": "\(EISDIR)"])),
            (large, RoomFault("file-too-large", ["most": "\(1 << 32)"])),
        ] {
            await #expect(throws: fault) { try await alice.files.send(path, saying: "", to: room) }
        }
        #expect(alice.names(in: "sending").isEmpty)
        #expect(try await alice.messenger.sendingFiles().isEmpty)
        await house.stop()
    }

    @Test func nothingThatIsThereIsTouchedUnlessToldTo() async throws {
        let house = try RoomHouse()
        let (alice, bob, room) = try await house.fileRoom()
        let (path, content) = try house.write("file", 10)
        let number = try await bob.number(of: try await alice.send(path, to: room), in: room)
        let taken = house.folder.file("taken")
        try Data("before".utf8).write(to: URL(fileURLWithPath: taken))
        await #expect(throws: RoomFault("file-exists")) { try await bob.save(number, of: room, to: taken) }
        #expect(house.read("taken") == Data("before".utf8))
        #expect(try await bob.save(number, of: room, to: taken, replacing: true) == .done())
        #expect(house.read("taken") == content)
        await #expect(throws: RoomFault("no-file", ["number": "1"])) {
            try await bob.save(1, of: room, to: house.folder.file("none"))
        }
        let missing = "\(house.folder.path)/no/folder/x"
        #expect(try await bob.save(number, of: room, to: missing) == .failed(code: "errno-\(ENOENT)"))
        await house.stop()
    }

    @Test func aDiskThatIsFullIsWaitedFor() {
        for code in [ENOSPC, EDQUOT] {
            #expect(TransferFault(SystemError("write", code: code)) == .passing(code: "disk-full"))
        }
        #expect(TransferFault(SystemError("write", code: EIO)) == .final(code: "errno-\(EIO)"))
    }

    /// A member who lies about a file.
    @Test func whatAMemberSaysOfAFileIsHeldAgainstIt() async throws {
        let house = try RoomHouse()
        let (alice, bob, room) = try await house.fileRoom()
        let (path, content) = try house.write("file", 100_000)
        let number = try await bob.number(of: try await alice.send(path, to: room), in: room)
        let entry = try #require(try await bob.person.rooms.entries(of: room, .from(number, count: 1)).first)
        guard case .content(let bytes) = entry.kind, case .attachment(let sent) = try MimiContent(encoded: bytes).kind
        else {
            Issue.record("no file")
            return
        }
        func lie(
            blob: BlobID? = nil,
            key: SymmetricKey? = nil,
            digest: [UInt8]? = nil,
            size: UInt64? = nil,
            name: String = "file"
        ) async throws -> UInt64 {
            let file = try AttachedFile(
                blob: blob ?? sent.blob,
                identity: key ?? sent.identity,
                digest: digest ?? sent.digest,
                size: size ?? sent.size,
                contentType: sent.contentType,
                filename: name
            )
            let id = try await alice.person.get(.say(file.part, inReplyTo: nil, blobs: []), in: room)
            return try await bob.number(of: id, in: room)
        }
        let target = house.folder.file("target")
        for (number, code) in [
            (try await lie(blob: .random()), "file-gone"),
            (try await lie(key: SymmetricKey(size: .bits256)), "file-damaged"),
            (try await lie(digest: [UInt8](repeating: 7, count: 32)), "file-damaged"),
            (try await lie(size: 100_001), "file-damaged"),
            (try await lie(size: 0), "file-damaged"),
            (try await lie(size: .max), "file-damaged"),
            (try await lie(size: 1 << 32), "file-damaged"),
        ] {
            #expect(try await bob.save(number, of: room, to: target) == .failed(code: code), "\(number)")
            #expect(house.read("target") == nil)
        }
        // The name is a name and no path, whatever it says.
        let folder = try TemporaryFolder()
        let named = try await lie(name: "../../\u{202e}../evil\u{1b}[2J\u{0}.txt")
        let begun = try await bob.files.save(named, of: room, to: folder.path + "/", replacing: false)
        #expect(begun.path == folder.path + "/evil[2J.txt")
        #expect(await bob.files.outcome(of: begun.id, within: 60) == .done())
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["evil[2J.txt"])
        let nameless = try await lie(name: " ..\u{202e}/")
        let second = try await bob.files.save(nameless, of: room, to: folder.path + "/", replacing: false)
        #expect(second.path == folder.path + "/file-\(nameless)")
        #expect(await bob.files.outcome(of: second.id, within: 60) == .done())
        #expect(FileManager.default.contents(atPath: second.path) == content)
        await house.stop()
    }

    /// What is printed of one shows nothing that opens it.
    @Test func aRecordShowsNoKey() throws {
        let folder = try TemporaryFolder()
        try Data("a".utf8).write(to: URL(fileURLWithPath: folder.file("a")))
        let file = SendingFile(try OpenSource(folder.file("a")), saying: "", in: .random(), at: 1, as: .random())
        var dumped = ""
        dump(file, to: &dumped)
        #expect("\(file)" == "SendingFile (\(file.blob), 1 bytes)")
        let secret = unsafe file.secret.withUnsafeBytes { unsafe Data($0).base64EncodedString() }
        #expect(!dumped.contains(secret))
    }
}
