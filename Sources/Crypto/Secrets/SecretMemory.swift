import Glibc
import MildamSystem

/// Memory for secrets: locked against swapping where the system allows, left out of core dumps, wiped on release.
///
/// Small secrets share pages, because a lock and its limit (`RLIMIT_MEMLOCK`) count whole pages: 64 KiB at a time is
/// mapped, locked and cut into slots of one size, which are used again and never unmapped. A secret of more than one
/// page has a mapping of its own.
package enum SecretMemory {
    /// Memory of at least `count` bytes with any content. Ends the program when there is none left.
    static func allocate(_ count: Int) -> UnsafeMutableRawPointer {
        guard let size = slotSize(for: count) else { return unsafe map(count) }
        let address = slots.withLock { slots in slots.take(size) }
        guard let start = unsafe UnsafeMutableRawPointer(bitPattern: address) else {
            fatalError("no memory left for a secret")
        }
        return unsafe start
    }

    /// Wipes memory that `allocate` gave for the same `count`, and takes it back.
    static func release(_ start: UnsafeMutableRawPointer, _ count: Int) {
        unsafe explicit_bzero(start, count)
        if let size = slotSize(for: count) {
            let address = UInt(bitPattern: start)
            slots.withLock { slots in slots.give(address, size) }
        } else {
            unsafe munmap(start, count)
        }
    }

    /// Wipes the stack below the caller's frame, where the frames of a C function were that just returned: 16 KiB.
    @inline(never)
    package static func wipeStack() {
        var space: InlineArray<16_384, UInt8> = InlineArray(repeating: 0)
        unsafe withUnsafeMutableBytes(of: &space) { space in
            if let start = space.baseAddress { unsafe explicit_bzero(start, space.count) }
        }
    }

    private static let slots = Lock(Slots())

    private static func slotSize(for count: Int) -> Int? {
        switch count {
        case ...64: 64
        case ...512: 512
        case ...4096: 4096
        default: nil
        }
    }

    /// Pages of our own, locked and undumpable.
    fileprivate static func map(_ count: Int) -> UnsafeMutableRawPointer {
        let flags = MAP_PRIVATE | MAP_ANONYMOUS
        guard let start = unsafe mmap(nil, count, PROT_READ | PROT_WRITE, flags, -1, 0),
            unsafe start != UnsafeMutableRawPointer(bitPattern: -1)
        else { fatalError("no memory left for a secret") }
        // Both are hardening: without the right to lock more memory a secret is still kept, and still wiped.
        unsafe mlock(start, count)
        unsafe madvise(start, count, Int32(MADV_DONTDUMP))
        return unsafe start
    }
}

/// The free slots, by size, as addresses.
private struct Slots {
    private var free: [Int: [UInt]] = [:]
    private static let blockSize = 65_536

    mutating func take(_ size: Int) -> UInt {
        if let address = free[size, default: []].popLast() { return address }
        let start = unsafe UInt(bitPattern: SecretMemory.map(Slots.blockSize))
        free[size] = stride(from: size, to: Slots.blockSize, by: size).reversed().map { start + UInt($0) }
        return start
    }

    mutating func give(_ address: UInt, _ size: Int) {
        free[size, default: []].append(address)
    }
}
