import MildamCrypto
import MildamIdentity

/// A file that was sent: an age v1 file that lies at the relay, and what opens it.
public struct AttachedFile: Hashable, Sendable {
    /// A small picture of a file.
    public struct Preview: Hashable, Sendable {
        /// The size of the largest, in bytes.
        public static let maximumSize = 1 << 16

        /// Its media type.
        public let contentType: String
        /// The picture.
        public let bytes: [UInt8]

        /// A picture of 65,536 bytes or fewer.
        ///
        /// - Throws: `malformed` for a larger one.
        public init(contentType: String, bytes: [UInt8]) throws(ContentDefect) {
            guard bytes.count <= Preview.maximumSize else { throw .malformed(field: "preview") }
            self.contentType = contentType
            self.bytes = bytes
        }
    }

    /// The number, for private use in IANA's registry of AEADs, that stands for an age v1 file to an X25519 identity.
    public static let encryption: UInt16 = 0xA6E1
    /// The size of an X25519 identity, in bytes.
    public static let identitySize = 32
    /// The size of a digest, in bytes.
    public static let digestSize = 32
    private static let sha256: UInt8 = 1

    /// The blob at the relay.
    public let blob: BlobID
    /// The 32 bytes of the age identity that the file is for: a secret.
    public let identity: SymmetricKey
    /// SHA-256 of the ciphertext, 32 bytes.
    public let digest: [UInt8]
    /// The file's own size in bytes.
    public let size: UInt64
    /// Its media type.
    public let contentType: String
    /// Its name, as its sender has it.
    public let filename: String
    /// What its sender says of it.
    public let text: String
    /// A small picture of it.
    public let preview: Preview?

    /// A file that lies at the relay.
    ///
    /// - Parameters:
    ///   - identity: 32 bytes.
    ///   - digest: 32 bytes.
    /// - Throws: `malformed` for other sizes.
    public init(
        blob: BlobID,
        identity: SymmetricKey,
        digest: [UInt8],
        size: UInt64,
        contentType: String,
        filename: String,
        text: String = "",
        preview: Preview? = nil
    ) throws(ContentDefect) {
        guard identity.bitCount == AttachedFile.identitySize * 8 else { throw .malformed(field: "key") }
        guard digest.count == AttachedFile.digestSize else { throw .malformed(field: "contentHash") }
        self.blob = blob
        self.identity = identity
        self.digest = digest
        self.size = size
        self.contentType = contentType
        self.filename = filename
        self.text = text
        self.preview = preview
    }

    /// Reads the file that content elsewhere is.
    ///
    /// - Returns: `nil` for content that lies nowhere that this version knows, or is encrypted in another way.
    static func read(_ part: ExternalPart, preview: Preview?) throws(ContentDefect) -> AttachedFile? {
        guard part.url.hasPrefix(ContentURI.blobPrefix), part.encryption == encryption else { return nil }
        guard let blob = ContentURI.blob(in: part.url) else { throw .malformed(field: "url") }
        guard part.key.count == identitySize else { throw .malformed(field: "key") }
        guard part.nonce.isEmpty, part.authenticatedData.isEmpty else { throw .malformed(field: "nonce") }
        guard part.hashAlgorithm == sha256 else { throw .malformed(field: "hashAlg") }
        return try AttachedFile(
            blob: blob,
            identity: SymmetricKey(data: part.key),
            digest: part.contentHash,
            size: part.size,
            contentType: part.contentType,
            filename: part.filename,
            text: part.text,
            preview: preview
        )
    }

    /// As it is sent: the file alone, or one of the file and its picture.
    public var part: NestedPart {
        let external = ExternalPart(
            contentType: contentType,
            url: ContentURI.blob(blob),
            expires: 0,
            size: size,
            encryption: AttachedFile.encryption,
            key: unsafe identity.withUnsafeBytes { unsafe Array($0) },
            hashAlgorithm: AttachedFile.sha256,
            contentHash: digest,
            text: text,
            filename: filename
        )
        let file = NestedPart(.external(external), disposition: .attachment)
        guard let preview else { return file }
        let picture = NestedPart(
            .single(type: preview.contentType, bytes: preview.bytes),
            disposition: .preview
        )
        return NestedPart(.multi(.chooseOne, [file, picture]), disposition: .attachment)
    }

    /// Whether both are the same file; identities are compared in constant time.
    public static func == (left: AttachedFile, right: AttachedFile) -> Bool {
        left.identity == right.identity && left.blob == right.blob && left.digest == right.digest
            && left.size == right.size && left.contentType == right.contentType && left.filename == right.filename
            && left.text == right.text && left.preview == right.preview
    }

    /// Feeds what names the file to the hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(blob)
        hasher.combine(digest)
    }
}

extension AttachedFile: CustomStringConvertible, CustomReflectable {
    /// Its blob and size, without what opens it.
    public var description: String { "AttachedFile (\(blob), \(size) bytes)" }

    /// The same: nothing that prints what lies in it shows the identity.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
