import Glibc
import MildamCrypto
import MildamSystem

/// Reads the desktop's keyring, in another process.
///
/// Only `mildam-keyring` links libsecret, and GLib with it: what holds an open keychain has none of their code in it.
public enum KeyringProgram {
    /// Every item of every collection that is unlocked; those that are locked are refused rows.
    ///
    /// - Throws: `keyring` with the reason when there is no keyring, or the program is missing; `tooLarge`, `io`.
    public static func read() throws(TransferError) -> ImportedLogins {
        guard let program = SiblingProgram.path(of: "mildam-keyring") else {
            throw .keyring("the program mildam-keyring is neither beside this one nor on PATH")
        }
        return try read(from: program)
    }

    static func read(from program: String) throws(TransferError) -> ImportedLogins {
        let bytes = try answer(of: program)
        switch try? KeyringAnswer(bytes.span) {
        case .logins(let logins): return logins
        case .failure(let words): throw .keyring(words)
        case nil: throw .keyring("mildam-keyring ended without an answer")
        }
    }

    private static func answer(of program: String) throws(TransferError) -> SecretBytes {
        let answer: SecretBytes? = try TransferError.ofSystem { () throws(SystemError) in
            let child = try Child(program, ["read"], environment: environment)
            var bytes = SecretBuilder(capacity: 1 << 16)
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            defer { buffer.wipe() }
            while bytes.count <= TransferLimits.documentSize {
                let count = try child.read(into: &buffer)
                guard count > 0 else { return bytes.finish() }
                bytes.append(buffer.span.extracting(first: count))
            }
            return nil
        }
        guard let answer else { throw .tooLarge(limit: TransferLimits.documentSize) }
        return answer
    }

    /// What leads to the session's bus, and nothing else.
    private static var environment: [String] {
        let names = ["DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "HOME"]
        return names.compactMap { name in
            guard let value = unsafe getenv(name) else { return nil }
            return unsafe "\(name)=\(String(cString: value))"
        }
    }
}
