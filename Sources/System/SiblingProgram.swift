import Glibc

/// Programs that are installed together with this one.
public enum SiblingProgram {
    /// Where a program is: beside this process's own, otherwise the first of its name in an absolute folder of `PATH`;
    /// `nil` when it is in neither.
    ///
    /// - Parameter name: the program's name, without a slash.
    public static func path(of name: String) -> String? {
        let named = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? ""
        let folders = named.split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
        return ([ownFolder].compactMap(\.self) + folders).map { "\($0)/\(name)" }.first(where: canRun)
    }

    private static var ownFolder: String? {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink("/proc/self/exe", &path, path.count)
        guard count > 0 else { return nil }
        return Folder.parent(of: String(decoding: path.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }

    private static func canRun(_ path: String) -> Bool {
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
        return unsafe access(path, X_OK) == 0
    }
}
