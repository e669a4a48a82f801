import MildamKeychain

/// When the item can be read: one of the values `kSecAttrAccessible…`.
public let kSecAttrAccessible: CFString = "pdmn"
/// When the item can be read, and what its use asks for: a `SecAccessControl`.
public let kSecAttrAccessControl: CFString = "accc"
/// Which programs may use the item: text.
public let kSecAttrAccessGroup: CFString = "agrp"
/// Whether the item is meant for every device of its owner: a flag, or `kSecAttrSynchronizableAny` in a query.
public let kSecAttrSynchronizable: CFString = "sync"
/// In a query: items for every device, and items that are not.
public let kSecAttrSynchronizableAny: CFString = "syna"
/// When the item was added: a date, set by the keychain.
public let kSecAttrCreationDate: CFString = "cdat"
/// When the item was last changed: a date, set by the keychain.
public let kSecAttrModificationDate: CFString = "mdat"
/// What kind of item it is, for people: text.
public let kSecAttrDescription: CFString = "desc"
/// A comment: text.
public let kSecAttrComment: CFString = "icmt"
/// Which program made it: a number of four characters.
public let kSecAttrCreator: CFString = "crtr"
/// What type it is: a number of four characters.
public let kSecAttrType: CFString = "type"
/// The item's name, for people: text.
public let kSecAttrLabel: CFString = "labl"
/// Whether the item is to be hidden: a flag.
public let kSecAttrIsInvisible: CFString = "invi"
/// Whether there is no valid password: a flag.
public let kSecAttrIsNegative: CFString = "nega"
/// The account: text.
public let kSecAttrAccount: CFString = "acct"
/// The service: text.
public let kSecAttrService: CFString = "svce"
/// The program's own data, readable without the secret: data.
public let kSecAttrGeneric: CFString = "gena"
/// The security domain: text.
public let kSecAttrSecurityDomain: CFString = "sdmn"
/// The server's name or address: text.
public let kSecAttrServer: CFString = "srvr"
/// The protocol: one of the values `kSecAttrProtocol…`.
public let kSecAttrProtocol: CFString = "ptcl"
/// How the server asks for the password: one of the values `kSecAttrAuthenticationType…`.
public let kSecAttrAuthenticationType: CFString = "atyp"
/// The port: a number.
public let kSecAttrPort: CFString = "port"
/// The path: text.
public let kSecAttrPath: CFString = "path"
/// A certificate's subject: an X.501 name in DER.
public let kSecAttrSubject: CFString = "subj"
/// A certificate's issuer: an X.501 name in DER.
public let kSecAttrIssuer: CFString = "issr"
/// A certificate's serial number: the content of its INTEGER.
public let kSecAttrSerialNumber: CFString = "slnr"
/// A certificate's subject key identifier: data.
public let kSecAttrSubjectKeyID: CFString = "skid"
/// SHA-1 of a certificate's public key: 20 bytes.
public let kSecAttrPublicKeyHash: CFString = "pkhh"
/// A certificate's type: a number; 3 is X.509 version 3.
public let kSecAttrCertificateType: CFString = "ctyp"
/// A certificate's encoding: a number; 3 is DER.
public let kSecAttrCertificateEncoding: CFString = "cenc"
/// Which half a key is: one of the values `kSecAttrKeyClass…`.
public let kSecAttrKeyClass: CFString = "kcls"
/// What finds a key from its certificate: SHA-1 of the public key, 20 bytes.
public let kSecAttrApplicationLabel: CFString = "klbl"
/// The name that the program gave a key: data.
public let kSecAttrApplicationTag: CFString = "atag"
/// Whether a key is kept in the keychain: a flag.
public let kSecAttrIsPermanent: CFString = "perm"
/// A key's algorithm: one of the values `kSecAttrKeyType…`.
public let kSecAttrKeyType: CFString = "type"
/// A key's size in bits: a number.
public let kSecAttrKeySizeInBits: CFString = "bsiz"
/// How many of a key's bits count: a number.
public let kSecAttrEffectiveKeySize: CFString = "esiz"
/// From when on a key is to be used: a date.
public let kSecAttrStartDate: CFString = "sdat"
/// Until when a key is to be used: a date.
public let kSecAttrEndDate: CFString = "edat"
/// Whether a key encrypts: a flag.
public let kSecAttrCanEncrypt: CFString = "encr"
/// Whether a key decrypts: a flag.
public let kSecAttrCanDecrypt: CFString = "decr"
/// Whether other keys are derived with a key: a flag.
public let kSecAttrCanDerive: CFString = "drve"
/// Whether a key signs: a flag.
public let kSecAttrCanSign: CFString = "sign"
/// Whether a key verifies signatures: a flag.
public let kSecAttrCanVerify: CFString = "vrfy"
/// Whether a key wraps other keys: a flag.
public let kSecAttrCanWrap: CFString = "wrap"
/// Whether a key unwraps other keys: a flag.
public let kSecAttrCanUnwrap: CFString = "unwp"
/// What holds a key: `kSecAttrTokenIDSecureEnclave`, or nothing for the keychain itself.
public let kSecAttrTokenID: CFString = "tkid"
/// A key of the enclave that `SecKeychain.use` was given: it never leaves that.
public let kSecAttrTokenIDSecureEnclave: CFString = ItemAttributes.secureEnclave
