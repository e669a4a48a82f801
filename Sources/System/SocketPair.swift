import Glibc

/// Two sockets that are connected with each other, one of them for a program that is about to be started.
struct SocketPair: ~Copyable {
    let own: Descriptor
    let theirs: Descriptor

    init() throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        guard unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw .last("make a pair of sockets")
        }
        own = Descriptor(owning: ends[0])
        theirs = Descriptor(owning: ends[1])
    }
}
