extension RoomStore {
    /// The tables, for the schema of the database's owner; those of `GroupStore.migration` come before.
    ///
    /// Where a key is a place and a number in one (`place`), rows of up to 4 KiB lie on one page, in their order.
    public static let migration: StaticString = """
        CREATE TABLE room_states (
            place INTEGER PRIMARY KEY,
            room BLOB NOT NULL,
            value BLOB NOT NULL
        ) STRICT;
        CREATE TABLE room_outlines (
            room INTEGER PRIMARY KEY,
            value BLOB NOT NULL
        ) STRICT;
        CREATE TABLE room_welcomes (
            room INTEGER PRIMARY KEY,
            value BLOB NOT NULL
        ) STRICT;
        CREATE TABLE room_history (
            place INTEGER PRIMARY KEY,
            value BLOB NOT NULL
        ) STRICT;
        CREATE TABLE room_intents (
            turn INTEGER PRIMARY KEY AUTOINCREMENT,
            room INTEGER NOT NULL,
            name BLOB NOT NULL UNIQUE,
            value BLOB NOT NULL
        ) STRICT;
        CREATE INDEX room_intents_of_room ON room_intents (room, turn);
        CREATE TABLE room_entries (
            place INTEGER PRIMARY KEY,
            value BLOB NOT NULL
        ) STRICT;
        CREATE TABLE room_positions (
            room INTEGER PRIMARY KEY,
            value BLOB NOT NULL
        ) STRICT;
        CREATE TABLE room_messages (
            place INTEGER PRIMARY KEY,
            until INTEGER NOT NULL,
            value BLOB NOT NULL
        ) STRICT;
        CREATE INDEX room_messages_until ON room_messages (until);
        CREATE TABLE key_packages (
            turn INTEGER PRIMARY KEY AUTOINCREMENT,
            name BLOB NOT NULL UNIQUE,
            value BLOB NOT NULL
        ) STRICT;
        """
}
