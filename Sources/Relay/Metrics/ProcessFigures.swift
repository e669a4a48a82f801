import Glibc
import MildamSystem

/// What the system knows of this process.
struct ProcessFigures {
    /// Memory in use, in bytes.
    let residentBytes: Int
    /// Open descriptors.
    let descriptors: Int
    /// Those that the process may have.
    let maximumDescriptors: Int

    /// Reads them now; what cannot be read is 0.
    init() {
        // "size resident shared …" in pages (proc(5)).
        let memory = try? Descriptor.open("/proc/self/statm", O_RDONLY).read(upTo: 256, at: 0)
        let pages = String(decoding: memory ?? [], as: UTF8.self).split(separator: " ").dropFirst().first
        residentBytes = (pages.flatMap { Int($0) } ?? 0) * sysconf(Int32(_SC_PAGESIZE))
        // Of these one is the folder's own.
        descriptors = max(0, Folder.names(in: "/proc/self/fd").count - 1)
        maximumDescriptors = DescriptorLimit.current
    }

    /// Writes them down, under the names that Prometheus's own libraries use.
    func write(to text: inout PrometheusText) {
        text.gauge("process_resident_memory_bytes", "Resident memory size in bytes.", residentBytes)
        text.gauge("process_open_fds", "Number of open file descriptors.", descriptors)
        text.gauge("process_max_fds", "Maximum number of open file descriptors.", maximumDescriptors)
    }
}
