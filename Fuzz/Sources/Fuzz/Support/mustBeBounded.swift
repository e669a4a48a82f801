@testable import MildamKeychain

/// Traps unless what was read of a file is no more than the file can hold.
func mustBeBounded(_ result: ImportedLogins, _ input: [UInt8]) {
    mustHold(result.rows.count <= TransferLimits.rows, "there are no more rows than the limit says")
    for login in result.logins {
        mustHold(!login.isEmpty, "a login says something")
        let parts = login.parts { $0.oneTimeCodeItem($1) }
        mustHold(!parts.isEmpty, "a login becomes an item")
        for part in parts { mustHold(part.item.secret.count <= input.count, "nothing is longer than its file") }
    }
}
