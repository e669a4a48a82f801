import Glibc

/// The way from the root of the file system to a folder, walked name by name, each looked at before it is gone through.
///
/// Paths are enough for that: once a name was found well, nobody but root and the user can put another thing under it, so
/// that what was looked at is what the same path means later. Links are taken apart and their targets walked like the rest.
struct TrustedWay {
    /// Where a way ends.
    enum End {
        /// At a folder; its path without links.
        case folder(String, PlaceStatus)
        /// Before something that is not there yet: it can be made there.
        case missing(String)
    }

    /// As many links as Linux follows in one path.
    private static let maximumLinks = 40

    private let rule: TrustRule
    private let named: String
    private var here = "/"
    private var status: PlaceStatus
    /// What is still to be gone through, the next last.
    private var rest: [String]
    private var links = 0

    /// Walks to a folder.
    ///
    /// - Throws: `SystemError`: with what is not trusted on the way; `ENOTDIR` where something else than a folder has the
    ///   name; `ELOOP`, `EACCES`.
    static func end(of path: String, _ rule: TrustRule) throws(SystemError) -> End {
        var way = try TrustedWay(to: path, rule)
        while let name = way.rest.popLast() {
            if let missing = try way.go(to: name) { return .missing(missing) }
        }
        return .folder(way.here, way.status)
    }

    private init(to path: String, _ rule: TrustRule) throws(SystemError) {
        self.rule = rule
        named = path
        rest = Self.names(in: path).reversed()
        guard let top = try PlaceStatus(of: "/", for: rule.user) else {
            throw SystemError("look at", "/", code: ENOENT)
        }
        status = top
        if !path.utf8.starts(with: "/".utf8) {
            guard !path.isEmpty else { throw SystemError("use the folder", path, code: ENOENT) }
            rest += Self.names(in: try Self.currentFolder()).reversed()
        }
        if top.owner != 0, top.owner != rule.user { throw SystemError(UntrustedPlace("/", .owner(top.owner))) }
    }

    /// - Returns: the path of `name` when nothing is there.
    private mutating func go(to name: String) throws(SystemError) -> String? {
        if name == "." { return nil }
        // Every folder above has been looked at.
        let next = name == ".." ? Folder.parent(of: here) : (here == "/" ? "" : here) + "/" + name
        let found = try PlaceStatus(of: next, for: rule.user)
        if name != ".." {
            switch rule.fault(of: found, in: status) {
            case .folder(let fault): throw SystemError(UntrustedPlace(here, fault))
            case .entry(let fault): throw SystemError(UntrustedPlace(next, fault))
            case nil: break
            }
        }
        guard let found else { return next }
        switch found.kind {
        case .folder: (here, status) = (next, found)
        case .link: try follow(next)
        case .file, .other: throw SystemError("use the folder", next, code: ENOTDIR)
        }
        return nil
    }

    private mutating func follow(_ link: String) throws(SystemError) {
        links += 1
        guard links <= Self.maximumLinks else { throw SystemError("use the folder", named, code: ELOOP) }
        let target = try Self.target(of: link)
        if target.utf8.starts(with: "/".utf8) {
            guard let top = try PlaceStatus(of: "/", for: rule.user) else {
                throw SystemError("look at", "/", code: ENOENT)
            }
            (here, status) = ("/", top)
        }
        rest += Self.names(in: target).reversed()
    }

    /// The names in a path, by bytes: a mark that combines with the slash makes another character of it.
    private static func names(in path: String) -> [String] {
        path.utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func target(of link: String) throws(SystemError) -> String {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink(link, &bytes, Int(PATH_MAX))
        guard count >= 0 else { throw .last("look at", link) }
        guard count < Int(PATH_MAX) else { throw SystemError("look at", link, code: ENAMETOOLONG) }
        return try text(bytes.prefix(count), link)
    }

    private static func currentFolder() throws(SystemError) -> String {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        guard unsafe getcwd(&bytes, Int(PATH_MAX)) != nil else { throw .last("find the current folder") }
        return try text(bytes.prefix { $0 != 0 }, "the current folder's name")
    }

    /// What is no text would be another path.
    private static func text(_ bytes: ArraySlice<CChar>, _ subject: String) throws(SystemError) -> String {
        guard let text = String(validating: bytes.map(UInt8.init(bitPattern:)), as: UTF8.self) else {
            throw SystemError("read", subject, code: EILSEQ)
        }
        return text
    }
}
