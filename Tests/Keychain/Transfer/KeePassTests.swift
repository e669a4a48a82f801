import MildamCrypto
import TestSupport
import Testing

@testable import MildamKeychain

@Suite("KeePass's XML exports")
struct KeePassTests {
    private func read(_ text: String) throws(TransferError) -> ImportedLogins {
        try readKeePass(Array(text.utf8))
    }

    private static func entry(_ strings: String) -> String {
        "<KeePassFile><Root><Group><Entry>\(strings)</Entry></Group></Root></KeePassFile>"
    }

    private static func string(_ key: String, _ value: String) -> String {
        "<String><Key>\(key)</Key><Value>\(value)</Value></String>"
    }

    private static let sample = """
        \u{feff}<?xml version="1.0" encoding="utf-8" standalone="yes"?>\r
        <!-- made by hand -->
        <KeePassFile><Meta><Generator>KeePass</Generator><RecycleBinUUID>BIN=</RecycleBinUUID><CustomIcons/></Meta>
        <Root><Group><UUID>R=</UUID><Name>Database</Name>
        <Entry><UUID>1=</UUID><Tags/><Times><Expires>False</Expires></Times>
        <String><Key>Title</Key><Value>Mail &amp; more &#x1F600;</Value></String>
        <String><Key>UserName</Key><Value>alice</Value></String>
        <String><Key>Password</Key><Value ProtectInMemory="True">a&lt;b&gt;&quot;&apos;&#65;</Value></String>
        <String><Key>URL</Key><Value>https://mail.example/</Value></String>
        <String><Key>Notes</Key><Value><![CDATA[one < two]]>\r\nthree</Value></String>
        <String><Key>otp</Key><Value>otpauth://totp/x?secret=AA</Value></String>
        <String><Key>TOTP Settings</Key><Value>30;6</Value></String>
        <String><Key>empty</Key><Value/></String>
        <Binary><Key>a.txt</Key><Value Ref="0"/></Binary>
        <History><Entry><String><Key>Password</Key><Value>old</Value></String></Entry><Entry/></History></Entry>
        <Group><UUID>2=</UUID><Name>Work</Name><Group><Name>Deep</Name><Entry>
        <String><Key>Title</Key><Value>B</Value></String><String><Key>Password</Key><Value>p</Value></String></Entry></Group></Group>
        <Group><UUID>BIN=</UUID><Name>Bin</Name><Entry><String><Key>Title</Key><Value>gone</Value></String></Entry>
        <Group><Name>Old</Name><Entry><History><Entry/></History></Entry><Group><Entry/></Group></Group></Group>
        <Entry><String><Key>Title</Key><Value>Inner</Value></String>
        <String><Key>Password</Key><Value Protected="True">AAAA</Value></String></Entry><Entry/>
        </Group><DeletedObjects/></Root></KeePassFile>
        """

    /// Each entry has the names of all groups around it: of a long one, many entries would make far more than the file.
    @Test func theNamesOfGroupsAreShort() throws {
        func document(_ outer: Int, _ inner: Int) -> String {
            let (outer, inner) = (String(repeating: "o", count: outer), String(repeating: "i", count: inner))
            return "<KeePassFile><Root><Group><Group><Name>\(outer)</Name><Group><Name>\(inner)</Name><Entry>"
                + Self.string("Password", "p") + "</Entry></Group></Group></Group></Root></KeePassFile>"
        }
        #expect(try read(document(4000, 95)).logins.first?.folder?.utf8.count == 4096)
        for (outer, inner) in [(4000, 96), (4096, 1), (100_000, 1)] {
            #expect(throws: TransferError.self) { try read(document(outer, inner)) }
        }
    }

    @Test func entriesAreRead() throws {
        let result = try read(Self.sample)
        #expect(
            result.shown == [
                Shown(
                    "Mail & more 😀",
                    ["https://mail.example/"],
                    "alice",
                    "a<b>\"'A",
                    note: "one < two\nthree",
                    oneTimeCode: "otpauth://totp/x?secret=AA",
                    fields: ["TOTP Settings=30;6"]
                ),
                Shown("B", [], "", "p", folder: "Work/Deep"),
            ]
        )
        #expect(result.defects == [.encrypted, .empty])
        #expect(
            result.leftOut == [
                "earlier versions of entries": 2, "attachments": 1, "entries in the recycle bin": 3,
            ]
        )
    }

    /// A group is the bin also where its UUID comes behind what is in it.
    @Test func theBinIsKnownWhereverItsUUIDStands() throws {
        let entry = "<Entry>" + Self.string("Password", "gone") + "<Binary/><History><Entry/></History></Entry>"
        let result = try read(
            "<KeePassFile><Meta><RecycleBinUUID>BIN=</RecycleBinUUID></Meta><Root><Group><Name>Database</Name><Group>"
                + entry + "<Group><Name>Old</Name>" + entry + "</Group><UUID>BIN=</UUID>" + entry + "</Group><Entry>"
                + Self.string("Password", "kept") + "</Entry></Group></Root></KeePassFile>"
        )
        #expect(result.logins.map { $0.password?.text } == ["kept"])
        #expect(result.leftOut == ["entries in the recycle bin": 3])
    }

    @Test func otherFormsOfOneTimeCodesAreFound() throws {
        for key in ["TimeOtp-Secret-Base32", "TOTP Seed", "otp"] {
            #expect(try read(Self.entry(Self.string(key, "JBSW"))).logins.first?.oneTimeCode?.text == "JBSW")
        }
    }

    @Test func whatPythonWritesIsRead() throws {
        let script = """
            import sys
            import xml.etree.ElementTree as E
            root = E.Element("KeePassFile")
            group = E.SubElement(E.SubElement(root, "Root"), "Group")
            for n in range(100):
                entry = E.SubElement(group, "Entry")
                for key, value in {"Title": f"t{n}", "UserName": "é👩‍👩‍👧", "Password": "<&>\\"'" * n + "\\t]]>" }.items():
                    string = E.SubElement(entry, "String")
                    E.SubElement(string, "Key").text = key
                    E.SubElement(string, "Value", {"ProtectInMemory": "True"}).text = value
            sys.stdout.buffer.write(E.tostring(root, encoding="utf-8", xml_declaration=True))
            """
        let result = try readKeePass(try python(script))
        #expect(result.logins.count == 100)
        let login = try #require(result.logins.last)
        #expect(login.title == "t99")
        #expect(login.username == "é👩‍👩‍👧")
        #expect(login.password?.text == String(repeating: "<&>\"'", count: 99) + "\t]]>")
    }

    // MARK: Hostile documents

    @Test(arguments: [
        "<?xml version=\"1.0\"?><!DOCTYPE lolz [<!ENTITY lol \"lol\"><!ENTITY lol2 \"&lol;&lol;&lol;&lol;\">]>"
            + entry(string("Title", "&lol2;")),
        "<!DOCTYPE x [<!ENTITY xxe SYSTEM \"file:///etc/passwd\">]>" + entry(string("Title", "&xxe;")),
        "<!DOCTYPE x SYSTEM \"http://127.0.0.1/x.dtd\">" + entry(""), "<!doctype x>" + entry(""),
        "<KeePassFile><!DOCTYPE x></KeePassFile>", "<KeePassFile><!ELEMENT x></KeePassFile>",
    ])
    func aDocumentTypeIsRefusedUnread(_ text: String) {
        #expect(throws: TransferError.documentTypeRefused) { try read(text) }
    }

    @Test(arguments: [
        "", " ", "text", "<KeePassFile>", "<KeePassFile><Root></KeePassFile></Root>", "<KeePassFile/><KeePassFile/>",
        "<Other/>", "<KeePassFile/>", entry(string("Title", "&xxe;")), entry(string("Title", "&#0;")),
        entry(string("Title", "&#xD800;")), entry(string("Title", "&#x110000;")), entry(string("Title", "&#+65;")),
        entry(string("Title", "&amp")), entry(string("Title", "a\u{1}b")), entry(string("Title", "]]>")),
        entry(string("Title", "<![CDATA[")), entry("<x a=\"1\" a=\"2\"/>"), entry("<x a=1/>"), entry("<x a/>"),
        entry("<x a=\"<\"/>"), entry("<1/>"), entry("<x a=\"1\"b=\"2\"/>"), entry("") + "x", entry("") + "<!-- ",
        "<?xml version=\"1.0\" encoding=\"utf-16\"?>" + entry(""),
        "<KeePassFile><Root>" + String(repeating: "<Group>", count: 100_000),
        "<KeePassFile>" + String(repeating: "<x>", count: 100_000),
        "<KeePassFile " + (0..<100).map { "a\($0)=\"\"" }.joined(separator: " ") + "/>",
    ])
    func whatIsNoExportIsRefused(_ text: String) { #expect(throws: TransferError.self) { try read(text) } }

    @Test func anythingButUTF8IsRefused() {
        let utf16: [UInt8] = [0xff, 0xfe] + Self.entry("").utf16.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }
        #expect(throws: TransferError.notUTF8) { try readKeePass(utf16) }
    }

    @Test func cutAnywhereItIsNoExport() throws {
        let bytes = Array(Self.sample.utf8)
        for cut in Hostile.cuts(bytes) { #expect(throws: TransferError.self) { try readKeePass(cut) } }
    }

    @Test func aFlippedBitIsAnErrorOrAnotherText() throws {
        let bytes = Array(
            Self.entry(
                "<!-- c -->" + Self.string("Title", "A&amp;B")
                    + "<String><Key>Password</Key><Value x='1'>p</Value></String>"
            ).utf8
        )
        #expect(try readKeePass(bytes).shown == [Shown("A&B", [], "", "p")])
        var refused = 0
        for changed in Hostile.flips(bytes) {
            if (try? readKeePass(changed)) == nil { refused += 1 }
        }
        #expect(refused > 500, "\(refused)")
    }
}
