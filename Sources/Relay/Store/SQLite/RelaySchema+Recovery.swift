extension RelaySchema {
    // Which store it is, what was lost when it was put back, and how far devices have read.
    static let recovery: StaticString = """
        CREATE TABLE store (
            -- There is one row.
            key INTEGER NOT NULL PRIMARY KEY CHECK (key = 1),
            incarnation BLOB NOT NULL,
            -- Grows, and is never higher than in the file beside the database: see ``StoreMark``.
            mark INTEGER NOT NULL,
            -- When it was put back: milliseconds since 1970; 0 for never.
            restored INTEGER NOT NULL
        ) STRICT;
        INSERT INTO store (key, incarnation, mark, restored) VALUES (1, randomblob(16), 0, 0);

        -- The highest number that a member has shown of what the relay lost.
        ALTER TABLE rooms ADD COLUMN shown INTEGER NOT NULL DEFAULT 0;

        CREATE TABLE lost (
            room BLOB NOT NULL,
            first INTEGER NOT NULL,
            last INTEGER NOT NULL,
            PRIMARY KEY (room, first)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE cursors (
            room BLOB NOT NULL,
            account BLOB NOT NULL,
            device BLOB NOT NULL,
            number INTEGER NOT NULL,
            PRIMARY KEY (room, account, device)
        ) STRICT, WITHOUT ROWID;

        -- What no message names has the number 0.
        DROP INDEX blobs_unfinished;
        CREATE INDEX blobs_unnamed ON blobs (stored) WHERE received < size OR number = 0;
        """
}
