/// What a room can be called.
public enum RoomName {
    /// What ``isFit(_:)`` wants, after "a room's name is".
    public static let rule = "1 to 255 bytes long, and not of blanks only"

    /// Whether a name is 1 to 255 bytes long and something of it can be seen: where a blank is printed, nobody can tell which
    /// room is meant.
    public static func isFit(_ name: String) -> Bool {
        (1...255).contains(name.utf8.count)
            && !name.unicodeScalars.allSatisfy {
                $0.properties.isWhitespace || $0.properties.isDefaultIgnorableCodePoint
            }
    }
}
