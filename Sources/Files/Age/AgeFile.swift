import Glibc
import MildamSystem

/// Whole age files, in constant memory.
///
/// A target path names nothing new until the file is whole, verified and synced: it is written under another name in
/// the same folder, and renamed. What stood at the path before stays until then, and stays for good when something fails.
/// Files are made with permissions 0600. To a descriptor, chunks go out one by one, each verified.
public enum AgeFile {
    /// Runs `body` on a new file beside `path`, and gives the file its name once it is synced.
    static func writeWhole<Result>(
        _ path: String,
        _ body: (borrowing Descriptor) throws(AgeError) -> Result
    ) throws(AgeError) -> Result {
        let temporary = WholeFile.temporaryName(for: path)
        let file = try io { () throws(SystemError) in try Descriptor.open(temporary, O_WRONLY | O_CREAT | O_EXCL) }
        let result: Result
        do throws(AgeError) {
            result = try body(file)
            try io { () throws(SystemError) in try file.synchronize(path: path) }
        } catch {
            unsafe unlink(temporary)
            throw error
        }
        try io { () throws(SystemError) in try WholeFile.rename(temporary, to: path) }
        return result
    }
}
