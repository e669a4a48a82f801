/// What a column of a CSV file holds, by the name that a browser or a password manager gives it.
enum CSVColumn: Hashable {
    case title, address, addresses, username, password, note, oneTimeCode, folder, realm
    /// Something that has no place in a keychain, such as when a password was used last.
    case passedOver
    /// A column that nobody here knows: kept as a field of this name.
    case unknown(String)

    /// By its name, in whatever case.
    init(_ name: String) {
        let key = name.lowercased().filter { !$0.isWhitespace && $0 != "_" }
        self = Self.known[key] ?? .unknown(name)
    }

    /// Chrome and Edge: name,url,username,password,note. Firefox: url,username,password,httpRealm,formActionOrigin,guid,
    /// timeCreated,timeLastUsed,timePasswordChanged. Safari: Title,URL,Username,Password,Notes,OTPAuth. Bitwarden: folder,
    /// favorite,type,name,notes,fields,reprompt,login_uri,login_username,login_password,login_totp. KeePassXC: Group,Title,
    /// Username,Password,URL,Notes,TOTP,Icon,Last Modified,Created. LastPass: url,username,password,totp,extra,name,
    /// grouping,fav. 1Password: Title,Url,Username,Password,OTPAuth,Favorite,Archived,Tags,Notes.
    private static let known: [String: CSVColumn] = [
        "title": .title, "name": .title,
        "url": .address, "website": .address, "hostname": .address, "loginuri": .addresses,
        "username": .username, "loginusername": .username, "login": .username,
        "password": .password, "loginpassword": .password,
        "note": .note, "notes": .note, "extra": .note,
        "otpauth": .oneTimeCode, "totp": .oneTimeCode, "logintotp": .oneTimeCode, "otp": .oneTimeCode,
        "folder": .folder, "group": .folder, "grouping": .folder,
        "httprealm": .realm,
        "favorite": .passedOver, "fav": .passedOver, "reprompt": .passedOver, "type": .passedOver,
        "archived": .passedOver, "icon": .passedOver, "created": .passedOver, "lastmodified": .passedOver,
        "formactionorigin": .passedOver, "guid": .passedOver, "timecreated": .passedOver,
        "timelastused": .passedOver, "timepasswordchanged": .passedOver,
    ]

    /// Whether there can be several.
    var canRepeat: Bool {
        switch self {
        case .passedOver, .unknown: true
        default: false
        }
    }
}
