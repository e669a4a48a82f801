import Glibc
import MildamSystem

/// Where the copy of the names lies: `names/1.age` and those that were written after it.
struct NamesFolder {
    static let name = "names"
    private static let suffix = ".age"

    /// The folder for them.
    let path: String

    /// That of a vault.
    init(in vault: String) {
        path = "\(vault)/\(Self.name)"
    }

    /// Where the file of a number is.
    func path(of number: Int) -> String { "\(path)/\(number)\(Self.suffix)" }

    /// The files that are there, by their numbers, and their sizes in bytes.
    func files() -> [Int: Int] {
        var files: [Int: Int] = [:]
        for name in Folder.names(in: path) where name.hasSuffix(Self.suffix) {
            guard let number = Int(name.dropLast(Self.suffix.count)), number > 0, path(of: number) == "\(path)/\(name)",
                let size = WholeFile.size(path(of: number))
            else { continue }
            files[number] = size
        }
        return files
    }

    /// The number of the file that comes after these.
    ///
    /// - Throws: `SystemError` with `EEXIST` where there is none: somebody else has put a file of the last number there.
    func number(after files: [Int: Int]) throws(SystemError) -> Int {
        let last = files.keys.max() ?? 0
        guard last < .max else { throw SystemError("write a file after", path(of: last), code: EEXIST) }
        return last + 1
    }

    /// Makes the folder, if it is not there.
    ///
    /// - Throws: `SystemError`, which distrusts a link to another: what is removed there would be somebody's.
    func make() throws(SystemError) {
        try Folder.create(path)
        try Folder.checkIsNoLink(path)
    }

    /// Removes files, and waits until they are gone from the disk.
    ///
    /// - Throws: as ``make()``.
    func remove(_ numbers: some Sequence<Int>) throws(SystemError) {
        guard Folder.isFolder(path) else { return }
        try make()
        for number in numbers {
            let file = path(of: number)
            guard unsafe unlink(file) == 0 || errno == ENOENT else { throw .last("remove", file) }
        }
        try Folder.synchronize(path)
    }
}
