import MildamSystem
import TestSupport

@testable import MildamTransport

/// An authority and its certificates, made by the `openssl` program; gone when their owner is.
final class TestCertificates: Sendable {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for name in ["authority", "stranger"] {
            try openssl([
                "req", "-x509", "-newkey", "ed25519", "-nodes", "-subj", "/CN=\(name)", "-days", "2",
                "-keyout", folder.file("\(name).key"), "-out", folder.file("\(name).pem"),
            ])
        }
        try issue("good", names: "IP:127.0.0.1,DNS:localhost", days: 2)
        try issue("expired", names: "IP:127.0.0.1,DNS:localhost", days: -1)
        try issue("other", names: "IP:127.0.0.2,DNS:example.org", days: 2)
    }

    var authority: TLSClientConfiguration.Trust { .authorities(file: folder.file("authority.pem")) }
    var stranger: TLSClientConfiguration.Trust { .authorities(file: folder.file("stranger.pem")) }

    func server(_ name: String) -> TLSServerConfiguration {
        TLSServerConfiguration(
            certificateChainFile: folder.file("\(name).pem"),
            privateKeyFile: folder.file("\(name).key")
        )
    }

    /// SHA-256 of the SubjectPublicKeyInfo, as `openssl` sees it.
    func pin(of name: String) throws -> TLSClientConfiguration.Trust {
        let der = folder.file("\(name).spki")
        try openssl(["pkey", "-in", folder.file("\(name).key"), "-pubout", "-outform", "DER", "-out", der])
        return .pinned(sha256: Digests.sha256(try WholeFile.read(der, limit: 4096)))
    }

    /// The same key, under a password.
    func lockedKey(of name: String) throws -> String {
        let file = folder.file("\(name)-locked.key")
        try openssl(["pkey", "-in", folder.file("\(name).key"), "-aes256", "-passout", "pass:secret", "-out", file])
        return file
    }

    /// Where a file is, such as "good.pem".
    func path(_ name: String) -> String { folder.file(name) }

    var authorityFile: String { folder.file("authority.pem") }

    private func issue(_ name: String, names: String, days: Int) throws {
        let (request, extensions) = (folder.file("\(name).csr"), folder.file("\(name).ext"))
        try WholeFile.write(Array("subjectAltName=\(names)\n".utf8).span, to: extensions)
        try openssl([
            "req", "-newkey", "ed25519", "-nodes", "-subj", "/CN=\(name)", "-keyout", folder.file("\(name).key"),
            "-out", request,
        ])
        try openssl([
            "x509", "-req", "-in", request, "-CA", folder.file("authority.pem"), "-CAkey",
            folder.file("authority.key"), "-CAcreateserial", "-extfile", extensions, "-days", "\(days)", "-out",
            folder.file("\(name).pem"),
        ])
    }

    private func openssl(_ arguments: [String]) throws {
        let result = try Program.run("openssl", arguments)
        guard result.status == 0 else { throw SystemError("run openssl: \(result)", code: result.status) }
    }
}
