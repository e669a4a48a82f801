import Glibc
import MildamFiles
import MildamSystem
import MildamWire

/// What says on the disk that files are being added to a vault, and how many of them have entries by now.
///
/// The index knows of it by its id. Files without an entry are deleted only where both are there and agree, so that
/// neither an index of before nor one that has lost the end of its log takes what it has not heard of for unfinished.
final class AdditionMark {
    private static let prefix = "adding-"
    private static let size = 8

    let id: VaultEntryID
    private let file: Descriptor
    private var entries = 0

    private init(_ id: VaultEntryID, _ file: consuming Descriptor) {
        self.id = id
        self.file = file
    }

    /// Puts a mark in the vault's folder; on the disk when this returns.
    static func made(in folder: String) throws(SystemError) -> AdditionMark {
        let id = VaultEntryID.random()
        let path = path(id, folder)
        let mark = AdditionMark(id, try Descriptor.open(path, O_RDWR | O_CREAT | O_EXCL))
        do throws(SystemError) {
            try mark.count(0)
            try mark.file.synchronize(path: path)
            try Folder.synchronize(folder)
        } catch {
            unsafe unlink(path)
            throw error
        }
        return mark
    }

    /// So many more have entries, which are on the disk. This need not be: fewer than there are change nothing.
    func count(_ more: Int) throws(SystemError) {
        entries += more
        var writer = WireWriter(capacity: Self.size)
        writer.integer(UInt64(entries))
        let bytes = writer.bytes
        try file.write(bytes.span, at: 0)
    }

    /// How many files of an addition that was not finished have entries; `nil` where there is no mark of it.
    static func entries(of id: VaultEntryID, in folder: String) -> Int? {
        guard let file = try? Descriptor.open(path(id, folder), O_RDONLY | O_NOFOLLOW | O_NONBLOCK),
            let bytes = try? file.read(upTo: size, at: 0)
        else { return nil }
        var reader = WireReader(bytes.span)
        return (try? reader.integer(UInt64.self)).flatMap { Int(exactly: $0) }
    }

    /// Takes away every mark, whoever put it there. One that stays says nothing without the index.
    static func removeAll(in folder: String) {
        for name in Folder.names(in: folder) where name.hasPrefix(prefix) {
            guard VaultEntryID(String(name.dropFirst(prefix.count))) != nil else { continue }
            unsafe unlink(folder + "/" + name)
        }
    }

    private static func path(_ id: VaultEntryID, _ folder: String) -> String { "\(folder)/\(prefix)\(id)" }
}
