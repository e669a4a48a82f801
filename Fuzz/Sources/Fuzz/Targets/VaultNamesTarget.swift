@testable import MildamVault

extension FuzzTarget {
    /// The text of a file of a vault's names. In what parts it comes makes no difference, and each line is written as it
    /// was understood.
    static let vaultNames = FuzzTarget(
        name: "vault-names",
        source: .file,
        seeds: {
            [Array((head + line + code).utf8), Array((head + code).utf8)]
        },
        take: { input in
            var whole = NamesReading([])
            let isTaken = whole.take(input)
            planted(!whole.records.isEmpty)
            var (parts, goesOn) = (NamesReading([]), true)
            for byte in input where goesOn { goesOn = parts.take([byte]) }
            mustHold(goesOn == isTaken && parts.isEnded == whole.isEnded, "parts make no difference")
            mustHold(parts.records == whole.records, "parts hold the same names")
            for record in whole.records {
                var text: [UInt8] = []
                record.append(to: &text)
                mustHold(NameRecord(text.span) == record, "a name is written as it was read")
            }
        }
    )

    private static let head = "{\"vault\":\"\(zeros(32))\",\"number\":1,\"whole\":true}\n"
    private static let line = """
        {"name":"a/b","was":"c","file":"\(String(repeating: "a", count: 26))","digest":"\(zeros(64))","size":1,"modified":1,\
        "nanoseconds":0,"added":1,"type":"text/plain","tags":["d"],"replaced":1}

        """
    private static let code = "{\"mac\":\"\(zeros(64))\"}\n"

    private static func zeros(_ count: Int) -> String { String(repeating: "0", count: count) }
}
