import MildamSystem

/// A name beside a keychain's file, under which the file is kept as it was, with its log where it has one.
struct PlaceAside {
    /// The path.
    let path: String

    /// The first name from a moment on that nothing has.
    ///
    /// - Parameters:
    ///   - name: what the time follows in it.
    ///   - time: milliseconds since 1970.
    init(beside keychain: String, as name: String, at time: Int64) {
        var time = time
        var path = "\(keychain).\(name)-\(time)"
        while WholeFile.isTaken(path) || WholeFile.isTaken(path + "-wal") {
            time += 1
            path = "\(keychain).\(name)-\(time)"
        }
        self.path = path
    }
}
