import MildamWire

/// Content that lies elsewhere (draft-ietf-mimi-content-08, "External content"). The key is a secret.
public struct ExternalPart: Hashable, Sendable {
    /// Its media type.
    public let contentType: String
    /// Where it lies.
    public let url: String
    /// When it goes from there, in seconds since 1970; 0 for never.
    public let expires: UInt32
    /// Its size in bytes; 0 where nothing is said of it.
    public let size: UInt64
    /// How it is encrypted: a number of IANA's registry of AEADs, or 0.
    public let encryption: UInt16
    /// The key.
    public let key: [UInt8]
    /// The nonce.
    public let nonce: [UInt8]
    /// What is authenticated with it.
    public let authenticatedData: [UInt8]
    /// What it was hashed with: a number of IANA's registry of named information, or 0.
    public let hashAlgorithm: UInt8
    /// The hash of what lies there.
    public let contentHash: [UInt8]
    /// What it is, for people.
    public let text: String
    /// What a file of it may be called.
    public let filename: String

    /// Content that lies elsewhere.
    public init(
        contentType: String,
        url: String,
        expires: UInt32,
        size: UInt64,
        encryption: UInt16,
        key: [UInt8],
        nonce: [UInt8] = [],
        authenticatedData: [UInt8] = [],
        hashAlgorithm: UInt8,
        contentHash: [UInt8],
        text: String,
        filename: String
    ) {
        self.contentType = contentType
        self.url = url
        self.expires = expires
        self.size = size
        self.encryption = encryption
        self.key = key
        self.nonce = nonce
        self.authenticatedData = authenticatedData
        self.hashAlgorithm = hashAlgorithm
        self.contentHash = contentHash
        self.text = text
        self.filename = filename
    }

    /// Reads the fields behind the cardinality.
    init(_ fields: inout FieldReader) throws(ContentDefect) {
        contentType = try fields.text("contentType")
        url = try fields.text("url")
        expires = try fields.integer("expires")
        size = try fields.integer("size")
        encryption = try fields.integer("encAlg")
        key = try fields.bytes("key")
        nonce = try fields.bytes("nonce")
        authenticatedData = try fields.bytes("aad")
        hashAlgorithm = try fields.integer("hashAlg")
        contentHash = try fields.bytes("contentHash")
        text = try fields.text("description")
        filename = try fields.text("filename")
    }

    /// The fields behind the cardinality.
    var values: [CBORValue] {
        [
            .text(contentType), .text(url), .unsigned(UInt64(expires)), .unsigned(size), .unsigned(UInt64(encryption)),
            .bytes(key), .bytes(nonce), .bytes(authenticatedData), .unsigned(UInt64(hashAlgorithm)),
            .bytes(contentHash), .text(text), .text(filename),
        ]
    }
}

extension ExternalPart: CustomStringConvertible, CustomReflectable {
    /// Its type, without what opens it.
    public var description: String { "ExternalPart (\(contentType))" }

    /// The same: nothing that prints what lies in it shows the key.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
