import Foundation
import TestSupport

@testable import MildamEnclave

/// A software TPM behind a device: a terminal in raw mode, whose other end carries each command to the TPM and its answer
/// back.
final class DeviceTPM: Sendable {
    private let master: Int32
    private let held: Int32
    private let path: String

    init(of tpm: SoftwareTPM) throws {
        var ends: (Int32, Int32) = (-1, -1)
        var settings = termios()
        unsafe cfmakeraw(&settings)
        guard unsafe openpty(&ends.0, &ends.1, nil, &settings, nil) == 0, let name = unsafe ttyname(ends.1) else {
            throw CocoaError(.fileReadUnknown)
        }
        path = unsafe String(cString: name)
        // The program's end stays open as long as the bridge: a terminal that nobody has open hangs up.
        (master, held) = ends
        let (master, socket) = (self.master, tpm.socket)
        Thread.detachNewThread {
            var buffer = [UInt8](repeating: 0, count: 8192)
            while true {
                var command: [UInt8] = []
                repeat {
                    let count = unsafe read(master, &buffer, buffer.count)
                    guard count > 0 else { return }
                    command += buffer[..<count]
                } while command.count < 6 || command.count < command[2..<6].reduce(0) { $0 << 8 | Int($1) }
                guard let server = try? UnixSocket.connection(to: socket) else { return }
                _ = unsafe send(server, command, command.count, Int32(MSG_NOSIGNAL))
                let count = unsafe recv(server, &buffer, buffer.count, 0)
                close(server)
                guard count > 0 else { return }
                _ = unsafe write(master, buffer, count)
            }
        }
    }

    deinit {
        close(held)
        close(master)
    }

    /// Its address: as of the chip itself, or as of the kernel's resource manager.
    func address(isManaged: Bool) -> TPMAddress {
        TPMAddress(.device, path, path: path, isManaged: isManaged)
    }
}
