/// Which of a Mac's keychains is meant. Ignored: there is one.
public let kSecUseDataProtectionKeychain: CFString = "nleg"
/// What becomes of items whose use asks a person. Its values are checked and then ignored: nobody is asked.
public let kSecUseAuthenticationUI: CFString = "u_AuthUI"
/// Ask. Means the same as the others here.
public let kSecUseAuthenticationUIAllow: CFString = "u_AuthUIA"
/// Fail with `errSecInteractionNotAllowed`, which a locked keychain always does here.
public let kSecUseAuthenticationUIFail: CFString = "u_AuthUIF"
/// Leave such items out. Here the call fails instead: an item that is left out would look missing.
public let kSecUseAuthenticationUISkip: CFString = "u_AuthUIS"
/// An `LAContext`. Ignored: who was asked before is no proof here.
public let kSecUseAuthenticationContext: CFString = "u_AuthCtx"
/// What a person is told. Ignored: nobody is asked.
public let kSecUseOperationPrompt: CFString = "u_OpPrompt"
/// Whether nobody is to be asked. Ignored: nobody is.
public let kSecUseNoAuthenticationUI: CFString = "u_NoAuthUI"
/// A list of items. Refused.
public let kSecUseItemList: CFString = "u_ItemList"
