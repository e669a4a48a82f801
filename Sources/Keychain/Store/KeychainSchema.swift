import MildamStorage

/// The tables of a keychain. There are no indexes of SQLite's: one that was changed would lead past a row in silence.
enum KeychainSchema {
    static let schema = Schema(applicationID: 0x6d64_6b63, migrations: [version1, version2])

    private static let version1: StaticString = """
        CREATE TABLE keychain (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            identifier BLOB NOT NULL,
            created INTEGER NOT NULL
        ) STRICT;
        -- Each row of the tables below is part of a set hash, which the head holds.
        CREATE TABLE head (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            sealed BLOB NOT NULL
        ) STRICT;
        CREATE TABLE slot (
            number INTEGER PRIMARY KEY,
            parameters BLOB NOT NULL,
            sealed BLOB NOT NULL
        ) STRICT;
        CREATE TABLE item (
            number INTEGER PRIMARY KEY,
            version INTEGER NOT NULL,
            class INTEGER NOT NULL,
            accessibility INTEGER NOT NULL,
            attributes BLOB NOT NULL,
            key BLOB NOT NULL,
            secret BLOB NOT NULL
        ) STRICT;
        CREATE TABLE item_index (
            hash BLOB NOT NULL,
            item INTEGER NOT NULL,
            PRIMARY KEY (hash, item)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE access (
            number INTEGER PRIMARY KEY,
            sealed BLOB NOT NULL
        ) STRICT;
        CREATE TABLE audit (
            number INTEGER PRIMARY KEY,
            sealed BLOB NOT NULL
        ) STRICT;
        """

    /// What items were before they were removed or got another value. A table without rows leaves the set hash as it is:
    /// whoever opens the file can bring it to this version, without its keys.
    private static let version2: StaticString = """
        CREATE TABLE past (
            number INTEGER PRIMARY KEY,
            item INTEGER NOT NULL,
            version INTEGER NOT NULL,
            class INTEGER NOT NULL,
            accessibility INTEGER NOT NULL,
            attributes BLOB NOT NULL,
            key BLOB NOT NULL,
            secret BLOB NOT NULL,
            note BLOB NOT NULL
        ) STRICT;
        """
}
