import Foundation
import TestSupport

/// A certificate authority that only a test trusts.
struct TestAuthority: Sendable {
    /// Its certificate, PEM.
    let file: String
    private let name: String
    private let folder: TemporaryFolder

    init(in folder: TemporaryFolder, name: String = "authority") async throws {
        self.folder = folder
        self.name = name
        file = folder.file(name + ".pem")
        try await openssl(
            "req",
            "-x509",
            "-newkey",
            "ed25519",
            "-nodes",
            "-keyout",
            folder.file(name + ".key"),
            "-out",
            file,
            "-subj",
            "/CN=Mildam test \(name)",
            "-days",
            "2"
        )
    }

    /// A server's certificate and key.
    func certificate(name subject: String, days: Int) async throws -> (chain: String, key: String) {
        let base = folder.file(name + "-server")
        try Data("subjectAltName=\(subject)\n".utf8).write(to: URL(fileURLWithPath: base + ".ext"))
        try await openssl(
            "req",
            "-newkey",
            "ed25519",
            "-nodes",
            "-keyout",
            base + ".key",
            "-out",
            base + ".csr",
            "-subj",
            "/CN=relay"
        )
        try await openssl(
            "x509",
            "-req",
            "-in",
            base + ".csr",
            "-CA",
            file,
            "-CAkey",
            folder.file(name + ".key"),
            "-set_serial",
            "7",
            "-days",
            "\(days)",
            "-extfile",
            base + ".ext",
            "-out",
            base + ".pem"
        )
        return (base + ".pem", base + ".key")
    }

    private func openssl(_ arguments: String...) async throws {
        let result = try await Program.result(of: "openssl", arguments)
        guard result.status == 0 else { throw NoCertificate(result: result) }
    }

    private struct NoCertificate: Error { let result: Program.Result }
}
