/// Windows NT LAN Manager.
public let kSecAttrAuthenticationTypeNTLM: CFString = "ntlm"
/// Microsoft Network's default.
public let kSecAttrAuthenticationTypeMSN: CFString = "msna"
/// Distributed Password Authentication.
public let kSecAttrAuthenticationTypeDPA: CFString = "dpaa"
/// Remote Password Authentication.
public let kSecAttrAuthenticationTypeRPA: CFString = "rpaa"
/// HTTP Basic.
public let kSecAttrAuthenticationTypeHTTPBasic: CFString = "http"
/// HTTP Digest.
public let kSecAttrAuthenticationTypeHTTPDigest: CFString = "httd"
/// A form of a web page.
public let kSecAttrAuthenticationTypeHTMLForm: CFString = "form"
/// The server's default.
public let kSecAttrAuthenticationTypeDefault: CFString = "dflt"
