import MildamIdentity
import MildamMessenger
import MildamTerminal

extension Action {
    func listContacts() async throws {
        let contacts = try await messenger().contacts()
        try report.answer(["contacts": contacts]) {
            if contacts.isEmpty { return "nobody yet: mildam room invite ROOM HANDLE" }
            return contacts.map { DisplayWidth.padded($0.handle.text, to: 32) + "  " + $0.fingerprint }
                .joined(separator: "\n")
        }
    }

    func acceptContact() async throws {
        let handle = try handle("mildam contact accept")
        let contact = try await messenger().accept(handle, fingerprint: invocation.operand("FINGERPRINT"))
        try report.answer(contact) {
            "the key of \(contact.handle) is the one with this fingerprint\n\(contact.fingerprint)"
        }
    }

    /// The handle that the command names.
    func handle(_ command: String) throws -> Handle {
        do { return try Handle(invocation.operand("HANDLE")) } catch {
            throw UsageError(
                .invalidValue(name: "HANDLE", expected: "3 to 32 of a-z, 0-9, '_', '.', '-'"),
                command: command
            )
        }
    }
}
