import Foundation

/// Sockets with a path.
enum UnixSocket {
    static func listener(at path: String) throws -> Int32 {
        try unsafe make(path) { unsafe bind($0, $1, $2) == 0 && listen($0, 16) == 0 }
    }

    static func connection(to path: String) throws -> Int32 {
        try unsafe make(path) { unsafe connect($0, $1, $2) == 0 }
    }

    private static func make(
        _ path: String,
        _ use: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Bool
    ) throws -> Int32 {
        let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var place = sockaddr_un()
        place.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &place.sun_path) { unsafe $0.copyBytes(from: Array(path.utf8).prefix(107)) }
        let isUsed = unsafe withUnsafePointer(to: &place) { place in
            unsafe place.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe use(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard isUsed else {
            close(number)
            throw CocoaError(.fileReadUnknown, userInfo: [NSFilePathErrorKey: path])
        }
        return number
    }
}
