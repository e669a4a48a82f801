extension RelaySchema {
    // What each account has caused, and the accounts of each network together, in one row: see ``DiskUsage``, whose 256 bytes a row these are. An envelope from before
    // counts for nobody: whose it was is not known.
    static let usage: StaticString = """
        ALTER TABLE mailbox ADD COLUMN sender BLOB;

        CREATE TABLE usage (
            account BLOB NOT NULL PRIMARY KEY,
            bytes INTEGER NOT NULL,
            blobs INTEGER NOT NULL,
            rooms INTEGER NOT NULL,
            -- The network that the account was made from, as a keyed hash; null where that does not matter.
            network BLOB
        ) STRICT, WITHOUT ROWID;

        INSERT INTO usage (account, bytes, blobs, rooms)
        SELECT account, sum(bytes), sum(blobs), sum(rooms) FROM (
            SELECT account, 256 + length(bundle) AS bytes, 0 AS blobs, 0 AS rooms FROM accounts
            UNION ALL SELECT creator, 256, 0, 1 FROM rooms
            UNION ALL SELECT creator, 256, 0, 0 FROM members JOIN rooms USING (room)
            UNION ALL SELECT account, 256 + length(body), 0, 0 FROM messages
            UNION ALL SELECT account, 256 + size, 1, 0 FROM blobs
        ) GROUP BY account;

        -- How many pieces of 1 MiB the accounts of a network take, each account's rounded up.
        CREATE TABLE networks (
            network BLOB NOT NULL PRIMARY KEY,
            pieces INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        -- Rooms are counted in the row above.
        DROP INDEX rooms_by_creator;
        """
}
