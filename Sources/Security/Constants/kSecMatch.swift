/// How many items are wanted: one of the two values below, or a number.
public let kSecMatchLimit: CFString = "m_Limit"
/// The first; what a query means that says nothing.
public let kSecMatchLimitOne: CFString = "m_LimitOne"
/// All.
public let kSecMatchLimitAll: CFString = "m_LimitAll"
/// Only items of a list. Refused: nothing here narrows a search by it.
public let kSecMatchItemList: CFString = "m_ItemList"
/// Only items of some keychains. Refused: nothing here narrows a search by it.
public let kSecMatchSearchList: CFString = "m_SearchList"
/// Only certificates that a policy allows. Refused: nothing here narrows a search by it.
public let kSecMatchPolicy: CFString = "m_Policy"
/// Only certificates of some issuers. Refused: nothing here narrows a search by it.
public let kSecMatchIssuers: CFString = "m_Issuers"
/// Only certificates of an address. Refused: nothing here narrows a search by it.
public let kSecMatchEmailAddressIfPresent: CFString = "m_EmailAddressIfPresent"
/// Only certificates whose subject contains a text. Refused: nothing here narrows a search by it.
public let kSecMatchSubjectContains: CFString = "m_SubjectContains"
/// Whether letters match in both cases. Refused, unless false: texts match byte by byte.
public let kSecMatchCaseInsensitive: CFString = "m_CaseInsensitive"
/// Only trusted certificates. Refused, unless false.
public let kSecMatchTrustedOnly: CFString = "m_TrustedOnly"
/// Only certificates that are valid at a date. Refused: nothing here narrows a search by it.
public let kSecMatchValidOnDate: CFString = "m_ValidOnDate"
