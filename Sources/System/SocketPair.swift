import Glibc

/// Two sockets that are connected with each other, one of them for another program or thread.
package struct SocketPair: ~Copyable {
    /// The end that is kept.
    package let own: Descriptor
    /// The end for the other.
    package let theirs: Descriptor

    /// Makes them.
    package init() throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        guard unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw .last("make a pair of sockets")
        }
        own = Descriptor(owning: ends[0])
        theirs = Descriptor(owning: ends[1])
    }
}
