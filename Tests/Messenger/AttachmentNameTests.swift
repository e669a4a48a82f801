import Testing

@testable import MildamMessenger

@Suite("The name of a file that somebody else chose")
struct AttachmentNameTests {
    @Test(arguments: [
        ("photo.png", "photo.png"), ("사진 1.png", "사진 1.png"), ("e\u{301}.txt", "e\u{301}.txt"),
        ("../../../etc/passwd", "passwd"), ("a/", nil), ("/", nil), ("", nil), ("..", nil), (". .", nil),
        (".bashrc", "bashrc"), ("...hidden...", "hidden"), ("  a  ", "a"), ("a. . ", "a"), ("-rf", "rf"),
        ("- -.-x", "x"),
        ("\u{1b}[31mred\n\u{7f}\u{9b}\u{0}.txt", "[31mred.txt"), ("gnp\u{202E}exe.\u{2066}", "gnpexe"),
        ("a\u{2028}b\u{2029}c", "abc"), ("ad\u{200B}min\u{FEFF}\u{AD}\u{200D}", "admin"),
        ("\u{3164}\u{115F}x\u{34F}", "x"), ("a\u{A0}b\u{3000}c\u{2003}", "a b c"), ("\u{E0041}\u{E000}x", "x"),
        ("a/\u{301}b", "\u{301}b"),
    ])
    func safe(_ name: String, _ expected: String?) {
        #expect(AttachmentName.safe(name).map { Array($0.unicodeScalars) } == expected.map { Array($0.unicodeScalars) })
    }

    @Test("No more than a file system takes, and the extension is kept")
    func long() throws {
        for name in [
            String(repeating: "밀", count: 300) + ".tar.png", "a" + String(repeating: "\u{301}", count: 400) + ".png",
            String(repeating: "x", count: 254) + ".png", "x" + String(repeating: " ", count: 300) + ".png",
        ] {
            let safe = try #require(AttachmentName.safe(name))
            #expect(safe.utf8.count <= 255 && safe.hasSuffix(".png") && safe.count > 4, "\(safe)")
        }
        #expect(AttachmentName.safe(String(repeating: "x", count: 255))?.utf8.count == 255)
        #expect(AttachmentName.safe("x." + String(repeating: "y", count: 300))?.utf8.count == 255)
    }
}
