/// What a room can be called.
enum RoomName {
    /// Whether a name is 1 to 255 bytes long and something of it can be seen: where a blank is printed, nobody can tell which
    /// room is meant.
    static func isFit(_ name: String) -> Bool {
        (1...255).contains(name.utf8.count)
            && !name.unicodeScalars.allSatisfy {
                $0.properties.isWhitespace || $0.properties.isDefaultIgnorableCodePoint
            }
    }
}
