@testable import MildamKeychain

extension FuzzTarget {
    /// KeePass's exports.
    static let keychainKeePass = FuzzTarget(
        name: "keychain-keepass",
        source: .file,
        seeds: {
            let string = "<String><Key>Title</Key><Value ProtectInMemory=\"True\">A&amp;&#x41;</Value></String>"
            let password = "<String><Key>Password</Key><Value><![CDATA[p<]]></Value></String>"
            let entry = "<Entry>\(string)\(password)<History><Entry/></History><Binary/></Entry>"
            return [
                "<?xml version=\"1.0\" encoding=\"utf-8\"?><KeePassFile><Meta><RecycleBinUUID>B</RecycleBinUUID></Meta>"
                    + "<Root><Group><Name>D</Name>\(entry)<Group><Name>W</Name>\(entry)</Group></Group></Root></KeePassFile>",
                "<!DOCTYPE x [<!ENTITY a \"b\">]><KeePassFile/>",
            ].map { Array($0.utf8) }
        },
        take: { input in
            guard let result = try? KeePassImport.read(input.span) else { return }
            planted(result.leftOut["attachments"] == 1)
            mustBeBounded(result, input)
        }
    )
}
