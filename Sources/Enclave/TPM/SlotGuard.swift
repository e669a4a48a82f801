import Glibc
import MildamCrypto
import MildamSystem
import MildamWire

/// What keeps the programs of this family from taking each other's slots in a TPM that has no resource manager: it has
/// three for objects and three for sessions, for all programs together, and what is loaded stays when a program ends.
///
/// While it lives it is the only one on this machine and for this user. It writes down what was loaded before it began;
/// whoever comes after one that was killed removes what is there and was not there before.
final class SlotGuard {
    private let lock: ProcessLock
    private let journal: String

    /// Waits until it is the only one.
    init(_ address: TPMAddress) throws(EnclaveError) {
        do throws(SystemError) {
            let name = try SlotGuard.folder() + "/" + SlotGuard.name(of: address)
            lock = try ProcessLock(waitingFor: name + ".lock")
            journal = name + ".slots"
        } catch {
            throw .system(error)
        }
    }

    /// The handles that were in use before the last one began, when it did not come to its end.
    var unfinished: Set<UInt32>? {
        guard let bytes = try? WholeFile.read(journal, limit: 4096) else { return nil }
        var reader = WireReader(bytes.span)
        // One that is not whole was written by somebody who had not begun.
        guard let count = try? reader.integer(UInt32.self), reader.remaining == Int(count) * 4 else { return nil }
        var handles: Set<UInt32> = []
        for _ in 0..<count {
            if let handle = try? reader.integer(UInt32.self) { handles.insert(handle) }
        }
        return handles
    }

    /// Writes down what is loaded. It need not survive more than this process: a TPM forgets its slots with the machine.
    func begin(_ handles: [UInt32]) throws(SystemError) {
        var writer = WireWriter()
        writer.integer(UInt32(handles.count))
        for handle in handles { writer.integer(handle) }
        try Descriptor.open(journal, O_WRONLY | O_CREAT | O_TRUNC).write(writer.bytes.span, path: journal)
    }

    /// Everything that was loaded is removed again.
    func end() {
        unsafe unlink(journal)
    }

    /// A folder of this user's own that ends with the machine, like the slots.
    static func folder() throws(SystemError) -> String {
        let given = unsafe getenv("XDG_RUNTIME_DIR").map { unsafe String(cString: $0) } ?? ""
        let folder = given.hasPrefix("/") ? given + "/mildam" : "/tmp/mildam-\(getuid())"
        // In /tmp anybody may have made it.
        try TrustedFolder.create(folder, othersMayLook: true)
        return folder
    }

    /// What its files' names begin with: the same for every name of the same device.
    static func name(of address: TPMAddress) -> String {
        let place = address.path.map(resolved) ?? address.description
        return "tpm-" + Hex.encode(SHA256.hash(data: Array(place.utf8)).prefix(8))
    }

    private static func resolved(_ path: String) -> String {
        guard let real = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }
}
