import Foundation
import Glibc
import TestSupport
import Testing

/// One of the CCTV age vectors: a header of `key: value` lines, an empty line, and an age file.
struct AgeVector: Sendable, CustomTestStringConvertible {
    let name: String
    let expectation: String
    /// SHA-256, in hexadecimal, of everything that may be released.
    let payload: String?
    let identities: [String]
    let passphrases: [String]
    let isArmored: Bool
    let file: [UInt8]
    /// Whether it needs the post-quantum recipient type, which is not built yet.
    let isHybrid: Bool

    var testDescription: String { name }

    init(_ name: String) throws {
        let data = try Vectors.data("age/" + name)
        guard let border = data.range(of: Data("\n\n".utf8)) else { throw MalformedVector(name: name) }
        let fields = String(decoding: data[..<border.lowerBound], as: UTF8.self).split(separator: "\n").map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            return (key: String(parts[0]), value: parts.last.map { $0.trimmingCharacters(in: .whitespaces) } ?? "")
        }
        func values(_ key: String) -> [String] { fields.filter { $0.key == key }.map(\.value) }
        guard let expectation = values("expect").first else { throw MalformedVector(name: name) }
        self.name = name
        self.expectation = expectation
        payload = values("payload").first
        identities = values("identity")
        let rest = [UInt8](data[border.upperBound...])
        file = values("compressed") == ["zlib"] ? try Zlib.uncompress(rest) : rest
        passphrases = values("passphrase")
        isArmored = values("armored") == ["yes"]
        isHybrid = identities.contains { !$0.hasPrefix("AGE-SECRET-KEY-1") }
    }

    /// All of them; a set that cannot be read whole is no set.
    static let all: Result<[AgeVector], any Error> = Result {
        try Vectors.names(in: "age").map { try AgeVector($0) }
    }

    /// Those that apply now.
    static let applicable: [AgeVector] = ((try? all.get()) ?? []).filter { !$0.isHybrid }
}

struct MalformedVector: Error {
    let name: String
}

/// The system's zlib, which every Debian has, opened at run time: nothing but these vectors needs it.
private enum Zlib {
    static func uncompress(_ bytes: [UInt8]) throws -> [UInt8] {
        typealias Function =
            @convention(c) (
                UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<UInt>, UnsafePointer<UInt8>, UInt
            ) -> Int32
        guard let library = unsafe dlopen("libz.so.1", RTLD_NOW), let symbol = unsafe dlsym(library, "uncompress")
        else { throw MalformedVector(name: "libz.so.1 cannot be opened") }
        let function = unsafe unsafeBitCast(symbol, to: Function.self)
        var content = [UInt8](repeating: 0, count: 32 << 20)
        var count = UInt(content.count)
        guard unsafe function(&content, &count, bytes, UInt(bytes.count)) == 0 else {
            throw MalformedVector(name: "zlib refused")
        }
        return Array(content[..<Int(count)])
    }
}
