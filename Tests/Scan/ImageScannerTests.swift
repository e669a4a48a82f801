import Foundation
import MildamCrypto
import MildamScan
import TestSupport
import Testing

@testable import MildamOneTimeCode

@Suite("The client of mildam-scan")
struct ImageScannerTests {
    private func texts(in image: [UInt8], by given: ImageScanner? = nil) throws -> [String] {
        let scanner = try given ?? ImageScanner()
        let texts = try scanner.texts(in: image.span)
        #expect(texts.description == "\(texts.count) scanned texts")
        return (0..<texts.count).map { index in
            let text = texts.text(at: index)
            return String(decoding: text.span.indices.map { text.span[$0] }, as: UTF8.self)
        }
    }

    /// A program in the place of `mildam-scan`.
    private func scanner(_ script: String, in folder: TemporaryFolder, within seconds: Int = 20) throws -> ImageScanner
    {
        let path = folder.file("scan")
        try Data("#!/bin/sh\n\(script)\n".utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        return ImageScanner(program: path, within: seconds)
    }

    @Test("finds it beside this program, and reads what we draw")
    func found() throws {
        #expect(try texts(in: Picture(ScanProgram.uri).png()) == [ScanProgram.uri])
        let code = try QRCode(text: Array("밀담".utf8).span, correction: .high)
        let file = try code.png()
        #expect(try texts(in: file.span.indices.map { file.span[$0] }) == ["밀담"])
    }

    @Test("reads several codes")
    func several() throws {
        #expect(try texts(in: Picture("one\ntwo").beside(Picture("three")).png()).sorted() == ["one\ntwo", "three"])
    }

    @Test("reads a large image")
    func large() throws {
        // A chunk that nobody knows, of 20 MiB.
        let image = try Picture("밀담").png(before: PNGFile.chunk("miLd", [UInt8](repeating: 7, count: 20 << 20)))
        #expect(try texts(in: image) == ["밀담"])
    }

    @Test("says why there is nothing")
    func nothing() throws {
        #expect(throws: ImageScannerError.noCode) { try texts(in: Picture(width: 64, height: 64).png()) }
        #expect(throws: ImageScannerError.refused("a GIF image is not read: make a PNG or JPEG of it")) {
            try texts(in: Array("GIF89a".utf8))
        }
        #expect(throws: ImageScannerError.refused("there is no image: nothing came on standard input")) {
            try texts(in: [])
        }
        #expect { try texts(in: [0xFF, 0xD8, 0xFF, 0xE0]) } throws: {
            guard case .damaged(let words)? = $0 as? ImageScannerError else { return false }
            return words.hasPrefix("the JPEG image is damaged: ")
        }
    }

    @Test("has the limit that mildam-scan has, and starts nothing for more")
    func limit() throws {
        #expect(ImageScanner.imageLimit == Scan.fileLimit)
        let nobody = ImageScanner(program: "/nonexistent", within: 1)
        #expect(throws: ImageScannerError.refused("the image is larger than 32 MiB: cut it to the code")) {
            try texts(in: [UInt8](repeating: 0, count: ImageScanner.imageLimit + 1), by: nobody)
        }
        #expect { try texts(in: [1], by: nobody) } throws: {
            guard case .io(let error)? = $0 as? ImageScannerError else { return false }
            return error.code == ENOENT
        }
    }

    @Test("gives up on a program that stands still, says too much, or is ended for its time")
    func gaveUp() throws {
        let folder = try TemporaryFolder()
        for script in ["exec sleep 60", "exec yes", "kill -XCPU $$"] {
            let scanner = try scanner(script, in: folder, within: 2)
            let begin = ContinuousClock.now
            #expect(throws: ImageScannerError.gaveUp, "\(script)") { try texts(in: [1], by: scanner) }
            #expect(begin.duration(to: .now) < .seconds(20))
        }
    }

    @Test("does not take a crash, or silence, for an answer")
    func failed() throws {
        let folder = try TemporaryFolder()
        let crash = try scanner("printf 'half\\0'; kill -SEGV $$", in: folder)
        #expect(throws: ImageScannerError.failed(status: 139, "half\0")) { try texts(in: [1], by: crash) }
        let silence = try scanner("exit 0", in: folder)
        #expect(throws: ImageScannerError.failed(status: 0, "")) { try texts(in: [1], by: silence) }
    }

    @Test("gives the program nothing of this process's environment")
    func environment() throws {
        let folder = try TemporaryFolder()
        unsafe setenv("MILDAM_PASSPHRASE", "a passphrase of these tests", 1)
        defer { unsafe unsetenv("MILDAM_PASSPHRASE") }
        let scanner = try scanner("/bin/cat /proc/$$/environ; printf 'x\\0'", in: folder)
        #expect(try texts(in: [1], by: scanner) == ["x"])
    }
}
