import Glibc
import MildamClientAPI
import MildamIdentity
import MildamMessenger
import MildamTerminal

extension Action {
    /// How long nothing may move before a person is told that it waits.
    private static let standstill = Duration.seconds(10)

    /// How far a transfer was when it was followed no longer.
    private enum Followed {
        case so(WishOutcome)
        case interrupted(by: Int32)
    }

    /// Follows a transfer of the profile's client with a line of progress, until it has ended or waits for more than a moment.
    /// Ctrl-C gives it up; where the terminal goes, it goes on.
    ///
    /// - Parameter outlasted: the code of what is waited for as long as it takes; `nil` for nothing.
    func follow(
        _ id: MessageID,
        over link: ClientLink,
        _ label: String,
        outlasting outlasted: String? = nil
    ) async throws -> WishOutcome {
        let progress = Progress(label, console: console)
        defer { progress.finish() }
        while true {
            switch try await step(id, over: link, progress, outlasted) {
            case .so(let outcome): return outcome
            case .interrupted(let signal):
                if signal == SIGINT || signal == SIGQUIT, (try? await link.ask(.cancelTransfer(of: id))) != nil {
                    progress.finish()
                    console.complain("mildam: given up")
                }
                OwnSignal.raise(signal)
            }
        }
    }

    private func step(
        _ id: MessageID,
        over link: ClientLink,
        _ progress: Progress,
        _ outlasted: String?
    ) async throws -> Followed {
        let wait = try InterruptibleWait()
        var pause = Duration.milliseconds(10)
        var still = ContinuousClock.now
        var last = WishOutcome.unknown
        while true {
            guard case .outcome(let now) = try await link.ask(.outcome(of: id, seconds: 0)) else {
                throw ClientLinkError.misunderstood(.unknown)
            }
            if now != last { still = .now }
            last = now
            switch now {
            case .moving(let done, let size):
                progress.update(to: Int64(clamping: done), of: size > 0 ? Int64(clamping: size) : nil)
            case .waiting(let code?) where code == outlasted: break
            case .waiting(let code)
            where Action.passesSoon(code) && ContinuousClock.now - still < Action.standstill:
                break
            case .waiting, .done, .failed, .unknown: return .so(now)
            }
            if let signal = wait.wait(for: pause) { return .interrupted(by: signal) }
            pause = min(pause * 2, .milliseconds(100))
        }
    }

    /// Whether what a file waits for is a matter of moments, as far as anybody can tell.
    private static func passesSoon(_ code: String?) -> Bool { code == nil || code == "room-is-beginning" }

    /// The same error; what the client refuses about a file, in words.
    func told(_ error: ClientLinkError, _ verb: String, _ path: String) -> any Error {
        guard case .refused(let refusal) = error else { return error }
        let code = refusal.code.rawValue
        switch code {
        case "file-not-readable":
            return AttachmentError.of("errno-\(refusal.parameters["errno"] ?? "5")", "open", path, in: room)
        case "no-file":
            return MessengerError.noAttachment(number: refusal.parameters["number"].flatMap { UInt64($0) } ?? 0)
        case "file-too-large", "file-exists", "file-damaged", "wrong-standing":
            return AttachmentError.of(code, verb, path, in: room)
        default: return error
        }
    }
}
