/// How much may be said at once between a profile's client and its windows.
public enum LineLimits {
    /// The most bytes of a line, without its end: 1 MiB.
    public static let line = 1 << 20
    /// How deep objects and arrays may stand in one another.
    public static let depth = 12
    /// The most values of a line.
    public static let values = 32_768
    /// The most bytes of a message's text: 64 KiB.
    public static let text = 64 << 10
    /// The most bytes of what a room or a person is called.
    public static let name = 256
    /// The most bytes of a path.
    public static let path = 4_096
    /// The most bytes of a code.
    public static let code = 64
    /// The most bytes of an item's text; the rest is fetched by itself.
    public static let itemText = 32_000
    /// The most bytes of a text that is looked for.
    public static let soughtText = 256
    /// The most bytes of a link.
    public static let link = 1_024
    /// For how many days a link can be open.
    public static let linkDays: ClosedRange<Int64> = 1...365
    /// The most items of a window.
    public static let window = 200
    /// The most rooms of an answer.
    public static let rooms = 500
    /// The most members of an answer.
    public static let members = 2_000
    /// How many seconds the client waits for what came of a wish at most.
    public static let patience = 60
    /// The most changes of a line.
    public static let changes = 500
}
