import FoundationEssentials
import Glibc
import MildamScan
import MildamSystem
import MildamTerminal

/// `mildam-scan read`.
let readCommand = ScanCommand(
    ["read"],
    summary: "Print the text of each QR code in the image on standard input.",
    discussion: """
        Each text is a line. A text may have line breaks in it; --null and --json tell such texts apart. On a \
        terminal, what would act on it is shown and not done.

        An image may have \(Scan.fileLimit >> 20) MiB, \(Scan.pixelLimit >> 20) million pixels, and \
        \(Scan.sideLimit) pixels on a side. A damaged image is not read in part.
        """,
    options: [
        OptionSpec(
            "json",
            help: "Print one object: \"codes\", each with its \"text\", or \"base64\" if it is none."
        ),
        OptionSpec("null", short: "0", help: "End each text with a null character in place of a line break."),
    ],
    examples: [
        .init("mildam-scan read < screenshot.png", "Print what the codes in a screenshot say, a line each."),
        .init("mildam-scan read --json < photo.jpg", "The same as JSON."),
    ],
    exitNotes: [
        .init(.done, "There was a code; every code that could be read is printed."),
        .init(.notFound, "There is no QR code in the image that could be read."),
        .init(.damaged, "The image is damaged."),
        .init(.refused, "The image is of another format, or too large."),
    ]
) { invocation, console in
    Read.run(invocation, on: console)
}

/// Reading.
enum Read {
    /// Confines the process, then reads an image and prints what its codes say.
    static func run(_ invocation: Invocation, on console: Console) -> ExitStatus {
        let isJSON = invocation.flag("json")
        if isJSON, invocation.flag("null") {
            console.complain("mildam-scan: --json and --null exclude each other")
            return .usage
        }
        if isatty(STDIN_FILENO) == 1 {
            console.complain("mildam-scan: the image comes on standard input: mildam-scan read < image.png")
            return .usage
        }
        // A confined process cannot ask.
        let isTerminal = console.isTerminal()
        do {
            try Confinement.enter()
            let file = try image()
            let texts = try Scan.texts(in: file.span)
            if isJSON {
                try console.print(JSONLine.text(of: Found(codes: texts.map(Code.init))))
            } else {
                try print(texts, endedBy: invocation.flag("null") ? 0 : UInt8(ascii: "\n"), isTerminal, console)
            }
            return .done
        } catch let error as SystemError where error.isReaderGone {
            return .done
        } catch {
            let status = ExitStatus(error)
            let words = TerminalText.sanitized("\(error)")
            console.tell(ofFailure: words, status, asObject: isJSON, of: "mildam-scan")
            return status
        }
    }

    /// Standard input, up to one byte more than is read of an image.
    private static func image() throws(SystemError) -> [UInt8] {
        var failure: Int32 = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Scan.fileLimit + 1) { buffer, filled in
            while filled < buffer.count, let start = buffer.baseAddress {
                let got = unsafe Glibc.read(STDIN_FILENO, start + filled, buffer.count - filled)
                if got == 0 { return }
                if got > 0 {
                    filled += got
                } else if errno == EAGAIN {
                    // Whoever shares the stream made it non-blocking.
                    var wanted = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
                    _ = unsafe poll(&wanted, 1, -1)
                } else if errno != EINTR {
                    failure = errno
                    return
                }
            }
        }
        guard failure == 0 else { throw SystemError("read", "standard input", code: failure) }
        return bytes
    }

    private static func print(
        _ texts: [[UInt8]],
        endedBy end: UInt8,
        _ isTerminal: Bool,
        _ console: Console
    ) throws {
        if end == 0, texts.contains(where: { $0.contains(0) }) { throw NullInText() }
        for text in texts {
            let shown = isTerminal ? Array(TerminalText.sanitized(String(decoding: text, as: UTF8.self)).utf8) : text
            try console.write((shown + [end]).span)
        }
    }

    private struct NullInText: EndsWithStatus, CustomStringConvertible {
        let exitStatus = ExitStatus.refused
        let description = "a code holds a null character, which would end its text: use --json"
    }

    // MARK: JSON

    private struct Found: Encodable {
        let codes: [Code]
    }

    private struct Code: Encodable {
        var text: String?
        var base64: Data?

        init(_ bytes: [UInt8]) {
            text = String(validating: bytes, as: UTF8.self)
            if text == nil { base64 = Data(bytes) }
        }
    }
}
