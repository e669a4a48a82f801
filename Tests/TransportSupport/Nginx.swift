import Foundation
import Glibc
import MildamSystem
import TestSupport
import Testing

@testable import MildamTransport

/// nginx before a server of ours; ended with its owner.
final class Nginx: Sendable {
    let certificates: TestCertificates
    let endpoint: Endpoint
    private let folder: TemporaryFolder
    private let nginx: Program

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// - Parameter socket: the path at which the server takes WebSockets.
    init(before server: SocketAddress, socket: String = "/v1/socket") async throws {
        certificates = try TestCertificates()
        folder = try TemporaryFolder()
        let port = try Self.freePort()
        endpoint = try #require(Endpoint("https://localhost:\(port)"))
        let file = folder.file("nginx.conf")
        let text = try Self.configuration(port, server, socket, certificates.server("good"), folder)
        try WholeFile.write(Array(text.utf8).span, to: file)
        nginx = try Program(
            Foreign.nginxPath,
            ["-p", folder.path, "-c", file, "-e", folder.file("errors"), "-g", "daemon off;"]
        )
        let address = SocketAddress.loopback(port: port)
        guard await eventually({ (try? RawConnection(to: address)) != nil }) else {
            nginx.signal(SIGTERM)
            throw Failure(description: "\(nginx.wait())")
        }
    }

    deinit {
        nginx.signal(SIGTERM)
        nginx.wait()
    }

    /// The example with this machine's values. Each must stand in it, or the test is about another file.
    private static func configuration(
        _ port: UInt16,
        _ server: SocketAddress,
        _ socket: String,
        _ tls: TLSServerConfiguration,
        _ folder: TemporaryFolder
    ) throws -> String {
        var text = try String(contentsOfFile: Vectors.packageFolder + "/Documentation/nginx.conf", encoding: .utf8)
        let isRoot = getuid() == 0
        for (theirs, ours) in [
            ("user www-data;", isRoot ? "user root;" : ""),
            ("pid /run/nginx.pid;", "pid \(folder.file("pid"));"),
            ("/var/log/nginx/error.log", folder.file("errors")),
            ("worker_processes auto;", "worker_processes 1;"),
            ("worker_connections 16384;", "worker_connections 512;"),
            ("    access_log off;", "    access_log off;" + temporaryFolders(folder)),
            ("server 127.0.0.1:8443;", "server \(server);"),
            ("listen 443 ssl http2;", "listen 127.0.0.1:\(port) ssl http2;"),
            ("listen [::]:443 ssl http2;", ""),
            ("relay.example.org;", "localhost;"),
            ("/etc/letsencrypt/live/relay.example.org/fullchain.pem", tls.certificateChainFile),
            ("/etc/letsencrypt/live/relay.example.org/privkey.pem", tls.privateKeyFile),
            ("location = /v1/socket", "location = \(socket)"),
        ] {
            guard text.contains(theirs) else { throw Failure(description: "no \(theirs) in nginx.conf") }
            text = text.replacingOccurrences(of: theirs, with: ours)
        }
        return text
    }

    private static func temporaryFolders(_ folder: TemporaryFolder) -> String {
        ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { " \($0)_temp_path \(folder.file($0));" }.joined()
    }

    static func freePort() throws -> UInt16 {
        let socket = SharedDescriptor(try Sockets.listen(on: .loopback(port: 0)))
        return try withExtendedLifetime(socket) { try Sockets.localAddress(of: socket.number).port }
    }

    /// Asks by HTTP/2.
    func curl(_ arguments: [String]) throws -> Program.Result {
        try Program.run(
            "curl",
            ["-sS", "--http2", "--max-time", "20", "--cacert", certificates.authorityFile] + arguments
        )
    }
}
