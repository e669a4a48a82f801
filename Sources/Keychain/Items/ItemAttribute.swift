/// An attribute of an item. The raw values are Apple's four-letter codes (`kSecAttr…`).
public enum ItemAttribute: String, CaseIterable, Hashable, Sendable {
    /// `kSecAttrAccount`: text.
    case account = "acct"
    /// `kSecAttrService`: text.
    case service = "svce"
    /// `kSecAttrGeneric`: data of the program's own.
    case generic = "gena"
    /// `kSecAttrLabel`: text for people.
    case label = "labl"
    /// `kSecAttrDescription`: text for people.
    case description = "desc"
    /// `kSecAttrComment`: text for people.
    case comment = "icmt"
    /// `kSecAttrCreator`: a number.
    case creator = "crtr"
    /// `kSecAttrType` of a password, `kSecAttrKeyType` of a key: a number.
    case type = "type"
    /// `kSecAttrAlias`: data.
    case alias = "alis"
    /// `kSecAttrIsInvisible`: a flag.
    case isInvisible = "invi"
    /// `kSecAttrIsNegative`: a flag.
    case isNegative = "nega"
    /// `kSecAttrSecurityDomain`: text.
    case securityDomain = "sdmn"
    /// `kSecAttrServer`: text.
    case server = "srvr"
    /// `kSecAttrProtocol`: text, such as "htps".
    case `protocol` = "ptcl"
    /// `kSecAttrAuthenticationType`: text, such as "dflt".
    case authenticationType = "atyp"
    /// `kSecAttrPort`: a number.
    case port = "port"
    /// `kSecAttrPath`: text.
    case path = "path"
    /// `kSecAttrCertificateType`: a number.
    case certificateType = "ctyp"
    /// `kSecAttrCertificateEncoding`: a number.
    case certificateEncoding = "cenc"
    /// `kSecAttrSubject`: data, an X.501 name in DER.
    case subject = "subj"
    /// `kSecAttrIssuer`: data, an X.501 name in DER.
    case issuer = "issr"
    /// `kSecAttrSerialNumber`: data.
    case serialNumber = "slnr"
    /// `kSecAttrSubjectKeyID`: data.
    case subjectKeyID = "skid"
    /// `kSecAttrPublicKeyHash`: data, SHA-1 of the public key.
    case publicKeyHash = "pkhh"
    /// `kSecAttrKeyClass`: a number; 0 public, 1 private, 2 symmetric.
    case keyClass = "kcls"
    /// `kSecAttrApplicationLabel`: data; of a key pair SHA-1 of the public key.
    case applicationLabel = "klbl"
    /// `kSecAttrApplicationTag`: data.
    case applicationTag = "atag"
    /// `kSecAttrKeySizeInBits`: a number.
    case keySizeInBits = "bsiz"
    /// `kSecAttrEffectiveKeySize`: a number.
    case effectiveKeySize = "esiz"
    /// `kSecAttrStartDate`: a date.
    case startDate = "sdat"
    /// `kSecAttrEndDate`: a date.
    case endDate = "edat"
    /// `kSecAttrIsPermanent`: a flag.
    case isPermanent = "perm"
    /// `kSecAttrTokenID`: text; what holds the key, such as an enclave.
    case tokenID = "tkid"
    /// `kSecAttrCanEncrypt`: a flag.
    case canEncrypt = "encr"
    /// `kSecAttrCanDecrypt`: a flag.
    case canDecrypt = "decr"
    /// `kSecAttrCanDerive`: a flag.
    case canDerive = "drve"
    /// `kSecAttrCanSign`: a flag.
    case canSign = "sign"
    /// `kSecAttrCanVerify`: a flag.
    case canVerify = "vrfy"
    /// `kSecAttrCanWrap`: a flag.
    case canWrap = "wrap"
    /// `kSecAttrCanUnwrap`: a flag.
    case canUnwrap = "unwp"
    /// `kSecAttrCreationDate`: a date, set by the keychain.
    case creationDate = "cdat"
    /// `kSecAttrModificationDate`: a date, set by the keychain.
    case modificationDate = "mdat"

    /// What its values are.
    public var kind: AttributeValue.Kind {
        switch self {
        case .generic, .alias, .subject, .issuer, .serialNumber, .subjectKeyID, .publicKeyHash, .applicationLabel,
            .applicationTag:
            .data
        case .creator, .type, .port, .certificateType, .certificateEncoding, .keyClass, .keySizeInBits,
            .effectiveKeySize:
            .number
        case .isInvisible, .isNegative, .isPermanent, .canEncrypt, .canDecrypt, .canDerive, .canSign, .canVerify,
            .canWrap, .canUnwrap:
            .flag
        case .startDate, .endDate, .creationDate, .modificationDate: .date
        case .account, .service, .label, .description, .comment, .securityDomain, .server, .protocol,
            .authenticationType, .path, .tokenID:
            .text
        }
    }

    /// Whether a search by it goes by the index. Flags and dates are compared after opening: an index over a few values
    /// would only show how they are spread.
    var isIndexed: Bool { kind != .flag && kind != .date }

    /// Whether the keychain sets it, and nobody else.
    var isKept: Bool { self == .creationDate || self == .modificationDate }
}
