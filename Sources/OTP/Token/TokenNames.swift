/// Issuer and account, as they come out of a label and a field for the issuer.
///
/// Texts are compared by their bytes: a colon stays one when a combining character follows it.
package struct TokenNames {
    package var issuer = ""
    package var account = ""

    package init(issuer: String = "", account: String = "") {
        self.issuer = issuer
        self.account = account
    }

    /// Takes a label apart: `account`, or `issuer:account` (Key Uri Format, "Label").
    ///
    /// - Parameter issuer: what a field of its own says; empty where there is none. Then the label's counts. Otherwise the
    ///   label's goes where it is the same but for case, and is left in the account where it is not.
    package init(label: String, issuer: String) {
        let label = label.trimmed
        let issuer = issuer.trimmed
        let parts = label.cutAtColon
        if issuer.isEmpty {
            self.init(issuer: parts?.before ?? "", account: parts?.after ?? label)
        } else if let account = TokenNames.account(of: label, after: issuer) {
            self.init(issuer: issuer, account: account)
        } else if let parts, parts.before.lowercased() == issuer.lowercased() {
            self.init(issuer: issuer, account: parts.after)
        } else {
            self.init(issuer: issuer, account: label)
        }
    }

    /// What a label says behind an issuer, which may have colons of its own; `nil` where it does not begin with it.
    package static func account(of label: String, after issuer: String) -> String? {
        let label = label.trimmed
        guard !issuer.isEmpty, label.utf8.starts(with: issuer.utf8) else { return nil }
        let rest = String(decoding: Array(label.utf8.dropFirst(issuer.utf8.count)), as: UTF8.self)
        guard let parts = rest.cutAtColon, parts.before.isEmpty else { return nil }
        return parts.after
    }
}

extension String {
    /// Without the white space at both ends.
    package var trimmed: String {
        let start = unicodeScalars.drop(while: \.properties.isWhitespace)
        guard let last = start.lastIndex(where: { !$0.properties.isWhitespace }) else { return "" }
        return String(start[...last])
    }

    /// What stands before and behind the first colon, without white space around it; `nil` where there is none.
    fileprivate var cutAtColon: (before: String, after: String)? {
        guard let colon = unicodeScalars.firstIndex(of: ":") else { return nil }
        let after = unicodeScalars[unicodeScalars.index(after: colon)...]
        return (String(unicodeScalars[..<colon]).trimmed, String(after).trimmed)
    }
}
