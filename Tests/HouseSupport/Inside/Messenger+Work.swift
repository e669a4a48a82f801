@testable import MildamMessenger

extension Messenger {
    /// Looks into the open profile, or changes what lies in it. A client that holds the profile is ended first: the next command
    /// starts another.
    func work<Value: Sendable>(
        _ body: @Sendable (isolated Messenger, ClientStore) async throws(MessengerError) -> Value
    ) async throws(MessengerError) -> Value {
        _ = try? await ClientProgram.stop(at: profile.place)
        return try await alone { (messenger, store) throws(MessengerError) in try await body(messenger, store) }
    }
}
