import Glibc
import MildamSystem

/// The target that this process throws bytes at; chosen once, before the first.
private let target: FuzzTarget = {
    let name = unsafe getenv("MILDAM_FUZZ_TARGET").map { unsafe String(cString: $0) } ?? ""
    guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
        print("MILDAM_FUZZ_TARGET is none of: " + FuzzTarget.all.map(\.name).joined(separator: " "))
        exit(2)
    }
    return target
}()

/// Called by libFuzzer once. Without a target it says which there are, and ends; with MILDAM_FUZZ_SEEDS=FOLDER it writes the
/// target's seeds there, and ends.
@_cdecl("LLVMFuzzerInitialize")
public func fuzzerInitialize(
    _ count: UnsafeMutablePointer<CInt>?,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>?
) -> CInt {
    let target = target
    if let folder = unsafe getenv("MILDAM_FUZZ_SEEDS").map({ unsafe String(cString: $0) }) {
        do throws(SystemError) {
            try write(target.seeds(), to: folder)
        } catch {
            print("\(error)")
            exit(1)
        }
        exit(0)
    }
    return 0
}

private func write(_ seeds: [[UInt8]], to folder: String) throws(SystemError) {
    for number in seeds.indices {
        let seed = seeds[number]
        try WholeFile.write(seed.span, to: "\(folder)/seed-\(number)")
    }
}

/// Called by libFuzzer with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzerTestOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    target.take(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}
