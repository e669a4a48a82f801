import MildamClientAPI
import MildamIdentity
import MildamMessenger
import MildamTerminal

/// What strangers ask, through the profile's client.
extension Action {
    /// Waits until one is in a room whose request was accepted.
    ///
    /// - Throws: ``NotInYet``.
    func join(by wish: MessageID, over link: ClientLink) async throws {
        let line = WaitingLine(console)
        defer { line.close() }
        for round in 0..<Self.joinRounds {
            guard case .outcome(let outcome) = try await answer(to: .outcome(of: wish, seconds: 1), from: link) else {
                throw ClientLinkError.misunderstood(.unknown)
            }
            switch outcome {
            case .done, .unknown: return
            case .failed(let code): throw NotInYet(reason: RoomCodeWords.refusal(code), isOver: true)
            case .waiting, .moving:
                if round == 2 { line.show("waiting until you are in; Ctrl-C leaves it to be done later") }
            }
        }
        throw NotInYet(reason: "it takes longer than half a minute", isOver: false)
    }

    /// How many rounds of a second are waited for at most.
    private static let joinRounds = 30
}

/// A request was accepted, and this device is not in the room.
private struct NotInYet: EndsWithStatus, CustomStringConvertible {
    let reason: String
    /// Whether it does not go on by itself.
    let isOver: Bool

    var exitStatus: ExitStatus { isOver ? .refused : .unreachable }

    var description: String {
        isOver
            ? "accepted, but you are not in the room: \(shown(reason)); ask whoever invited you to do so again"
            : "accepted; you are in the room as soon as that is done: \(shown(reason)); see `mildam room list`"
    }
}
