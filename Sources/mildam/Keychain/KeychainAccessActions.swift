import FoundationEssentials
import Glibc
import MildamKeychain
import MildamSystem
import MildamTerminal

/// Who may use which access groups, and what was done.
extension Action {
    func listGrants() async throws {
        let grants = try await unlockedAgent().grants()
        let lines = grants.map { GrantLine(program: $0.program.executable, user: $0.program.user, group: $0.group) }
            .sorted { ($0.program, $0.group) < ($1.program, $1.group) }
        try report.answer(["grants": lines]) {
            lines.isEmpty ? "none" : lines.map { shown("\($0.program)  \($0.group)") }.joined(separator: "\n")
        }
    }

    private struct GrantLine: Encodable {
        var program: String
        var user: UInt32
        var group: String
    }

    func grantGroup() async throws {
        let grant = try self.grant()
        try await unlockedAgent().grant(grant)
        try report.answer(["granted": grant.group]) { shown("\(grant.program.executable) may use \(grant.group)") }
    }

    func revokeGroup() async throws {
        let grant = try self.grant()
        try await unlockedAgent().revoke(grant)
        try report.answer(["revoked": grant.group]) {
            shown("\(grant.program.executable) may no longer use \(grant.group)")
        }
    }

    private func grant() throws -> AccessGrant {
        let program = invocation.operand("PROGRAM")
        // The kernel knows programs by their real path; one that was removed is known by the path it had.
        let path = unsafe realpath(program, nil)
        defer { unsafe free(path) }
        let real = unsafe path.map { unsafe String(cString: $0) } ?? program
        guard real.hasPrefix("/") else { throw SystemError("find the program", program, code: ENOENT) }
        return AccessGrant(ProgramIdentity(executable: real, user: getuid()), invocation.operand("GROUP"))
    }

    func showAuditLog() async throws {
        let lines = try await unlockedAgent().auditLog().map { record in
            AuditLine(
                time: time(record.time),
                event: "\(record.event)",
                program: record.program.executable,
                group: record.group
            )
        }
        try report.answer(["records": lines]) {
            lines.isEmpty
                ? "nothing"
                : lines.map { shown("\($0.time)  \($0.event)  \($0.program)  \($0.group)") }.joined(separator: "\n")
        }
    }

    private struct AuditLine: Encodable {
        var time: String
        var event: String
        var program: String
        var group: String
    }
}
