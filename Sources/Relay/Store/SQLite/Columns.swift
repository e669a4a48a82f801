import MildamCrypto
import MildamIdentity
import MildamRelayAPI
import MildamStorage

/// An identifier as its 16 bytes in a column.
struct IdentifierColumn<Kind: IdentifierKind>: ColumnValue {
    let identifier: Identifier<Kind>

    func bind(to statement: Statement, at index: Int) throws(StorageError) {
        try identifier.bytes.bind(to: statement, at: index)
    }
}

extension Identifier {
    /// To be bound to a parameter.
    var column: IdentifierColumn<Kind> { IdentifierColumn(identifier: self) }
}

extension Row {
    /// An identifier.
    func identifier<Kind>(_ column: Int) throws(StorageError) -> Identifier<Kind> {
        let bytes = try bytes(column)
        do {
            return try Identifier(bytes: bytes)
        } catch {
            throw .damaged(path: "the relay's database", reason: "an identifier is not 16 bytes")
        }
    }

    /// A handle.
    func handle(_ column: Int) throws(StorageError) -> Handle {
        let text = try text(column)
        do {
            return try Handle(text)
        } catch {
            throw .damaged(path: "the relay's database", reason: "a handle is none")
        }
    }

    /// An Ed25519 public key.
    func signingKey(_ column: Int) throws(StorageError) -> Curve25519.Signing.PublicKey {
        let bytes = try bytes(column)
        do {
            return try Curve25519.Signing.PublicKey(rawRepresentation: bytes)
        } catch {
            throw .damaged(path: "the relay's database", reason: "a public key is not 32 bytes")
        }
    }

    /// SHA-256 of something.
    func digest(_ column: Int) throws(StorageError) -> [UInt8] {
        let bytes = try bytes(column)
        guard bytes.count == Limits.digest else {
            throw .damaged(path: "the relay's database", reason: "a digest is not 32 bytes")
        }
        return bytes
    }

    /// The refresh tokens of a session: step, key, digest, the digest before, and when it was used.
    func family(_ session: SessionID, from column: Int) throws(StorageError) -> RefreshFamily {
        RefreshFamily(
            session: session,
            step: try count(column),
            key: try count(column + 1),
            digest: try bytes(column + 2),
            previous: try isNull(column + 3) ? nil : try bytes(column + 3),
            used: try int64(column + 4)
        )
    }

    /// A number that counts from 0 or 1.
    func count<Number: FixedWidthInteger>(_ column: Int) throws(StorageError) -> Number {
        guard let number = Number(exactly: try int64(column)) else {
            throw .damaged(path: "the relay's database", reason: "a number is out of its range")
        }
        return number
    }
}

extension Int64 {
    /// A number from a request, to look for; one that no row can have becomes the largest.
    init(lookup number: UInt64) {
        self = Int64(clamping: number)
    }
}
