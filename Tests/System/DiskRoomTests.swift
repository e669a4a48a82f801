import Foundation
import MildamSystem
import TestSupport
import Testing

@Suite("Room on a disk")
struct DiskRoomTests {
    @Test("the size is what stat says, and no more is free")
    func size() throws {
        let folder = try TemporaryFolder()
        let room = try DiskRoom(at: folder.path)
        let stat = try Program.run("stat", ["--file-system", "--format", "%b %S %c", folder.path])
        let numbers = stat.output.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        try #require(numbers.count == 3, "\(stat)")
        #expect(room.totalBytes == numbers[0] * numbers[1])
        #expect((0...room.totalBytes).contains(room.freeBytes) && !room.isReadOnly)
        #expect((room.freeFiles == nil) == (numbers[2] == 0))
        if let files = room.freeFiles { #expect((1...numbers[2]).contains(files)) }
    }

    @Test("what is not there has no room")
    func missing() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("nothing")
        #expect(throws: SystemError("look at", path, code: ENOENT)) { try DiskRoom(at: path) }
    }

    @Test(
        "it is seen to fill, and to be protected",
        .enabled(if: SmallDisk.isPossible, "only root can mount a small disk")
    )
    func full() throws {
        let disk = try SmallDisk(kilobytes: 256)
        #expect(try DiskRoom(at: disk.path).totalBytes == 256 << 10)
        #expect(try DiskRoom(at: disk.path).freeBytes > 128 << 10)
        disk.fill()
        #expect(try DiskRoom(at: disk.path).freeBytes == 0)
        try disk.clear()
        try disk.protect()
        let room = try DiskRoom(at: disk.path)
        #expect(room.isReadOnly && room.freeBytes > 128 << 10)
        withExtendedLifetime(disk) {}
    }

    @Test(
        "one without a limit is not taken for a full one",
        .enabled(if: SmallDisk.isPossible, "only root can mount a disk of its own")
    )
    func unlimited() throws {
        let disk = try SmallDisk(kilobytes: 0)
        let room = try DiskRoom(at: disk.path)
        #expect(room.totalBytes == 0 && room.freeBytes == .max)
        withExtendedLifetime(disk) {}
    }
}
