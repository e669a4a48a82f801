import Foundation
import MildamSystem
import TestSupport
import Testing

@Suite("Files that get their name when they are whole")
struct NewFileTests {
    private func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    @Test("Until then there is nothing in the folder, so that a program that is killed leaves nothing")
    func withoutName() throws {
        try withFolder { folder in
            do {
                var file = try NewFile(for: "\(folder)/file")
                try file.descriptor.write([1, 2, 3].span)
                #expect(try names(in: folder) == [])
                try file.publish(replacing: false)
            }
            #expect(try names(in: folder) == ["file"])
            #expect(try WholeFile.read("\(folder)/file", limit: 9) == [1, 2, 3])
            let mode = try FileManager.default.attributesOfItem(atPath: "\(folder)/file")[.posixPermissions]
            #expect(mode as? Int == 0o600)
        }
    }

    @Test("What came there meanwhile stays, a link that leads nowhere included", arguments: [true, false])
    func replacesNothing(unnamed: Bool) throws {
        try withFolder { folder in
            for name in ["file", "link"] {
                var file = try NewFile(for: "\(folder)/\(name)", unnamed: unnamed)
                try file.descriptor.write([9].span)
                if name == "file" {
                    try Data([1]).write(to: URL(fileURLWithPath: "\(folder)/file"))
                } else {
                    try #require(unsafe symlink("nowhere", "\(folder)/link") == 0)
                }
                var code: Int32?
                do throws(SystemError) { try file.publish(replacing: false) } catch { code = error.code }
                #expect(code == EEXIST)
            }
            #expect(try names(in: folder) == ["file", "link"])
            #expect(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/file")) == Data([1]))
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/link") == "nowhere")
            #expect(WholeFile.isTaken("\(folder)/link") && !WholeFile.exists("\(folder)/link"))
            #expect(!WholeFile.isTaken("\(folder)/nothing"))
        }
    }

    @Test("Replacing takes the place of what is there, and only at the end", arguments: [true, false])
    func replaces(unnamed: Bool) throws {
        try withFolder { folder in
            let path = "\(folder)/file"
            try Data([1]).write(to: URL(fileURLWithPath: path))
            do {
                var file = try NewFile(for: path, unnamed: unnamed)
                try file.descriptor.write([2, 2].span)
                #expect(try WholeFile.read(path, limit: 9) == [1])
                try file.publish(replacing: true)
            }
            #expect(try WholeFile.read(path, limit: 9) == [2, 2])
            #expect(try names(in: folder) == ["file"])
        }
    }

    @Test("It has the time that it is given, before 1970 too", arguments: [true, false])
    func time(unnamed: Bool) throws {
        try withFolder { folder in
            for seconds in [Int64(1_000_000_000), 0, -86_400] {
                var file = try NewFile(for: "\(folder)/file", unnamed: unnamed)
                try file.descriptor.write([1].span)
                try file.setModified(seconds)
                try file.publish(replacing: true)
                var status = stat()
                let result = unsafe stat("\(folder)/file", &status)
                #expect(result == 0 && Int64(status.st_mtim.tv_sec) == seconds)
            }
        }
    }

    @Test("It takes the permissions of another; of a list, no more than what it says of all", arguments: [true, false])
    func permissions(unnamed: Bool) throws {
        try withFolder { folder in
            let path = "\(folder)/file"
            func replaced() throws -> mode_t {
                var old = stat()
                try #require(unsafe lstat(path, &old) == 0)
                var file = try NewFile(for: path, unnamed: unnamed)
                file.takePermissions(of: old)
                try file.publish(replacing: true)
                var new = stat()
                try #require(unsafe lstat(path, &new) == 0)
                #expect(new.st_gid == old.st_gid)
                return new.st_mode & 0o7777
            }
            try Data([1]).write(to: URL(fileURLWithPath: path))
            for mode in [0o640, 0o755, 0o400, 0o6711] as [mode_t] {
                try #require(unsafe chmod(path, mode) == 0)
                #expect(try replaced() == mode & 0o777)
            }
            if geteuid() == 0 {
                try #require(unsafe chown(path, 0, 65534) == 0)
                try #require(unsafe chmod(path, 0o640) == 0)
                #expect(try replaced() == 0o640)
            }
            // One more may read; the group may nothing, and its permissions are the bound of the list.
            let list = """
                import os, struct, sys
                entries = [(1, 6, -1), (2, 4, 65534), (4, 0, -1), (16, 4, -1), (32, 0, -1)]
                value = struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *entry) for entry in entries)
                os.setxattr(sys.argv[1], "system.posix_acl_access", value)
                """
            if try Program.run("python3", ["-c", list, path]).status == 0 {
                #expect(try replaced() == 0o600)
            } else {
                print("access lists were not looked at: the file system of \(folder) has none")
            }
        }
    }

    @Test("Given up, it leaves nothing, also where it had a temporary name", arguments: [true, false])
    func givenUp(unnamed: Bool) throws {
        try withFolder { folder in
            do {
                let file = try NewFile(for: "\(folder)/file", unnamed: unnamed)
                try file.descriptor.write([2].span)
                #expect(try names(in: folder).count == (unnamed ? 0 : 1))
            }
            #expect(try names(in: folder) == [])
        }
    }

    @Test("Names up to the longest that a file system takes", arguments: [true, false])
    func longNames(unnamed: Bool) throws {
        try withFolder { folder in
            for name in [String(repeating: "x", count: 255), String(repeating: "밀", count: 85)] {
                var file = try NewFile(for: "\(folder)/\(name)", unnamed: unnamed)
                try file.publish(replacing: true)
                #expect(WholeFile.isTaken("\(folder)/\(name)"))
            }
            #expect(try names(in: folder).count == 2)
            #expect(Set(Folder.names(in: folder)) == Set(try names(in: folder)))
        }
        #expect(Folder.names(in: "/nowhere") == [])
    }
}
