import Glibc
import MildamClientAPI
import MildamIdentity
import MildamMessenger
import MildamSystem
import MildamTerminal

extension Action {
    /// Sends a file through the profile's client, and follows it to its end.
    func sendFile(_ file: String) async throws -> ExitStatus {
        let handed = try HandedFile(file)
        let client = SteadyClient(try await self.client(), for: self)
        let row = try await chosen(client)
        let id = MessageID.random()
        do throws(ClientLinkError) {
            _ = try await client.ask(.sendFile(room: row.room, path: handed.path, id: id), within: .seconds(70))
        } catch {
            throw told(error, "send", file)
        }
        let link = client.present
        let outcome: WishOutcome
        do {
            outcome = try await follow(id, over: link, "sending \(file)")
        } catch {
            guard (error as? ClientLinkError) == .ended else { throw error }
            throw AttachmentError.clientEnded
        }
        // A pipe is read through this program's end of it.
        withExtendedLifetime(handed) {}
        switch outcome {
        case .done(let number):
            return try report.answer(SentFile(message: id, number: number)) {
                number.map { "sent, number \($0)" } ?? "sent"
            }
        case .failed(let code):
            // It is told here, and need not stand in the room.
            _ = try? await link.ask(.cancelTransfer(of: id))
            throw AttachmentError.of(code, "send", file, in: room)
        case .waiting(let code):
            let reason = await reason(code, over: link)
            try report.answer(SentFile(message: id, number: nil)) { shown("kept: \(reason), do not repeat it") }
            return .unreachable
        // It was done before the client that is asked now began.
        case .unknown: return try report.answer(SentFile(message: id, number: nil)) { "sent" }
        case .moving: throw ClientLinkError.misunderstood(.unknown)
        }
    }

    /// What a file waits for. The client says what goes with a code as long as it is the last thing that happened.
    private func reason(_ code: String?, over link: ClientLink) async -> String {
        if let words = AttachmentError.wait(for: code) {
            switch code {
            case "not-logged-in": return "\(words); it is sent by itself after `mildam account login`"
            case "disk-full": return "\(words); it is sent by itself once there is"
            default: return "\(words); it is sent by itself later"
            }
        }
        let status = try? await link.howItIs(.reach(seconds: 5))
        let fault = status?.fault.flatMap { $0.code.rawValue == code ? $0 : nil }
        let bare = code.flatMap { ClientError.Code(rawValue: $0) }.map { ClientError($0) }
        return "\(ConnectionWords.text(of: fault ?? bare)); it is sent by itself once that is so no more"
    }
}

/// A file as the profile's client finds it: by its absolute path; what is no file on a disk, by this program's end of it.
private final class HandedFile: Sendable {
    let path: String
    private let descriptor: Descriptor

    /// - Throws: `SystemError` where it cannot be opened.
    init(_ name: String) throws(SystemError) {
        let descriptor = try Descriptor.open(name, O_RDONLY)
        if WholeFile.size(name) == nil, !Folder.isFolder(name) {
            path = "/proc/\(getpid())/fd/\(descriptor.number)"
        } else {
            path = name.utf8.first == UInt8(ascii: "/") ? name : Folder.canonical(".") + "/" + name
        }
        self.descriptor = descriptor
    }
}

/// A file that was sent, or is kept, as programs get it.
private struct SentFile: Encodable {
    /// The message's id.
    let message: MessageID
    /// Its number; missing where it waits.
    let number: UInt64?
}
