import Foundation

/// This process's own memory, read without touching it.
public enum ProcessMemory {
    /// The first place from which eight of these masked bytes stand, unmasked, where all of them were: counted from
    /// `address`, in steps of eight. They are read into pages of their own: what `malloc` gave could be laid over them.
    public static func firstLeft(of masked: [UInt8], at address: UInt) throws -> Int? {
        let descriptor = unsafe open("/proc/self/mem", O_RDONLY)
        let flags = MAP_PRIVATE | MAP_ANONYMOUS
        let left = unsafe mmap(nil, masked.count, PROT_READ | PROT_WRITE, flags, -1, 0)
        defer {
            unsafe munmap(left, masked.count)
            close(descriptor)
        }
        guard unsafe pread(descriptor, left, masked.count, off_t(address)) == masked.count else {
            throw CocoaError(.fileReadUnknown)
        }
        let bytes = unsafe UnsafeRawBufferPointer(start: left, count: masked.count)
        return stride(from: 0, to: masked.count - 7, by: 8).first { start in
            (start..<start + 8).allSatisfy { unsafe bytes[$0] == masked[$0] ^ 0xff }
        }
    }

    /// How often a masked pattern stands, unmasked, in writable memory other than the search's.
    public static func occurrences(of masked: [UInt8]) throws -> Int { try occurrences(of: [masked])[0] }

    /// One search at a time: what another reads is a copy of all memory, and so of a secret that is in use elsewhere.
    private static let search = NSLock()

    /// How often each of these masked patterns stands, unmasked, in writable memory other than the search's. The memory is
    /// read once for all of them.
    public static func occurrences(of masked: [[UInt8]]) throws -> [Int] {
        search.lock()
        defer { search.unlock() }  // the last to run: the search's own memory is wiped by then
        let size = 1 << 20
        let (shortest, longest) = (masked.map(\.count).min() ?? 0, masked.map(\.count).max() ?? 0)
        let buffer = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        let patterns = UnsafeMutableRawPointer.allocate(byteCount: longest * masked.count, alignment: 16)
        for (number, bytes) in masked.enumerated() {
            for (index, byte) in bytes.enumerated() {
                unsafe patterns.storeBytes(of: byte ^ 0xff, toByteOffset: number * longest + index, as: UInt8.self)
            }
        }
        defer {
            unsafe explicit_bzero(patterns, longest * masked.count)
            unsafe explicit_bzero(buffer, size)
            unsafe buffer.deallocate()
            unsafe patterns.deallocate()
        }
        let own = [
            UInt(bitPattern: buffer)..<UInt(bitPattern: buffer) + UInt(size),
            UInt(bitPattern: patterns)..<UInt(bitPattern: patterns) + UInt(longest * masked.count),
        ]
        // Looked for by a byte that is rare: zeros, and bytes of ones, are everywhere.
        let anchors = masked.map { bytes in
            bytes.firstIndex { $0 != 0xff && $0 != 0 } ?? bytes.firstIndex { $0 != 0xff } ?? bytes.startIndex
        }
        let descriptor = unsafe open("/proc/self/mem", O_RDONLY)
        defer { close(descriptor) }
        var found = [Int](repeating: 0, count: masked.count)
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/maps"))
        let maps = try String(decoding: file.readToEnd() ?? Data(), as: UTF8.self)
        for line in maps.split(separator: "\n") {
            let parts = line.split(separator: " ")
            let ends = parts[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            guard parts[1].hasPrefix("rw"), ends.count == 2 else { continue }
            var position = ends[0]
            while position < ends[1] {
                let got = unsafe pread(descriptor, buffer, min(size, Int(ends[1] - position)), off_t(position))
                guard got >= shortest else { break }
                // What begins behind this is found in the next part.
                let end = got < size ? got : got - longest + 1
                for (number, anchor) in anchors.enumerated() {
                    let (pattern, count) = (unsafe patterns + number * longest, masked[number].count)
                    let rare = Int32(masked[number][anchor] ^ 0xff)
                    var start = anchor
                    while start < got, let hit = unsafe memchr(buffer + start, rare, got - start) {
                        let offset = unsafe hit - buffer - anchor
                        start = offset + anchor + 1
                        guard offset < end, got - offset >= count,
                            unsafe memcmp(buffer + offset, pattern, count) == 0
                        else { continue }
                        let address = position + UInt(offset)
                        if !own.contains(where: { $0.contains(address) }) { found[number] += 1 }
                    }
                }
                if got < size { break }
                position += UInt(end)
            }
        }
        return found
    }
}

/// Part of a secret, remembered in a form in which a search for the secret does not find it.
///
/// Sixteen bytes at the start of freed memory are written over by `free`, so that the pieces are taken from beyond them.
public struct MaskedSecret {
    /// Twelve bytes of the secret, each inverted.
    public let bytes: [UInt8]
    /// Twelve bytes of the secret with its end first, each inverted: libcrypto's big numbers hold it so.
    public let reversedBytes: [UInt8]

    /// Remembers a secret of 32 bytes or more.
    public init(_ secret: UnsafeRawBufferPointer) {
        precondition(secret.count >= 32)
        bytes = (16..<28).map { unsafe secret[$0] ^ 0xff }
        reversedBytes = (4..<16).reversed().map { unsafe secret[$0] ^ 0xff }
    }

    /// Remembers a secret of which each byte is inverted already.
    public init(masked: [UInt8]) {
        bytes = Array(masked[16..<28])
        reversedBytes = masked[4..<16].reversed()
    }
}
