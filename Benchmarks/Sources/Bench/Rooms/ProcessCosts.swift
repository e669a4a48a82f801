import Foundation
import Glibc

/// What this process, or another one, has taken of the machine so far.
enum ProcessCosts {
    /// Processor time of all threads, in nanoseconds.
    static var processorTime: Int64 {
        var now = timespec()
        unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now)
        return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    }

    /// The bytes of all writes, to whatever file.
    static func writtenBytes() throws -> Int { try number(after: "wchar: ", in: "/proc/self/io") }

    /// The memory that a process has in use, in bytes.
    static func residentBytes(of process: pid_t) throws -> Int {
        try number(after: "VmRSS:", in: "/proc/\(process)/status") * 1024
    }

    private static func number(after name: String, in file: String) throws -> Int {
        let text = try String(contentsOf: URL(filePath: file), encoding: .utf8)
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(name) }),
            let number = line.dropFirst(name.count).split(whereSeparator: { $0 == " " || $0 == "\t" }).first
                .flatMap({ Int($0) })
        else { throw BenchError("\(file) does not say \(name)") }
        return number
    }
}
