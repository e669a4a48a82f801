import MildamFiles
import TestSupport
import Testing

@testable import MildamKeychain

@Suite("Imports: what a file is")
struct FormatTests {
    @Test(arguments: [
        ("age-encryption.org/v1\n-> scrypt", TransferFormat.bundle), ("{\"items\":[]}", .bitwarden),
        ("\u{feff} \n{", .bitwarden), ("<?xml version=\"1.0\"?>", .keepass), ("\u{feff}\r\n\t<KeePassFile>", .keepass),
        ("name,url,username,password\r\n", .csv), ("\u{feff}\"url\",\"username\",\"password\"\n", .csv),
    ])
    func itIsToldByTheContent(_ text: String, _ format: TransferFormat) {
        #expect(TransferFormat.detect(Array(text.utf8).span) == format)
    }

    @Test(arguments: ["", " ", "\u{feff}", "age-encryption.or", "hunter2", "a,b,c\n1,2,3", "\u{0}{"])
    func anythingElseIsNone(_ text: String) { #expect(TransferFormat.detect(Array(text.utf8).span) == nil) }
}
