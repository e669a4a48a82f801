import MildamCrypto
import MildamWire

/// The content of a bundle: see ``KeychainBundle`` for its form.
enum BundleDocument {
    /// The version that is written.
    static let version: Int64 = 1
    private static let format = "mildam keychain bundle"
    /// The first and the last line are short.
    private static let maximumFrame = 1024

    /// The first line.
    static func header(created: Int64) -> String {
        "{\"format\":\"\(format)\",\"version\":\(version),\"created\":\(created)}\n"
    }

    /// The last line.
    static func trailer(_ report: ExportReport) -> String {
        "{\"items\":\(report.items),\"leftOut\":\(report.staysOnThisDevice)}\n"
    }

    /// Where the lines of the items lie, once the frame around them is found right: the first line names format and
    /// version, the last one how many items there are, and how many were left out.
    static func lines(of content: Span<UInt8>) throws(TransferError) -> (items: [Range<Int>], leftOut: Int) {
        var lines: [Range<Int>] = []
        var start = 0
        for place in content.indices where content[place] == UInt8(ascii: "\n") {
            guard lines.count < TransferLimits.rows + 2 else { throw .tooManyRows(limit: TransferLimits.rows) }
            lines.append(start..<place)
            start = place + 1
        }
        guard let first = lines.first, let header = frame(content, first),
            header["format"]?.string(in: content.extracting(first)) == format,
            let version = header["version"]?.integer(in: content.extracting(first))
        else { throw .notThisFormat(reason: "it is no bundle of a keychain") }
        guard version == Self.version else { throw .newerVersion(version) }
        guard start == content.count, lines.count >= 2, let last = lines.last, let trailer = frame(content, last),
            let items = trailer["items"]?.integer(in: content.extracting(last)), items == lines.count - 2,
            let leftOut = trailer["leftOut"]?.integer(in: content.extracting(last)),
            (0...Int64(Int32.max)).contains(leftOut)
        else { throw .malformed(at: start, reason: "its end is missing") }
        return (Array(lines[1..<(lines.count - 1)]), Int(leftOut))
    }

    private static func frame(_ content: Span<UInt8>, _ line: Range<Int>) -> JSONNode? {
        guard line.count <= maximumFrame else { return nil }
        return try? JSONReader.read(content.extracting(line))
    }
}
