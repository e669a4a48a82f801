import Glibc
import MildamCrypto
import MildamFiles
import MildamStorage
import MildamSystem

/// The copy of the names beside the files: what the index says of them, for the day on which it is lost.
///
/// A change writes what it says of names to a file of its own, which is on the disk before the change counts. The index
/// knows the files and their sizes: where they differ from what is there, or where there are many, the next one to change
/// the vault writes all names anew, in one file.
extension Vault {
    /// Files that are read one after the other until all names are written anew.
    private static let maximumNamesFiles = 64

    /// Changes the index, and the copy of the names with it, or neither where `body` fails or refuses.
    ///
    /// - Parameter body: is given what to say of names.
    func changeNames<Value>(
        _ body: (inout [NameRecord]) throws(StorageError) -> Result<Value, VaultError>
    ) throws(VaultError) -> Value {
        var refusal: VaultError?
        var written: Int?
        do throws(VaultError) {
            return try change { () throws(StorageError) -> Value in
                var records: [NameRecord] = []
                let result = try body(&records)
                do throws(VaultError) {
                    let value = try result.get()
                    if !records.isEmpty {
                        let number = try nextNumber(after: namesFolder.files())
                        let size = try writeNames(records, number, isWhole: false)
                        written = number
                        try stored { () throws(StorageError) in try index.addNames(number, size: size) }
                    }
                    return value
                } catch {
                    refusal = error
                    throw StorageError.misuse("a change that was refused")
                }
            }
        } catch {
            if let written { unsafe unlink(namesFolder.path(of: written)) }
            throw refusal ?? error
        }
    }

    /// Writes the copy of the names anew where it is not that of this index, or lies in many files.
    ///
    /// Where there is no room for it, that waits for the next change; while a repair is not finished, for its end.
    func settleNames() throws(VaultError) {
        guard try !stored({ () throws(StorageError) in try index.isRecovering() }) else { return }
        let (known, isEmpty) = try stored { () throws(StorageError) in (try index.names(), try index.isEmpty()) }
        let isRight = known == namesFolder.files() && (!known.isEmpty || isEmpty)
        guard !isRight || known.count > Self.maximumNamesFiles else { return }
        do throws(VaultError) {
            try writeNames()
        } catch .io(let error) where error.isOutOfSpace {
        } catch .storage(.full) {
        }
    }

    /// Writes all names in one file, and removes the others.
    func writeNames() throws(VaultError) {
        let entries = try stored { () throws(StorageError) in try index.entries(formerToo: true) }
        let before = namesFolder.files()
        let records = Self.records(of: entries) + (try strayRecords(entries))
        var written: (number: Int, size: Int)?
        if !records.isEmpty {
            let number = try nextNumber(after: before)
            written = (number, try writeNames(records, number, isWhole: true))
        }
        try change { () throws(StorageError) in
            try index.forgetNames()
            if let written { try index.addNames(written.number, size: written.size) }
        }
        try system { () throws(SystemError) in try namesFolder.remove(before.keys) }
    }

    /// What entries and former versions are called: those as the entry that they were of is now.
    private static func records(of entries: [VaultEntry]) -> [NameRecord] {
        var names: [VaultEntryID: VaultName] = [:]
        if entries.contains(where: { $0.entry != nil }) {
            for entry in entries where entry.entry == nil { names[entry.id] = entry.name }
        }
        return entries.map { entry in
            var record = NameRecord(entry)
            if let name = entry.entry.flatMap({ names[$0] }) { record.name = name }
            return record
        }
    }

    private func nextNumber(after files: [Int: Int]) throws(VaultError) -> Int {
        try system { () throws(SystemError) in try namesFolder.number(after: files) }
    }

    /// - Returns: the file's size in bytes.
    private func writeNames(_ records: [NameRecord], _ number: Int, isWhole: Bool) throws(VaultError) -> Int {
        try system { () throws(SystemError) in try namesFolder.make() }
        let file = NamesFile(vault: keys.id, number: number, isWhole: isWhole, records: records)
        let size = try file.write(
            to: namesFolder.path(of: number),
            for: try keys.allRecipients(),
            under: NamesFile.key(of: keys.current.identity)
        )
        try system { () throws(SystemError) in try Folder.synchronize(namesFolder.path) }
        return size
    }

    /// What the copy says of files that are there and that the index does not know: it may be older than they are.
    private func strayRecords(_ entries: [VaultEntry]) throws(VaultError) -> [NameRecord] {
        guard Folder.isFolder(files.root) else { return [] }
        let strays = Set(try unknownFiles(beside: entries).compactMap { VaultFiles.id(of: $0) })
        guard !strays.isEmpty else { return [] }
        return try readNames(opening: keys.identities, isProven: true).state.records.filter { strays.contains($0.file) }
    }

    /// Reads the copy of the names.
    ///
    /// - Parameters:
    ///   - identities: one of them opens it.
    ///   - isProven: whether to believe nothing that was not written by who knows the vault's identity.
    ///   - monitor: asked whether to stop.
    /// - Returns: what it says, and how many of its files cannot be read or are not believed.
    /// - Throws: `file` with `lockedKey`; `io` where nothing more can be opened; `cancelled`.
    func readNames(
        opening identities: [any AgeIdentity],
        isProven: Bool,
        _ monitor: FileMonitor = FileMonitor()
    ) throws(VaultError) -> (state: NamesState, damaged: Int) {
        let read = try readNames(numbersOfNames, opening: identities, isProven: isProven, monitor)
        return (read.state, read.damaged.count)
    }

    /// Reads some of the files of the copy of the names.
    ///
    /// - Parameter limit: the most bytes of files that nobody proves; those behind are not believed.
    /// - Returns: what they say, and the numbers of those that cannot be read or are not believed.
    /// - Throws: as ``readNames(opening:isProven:_:)``.
    func readNames(
        _ numbers: [Int],
        opening identities: [any AgeIdentity],
        isProven: Bool,
        atMost limit: Int = NamesFile.maximumUnproven,
        _ monitor: FileMonitor = FileMonitor()
    ) throws(VaultError) -> (state: NamesState, damaged: [Int]) {
        let macKeys = isProven ? keys.generations.map { NamesFile.key(of: $0.identity) } : []
        var (state, damaged, unproven) = (NamesState(), [Int](), 0)
        for number in numbers {
            do throws(VaultError) {
                let path = namesFolder.path(of: number)
                let size = isProven ? 0 : WholeFile.size(path) ?? 0
                guard size <= limit - unproven else { throw .file(path, .differentCiphertext) }
                let file = try NamesFile(at: path, number: number, opening: identities, under: macKeys, monitor)
                guard !isProven || file.vault == keys.id else { throw .file(path, .differentCiphertext) }
                unproven += size
                if file.isWhole { state = NamesState() }
                for record in file.records { state.apply(record) }
            } catch {
                guard error.concernsOneFile else { throw error }
                damaged.append(number)
            }
        }
        return (state, damaged)
    }

    /// The files of the copy of the names, in their order.
    var numbersOfNames: [Int] { namesFolder.files().keys.sorted() }

    /// Whether keys open a file of the copy of the names, whoever wrote it.
    func isNames(_ number: Int, openedBy identities: [any AgeIdentity]) -> Bool {
        do throws(AgeError) {
            _ = try AgeReader(namesFolder.path(of: number), identities: identities)
            return true
        } catch {
            return false
        }
    }

    private var namesFolder: NamesFolder { NamesFolder(in: folder) }
}
