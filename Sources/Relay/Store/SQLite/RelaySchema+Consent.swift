extension RelaySchema {
    // Who may reach whom, and how much of a mailbox each sender has.
    static let consent: StaticString = """
        -- Whether the member has accepted the room. Whoever is in one from before this column has.
        ALTER TABLE members ADD COLUMN accepted INTEGER NOT NULL DEFAULT 0;
        UPDATE members SET accepted = 1;

        -- Whether an item lies in the strangers' part. Of items from before, nobody knows who sent them; they are in the
        -- other part, and in nobody's share.
        ALTER TABLE mailbox ADD COLUMN is_request INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX mailbox_requests ON mailbox (account, device, number) WHERE is_request = 1;

        ALTER TABLE devices ADD COLUMN known_items INTEGER NOT NULL DEFAULT 0;
        UPDATE devices SET known_items = (SELECT count(*) FROM mailbox
            WHERE mailbox.account = devices.account AND mailbox.device = devices.device);
        ALTER TABLE devices ADD COLUMN request_items INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE devices ADD COLUMN request_bytes INTEGER NOT NULL DEFAULT 0;

        -- What each sender has in a mailbox; none without an item.
        CREATE TABLE shares (
            account BLOB NOT NULL,
            device BLOB NOT NULL,
            sender BLOB NOT NULL,
            known_items INTEGER NOT NULL,
            known_bytes INTEGER NOT NULL,
            request_items INTEGER NOT NULL,
            request_bytes INTEGER NOT NULL,
            PRIMARY KEY (account, device, sender)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE standings (
            account BLOB NOT NULL REFERENCES accounts,
            standing BLOB NOT NULL,
            sender BLOB NOT NULL,
            is_blocked INTEGER NOT NULL,
            PRIMARY KEY (account, standing)
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX standings_by_sender ON standings (account, sender);

        CREATE TABLE links (
            account BLOB NOT NULL REFERENCES accounts,
            -- The first half of the digest of its secret.
            link BLOB NOT NULL,
            -- Seconds since 1970.
            expires INTEGER NOT NULL,
            PRIMARY KEY (account, link)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE invitations (
            digest BLOB NOT NULL PRIMARY KEY,
            -- Seconds since 1970.
            expires INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """
}
