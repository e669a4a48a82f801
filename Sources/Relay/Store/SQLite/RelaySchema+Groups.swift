extension RelaySchema {
    // Rooms that are MLS groups, key packages, who claimed them, and accounts that are no more.
    static let groups: StaticString = """
        ALTER TABLE rooms ADD COLUMN is_group INTEGER NOT NULL DEFAULT 0;

        -- Of a commit: SHA-256 of the key for joining from outside that its GroupInfo has.
        ALTER TABLE messages ADD COLUMN external_pub BLOB;

        -- What is followed from a snapshot: looked for among all messages of a room.
        CREATE INDEX messages_handshakes ON messages (room, number) WHERE kind >= 2;

        CREATE TABLE groups (
            room BLOB NOT NULL REFERENCES rooms,
            generation INTEGER NOT NULL,
            group_id BLOB NOT NULL,
            tree_hash BLOB NOT NULL,
            -- The number of the last proposal or commit, and of the first proposal that waits; 0 for none.
            handshake INTEGER NOT NULL,
            due INTEGER NOT NULL,
            pending INTEGER NOT NULL,
            -- Since the last snapshot.
            commits INTEGER NOT NULL,
            -- The number of the commit that the last snapshot was made after.
            snapshot INTEGER NOT NULL,
            PRIMARY KEY (room, generation)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE group_infos (
            room BLOB NOT NULL,
            -- In the order in which they came; the committer's has 0.
            place INTEGER NOT NULL,
            generation INTEGER NOT NULL,
            epoch INTEGER NOT NULL,
            account BLOB NOT NULL,
            external_pub BLOB NOT NULL,
            bytes BLOB NOT NULL,
            PRIMARY KEY (room, place)
        ) STRICT, WITHOUT ROWID;

        -- Which key for joining from outside members say to be their own, in the present epoch.
        CREATE TABLE group_info_answers (
            room BLOB NOT NULL,
            account BLOB NOT NULL,
            external_pub BLOB NOT NULL,
            PRIMARY KEY (room, account)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE snapshots (
            room BLOB NOT NULL,
            number INTEGER NOT NULL,
            generation INTEGER NOT NULL,
            epoch INTEGER NOT NULL,
            account BLOB NOT NULL,
            bytes BLOB NOT NULL,
            PRIMARY KEY (room, number)
        ) STRICT, WITHOUT ROWID;

        -- What is served for ever in the place of an account that its owner has deleted.
        CREATE TABLE closings (
            account BLOB NOT NULL PRIMARY KEY REFERENCES accounts,
            bytes BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE key_packages (
            account BLOB NOT NULL,
            device BLOB NOT NULL,
            reference BLOB NOT NULL,
            is_last_resort INTEGER NOT NULL,
            -- Seconds since 1970.
            not_after INTEGER NOT NULL,
            bytes BLOB NOT NULL,
            PRIMARY KEY (account, device, reference)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE claims (
            account BLOB NOT NULL,
            claim BLOB NOT NULL,
            owner BLOB NOT NULL,
            -- Milliseconds since 1970.
            stored INTEGER NOT NULL,
            answer BLOB NOT NULL,
            PRIMARY KEY (account, claim)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX claims_by_owner ON claims (account, owner, stored);
        CREATE INDEX claims_by_time ON claims (stored);
        """
}
