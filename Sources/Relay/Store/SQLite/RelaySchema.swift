import MildamStorage

/// The relay's tables. Every key starts with the room or the account; nothing is counted across them.
enum RelaySchema {
    /// "mldr" in the file's header.
    static let current = Schema(applicationID: 0x6D6C_6472, migrations: migrations)

    /// Each takes the tables of the one before on.
    static let migrations = [
        first, second, third, fourth,
        usage, consent, groups,
        recovery,
    ]

    // What is named by an id alone (a handle, a session, a device) is found by an index. `messages` has no foreign
    // key: the writer has the room before it stores a message, and a check of each would be paid with each send.
    private static let first: StaticString = """
        CREATE TABLE accounts (
            account BLOB NOT NULL PRIMARY KEY,
            handle TEXT NOT NULL UNIQUE,
            bundle BLOB NOT NULL,
            verifier_salt BLOB NOT NULL,
            verifier BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE devices (
            account BLOB NOT NULL REFERENCES accounts,
            device BLOB NOT NULL UNIQUE,
            signature_key BLOB NOT NULL,
            mailbox_first INTEGER NOT NULL DEFAULT 1,
            mailbox_next INTEGER NOT NULL DEFAULT 1,
            PRIMARY KEY (account, device)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE mailbox (
            account BLOB NOT NULL,
            device BLOB NOT NULL,
            number INTEGER NOT NULL,
            kind INTEGER NOT NULL,
            room BLOB NOT NULL,
            body BLOB NOT NULL,
            PRIMARY KEY (account, device, number),
            FOREIGN KEY (account, device) REFERENCES devices
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE sessions (
            account BLOB NOT NULL,
            device BLOB NOT NULL,
            session BLOB NOT NULL UNIQUE,
            step INTEGER NOT NULL,
            key INTEGER NOT NULL,
            digest BLOB NOT NULL,
            previous BLOB,
            used INTEGER NOT NULL,
            PRIMARY KEY (account, device),
            FOREIGN KEY (account, device) REFERENCES devices
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE rooms (
            room BLOB NOT NULL PRIMARY KEY,
            creator BLOB NOT NULL,
            generation INTEGER NOT NULL,
            epoch INTEGER NOT NULL,
            renewal_due INTEGER NOT NULL,
            first INTEGER NOT NULL,
            next INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE members (
            room BLOB NOT NULL REFERENCES rooms,
            account BLOB NOT NULL REFERENCES accounts,
            since INTEGER NOT NULL,
            PRIMARY KEY (room, account)
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX members_by_account ON members (account, room);

        CREATE TABLE messages (
            room BLOB NOT NULL,
            number INTEGER NOT NULL,
            generation INTEGER NOT NULL,
            epoch INTEGER NOT NULL,
            kind INTEGER NOT NULL,
            account BLOB NOT NULL,
            device BLOB NOT NULL,
            id BLOB NOT NULL,
            stored INTEGER NOT NULL,
            digest BLOB NOT NULL,
            body BLOB NOT NULL,
            PRIMARY KEY (room, number)
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX messages_by_id ON messages (room, device, id);

        CREATE TABLE blobs (
            room BLOB NOT NULL REFERENCES rooms,
            blob BLOB NOT NULL,
            account BLOB NOT NULL,
            size INTEGER NOT NULL,
            received INTEGER NOT NULL,
            -- The number that the room's next message would get when the last piece came.
            number INTEGER NOT NULL,
            PRIMARY KEY (room, blob)
        ) STRICT, WITHOUT ROWID;
        """

    // What quotas and retention ask for.
    private static let second: StaticString = """
        ALTER TABLE rooms ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
        UPDATE rooms SET bytes =
            (SELECT coalesce(sum(length(body)), 0) FROM messages WHERE messages.room = rooms.room);
        CREATE INDEX rooms_by_creator ON rooms (creator);

        -- When the last piece came: milliseconds since 1970.
        ALTER TABLE blobs ADD COLUMN stored INTEGER NOT NULL DEFAULT 0;
        UPDATE blobs SET stored = unixepoch() * 1000;
        CREATE INDEX blobs_by_account ON blobs (account, size);
        CREATE INDEX blobs_whole ON blobs (stored) WHERE received = size;
        CREATE INDEX blobs_unfinished ON blobs (stored) WHERE received < size;
        """

    // What accounts may see and do of their sessions, a second factor, and what happened. An account that was deleted
    // keeps its row: see ``AccountRemoval``.
    private static let third: StaticString = """
        -- When the device logged in: seconds since 1970. Of sessions from before this column, when they were last used.
        ALTER TABLE sessions ADD COLUMN begun INTEGER NOT NULL DEFAULT 0;
        UPDATE sessions SET begun = used;

        CREATE TABLE second_factors (
            account BLOB NOT NULL PRIMARY KEY REFERENCES accounts,
            -- Which code-secret key the secret is sealed under.
            key INTEGER NOT NULL,
            secret BLOB NOT NULL,
            is_active INTEGER NOT NULL,
            -- The time step of the last code that was taken: no code counts that is not newer.
            step INTEGER NOT NULL,
            -- Wrong codes since the last right one, and until when none is looked at: seconds since 1970.
            failures INTEGER NOT NULL,
            locked_until INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE recovery_codes (
            account BLOB NOT NULL REFERENCES accounts,
            salt BLOB NOT NULL,
            verifier BLOB NOT NULL,
            PRIMARY KEY (account, salt)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE audit (
            account BLOB NOT NULL REFERENCES accounts,
            number INTEGER NOT NULL,
            kind TEXT NOT NULL,
            is_failure INTEGER NOT NULL,
            -- Seconds since 1970.
            time INTEGER NOT NULL,
            count INTEGER NOT NULL,
            session BLOB,
            device BLOB,
            PRIMARY KEY (account, number)
        ) STRICT, WITHOUT ROWID;
        """

    // Sessions that are bound to a key.
    private static let fourth: StaticString = """
        -- The key's thumbprint (RFC 7638); null for a session that no key was shown for.
        ALTER TABLE sessions ADD COLUMN thumbprint TEXT;
        """
}
