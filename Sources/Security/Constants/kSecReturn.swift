/// Whether what the item protects is wanted: `Data`.
public let kSecReturnData: CFString = "r_Data"
/// Whether its attributes are wanted: `[String: Any]`.
public let kSecReturnAttributes: CFString = "r_Attributes"
/// Whether the item itself is wanted: a `SecKey`, `SecCertificate` or `SecIdentity`.
public let kSecReturnRef: CFString = "r_Ref"
/// Whether a reference is wanted that can be kept: `Data`.
public let kSecReturnPersistentRef: CFString = "r_PersistentRef"
/// What the item protects: `Data`.
public let kSecValueData: CFString = "v_Data"
/// The item itself: a `SecKey`, `SecCertificate` or `SecIdentity`.
public let kSecValueRef: CFString = "v_Ref"
/// A reference that was kept: `Data`.
public let kSecValuePersistentRef: CFString = "v_PersistentRef"
