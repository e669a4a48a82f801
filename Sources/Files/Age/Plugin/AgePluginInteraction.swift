import MildamCrypto

/// How a plugin speaks with the person in front of it. What it says is foreign text, not to be shown as it is.
public struct AgePluginInteraction: Sendable {
    /// Shows a message.
    ///
    /// - Returns: whether it could be shown.
    public var show: @Sendable (_ message: String) -> Bool
    /// Asks for a decision between two words, or for the one word.
    ///
    /// - Returns: whether it was the first; `nil` when nobody could be asked.
    public var confirm: @Sendable (_ message: String, _ yes: String, _ no: String?) -> Bool?
    /// Asks for what may be seen while it is typed.
    ///
    /// - Returns: `nil` when nobody could be asked.
    public var askPublic: @Sendable (_ message: String) -> String?
    /// Asks for a secret, such as a PIN.
    ///
    /// - Returns: `nil` when nobody could be asked.
    public var askSecret: @Sendable (_ message: String) -> SecretBytes?

    /// Makes an interaction; by default there is nobody to speak with.
    public init(
        show: @escaping @Sendable (String) -> Bool = { _ in false },
        confirm: @escaping @Sendable (String, String, String?) -> Bool? = { _, _, _ in nil },
        askPublic: @escaping @Sendable (String) -> String? = { _ in nil },
        askSecret: @escaping @Sendable (String) -> SecretBytes? = { _ in nil }
    ) {
        self.show = show
        self.confirm = confirm
        self.askPublic = askPublic
        self.askSecret = askSecret
    }
}
