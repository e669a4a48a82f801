/// What the relay says of itself: one line an event, without content, handles, keys or tokens.
public struct RelayLog: Sendable {
    private let write: @Sendable (String) -> Void

    /// A log whose lines go to `write`, from any thread.
    public init(_ write: @escaping @Sendable (String) -> Void) {
        self.write = write
    }

    /// A log that keeps nothing.
    public static let none = RelayLog { _ in }

    /// Something that a person should look at.
    func error(_ line: String) {
        write("error: " + line)
    }
}
