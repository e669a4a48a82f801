import MildamKeychain

/// The attributes of a Secret Service item: names and values that programs look it up by, and no secrets.
struct SecretServiceAttributes {
    private var rest: [String: String]

    init(_ attributes: [String: String]) { rest = attributes }

    /// The login that an item is.
    ///
    /// Items of GNOME's network passwords (`org.gnome.keyring.NetworkPassword`: `protocol`, `server`, `port`, `object`,
    /// `domain`, `user`) become internet passwords. Of others `service` names the service, and the label where there is
    /// none; `username`, `account` or `user` the account, and where there is none all attributes, so that no two items
    /// become one. What is not told otherwise is a field "attributes".
    func login(_ position: Int, label: String, folder: String, _ secret: SecretValue) -> ImportedLogin {
        var (login, rest) = (ImportedLogin(position: position), rest)
        login.folder = folder
        login.password = secret
        rest["xdg:schema"] = nil
        if let server = rest["server"], let scheme = rest["protocol"] {
            for name in ["server", "protocol"] { rest[name] = nil }
            let port = rest.removeValue(forKey: "port").map { ":\($0)" } ?? ""
            let path = rest.removeValue(forKey: "object").map { $0.hasPrefix("/") ? $0 : "/\($0)" } ?? ""
            login.addresses = ["\(scheme)://\(server)\(port)\(path)"]
            login.realm = rest.removeValue(forKey: "domain")
            login.title = label
        } else {
            login.title = rest.removeValue(forKey: "service") ?? label
        }
        for name in ["username", "account", "user"] where login.username.isEmpty {
            login.username = rest.removeValue(forKey: name) ?? ""
        }
        let told = rest.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        if login.username.isEmpty, login.addresses.isEmpty {
            login.username = told.joined(separator: " ")
        } else if !told.isEmpty {
            login.fields.append(.init("attributes", SecretValue(text: told.joined(separator: "\n"))))
        }
        return login
    }
}
