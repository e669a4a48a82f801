@testable import MildamMessenger

extension Messenger {
    /// Looks into the open profile, or changes what lies in it.
    func work<Value: Sendable>(
        _ body: @Sendable (isolated Messenger, ClientStore) async throws(MessengerError) -> Value
    ) async throws(MessengerError) -> Value {
        try await alone { (messenger, store) throws(MessengerError) in try await body(messenger, store) }
    }
}
