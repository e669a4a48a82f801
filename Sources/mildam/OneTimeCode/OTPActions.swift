import FoundationEssentials
import Glibc
import MildamCrypto
import MildamKeychain
import MildamOneTimeCode
import MildamProfile
import MildamSystem
import MildamTerminal

/// One-time codes.
extension Action {
    private func tokens() async throws -> OneTimeCodeStore { OneTimeCodeStore(keychain: try await openKeychain()) }

    func addToken() async throws -> ExitStatus { try await keep(try newToken()) }

    /// From a picture, from standard input or, where that is a terminal, from whoever sits there.
    private func newToken() throws -> TokenImport {
        if let path = invocation.value("qr") { return try scannedToken(path) }
        return isatty(STDIN_FILENO) == 0 ? try writtenToken() : try typedToken()
    }

    private func scannedToken(_ path: String) throws -> TokenImport {
        let image = try WholeFile.read(path, limit: ImageScanner.imageLimit)
        var lines = lines(of: try ImageScanner().texts(in: image.span))
        defer { lines.wipe() }
        guard !lines.isEmpty else { throw SystemError("find a QR code in", path, code: ENOENT) }
        return try TokenImport(lines.span)
    }

    private func typedToken() throws -> TokenImport {
        let typed = try Prompt().password("otpauth:// URI: ", option: "standard input") { SecretBytes(copying: $0) }
        return try TokenImport(typed.span)
    }

    private func writtenToken() throws -> TokenImport {
        var written = try bytes(limit: 1 << 20)
        defer { written.wipe() }
        return try TokenImport(written.span)
    }

    func importTokens() async throws -> ExitStatus { try await keep(try readExport()) }

    private func readExport() throws -> TokenImport {
        let path = invocation.operand("FILE")
        let limit = ImportLimits().fileByteCount
        var file = path == "-" ? try bytes(limit: limit) : try WholeFile.read(path, limit: limit)
        defer { file.wipe() }
        let format = invocation.value("format").flatMap(ImportFormat.init)
        var password: SymmetricKey?
        if (format ?? ImportFormat.detect(file.span))?.needsPassword == true { password = try exportPassword() }
        let map = try invocation.value("map").map { try FieldMap($0) } ?? FieldMap()
        return try TokenImport(file.span, as: format, password: password, map: map)
    }

    func listTokens() async throws {
        let lines = told(try await tokens().all()).map { entry in
            TokenLine(name: entry.name, kind: "\(entry.token.kind)", digits: entry.token.digits)
        }
        try report.answer(["tokens": lines]) {
            lines.isEmpty ? "nothing" : lines.map { shown("\($0.name)  \($0.kind)") }.joined(separator: "\n")
        }
    }

    /// The tokens; what lies beside them and is none is not passed over in silence.
    private func told(_ kept: (tokens: [OneTimeCodeStore.Entry], others: [String])) -> [OneTimeCodeStore.Entry] {
        for account in kept.others {
            console.complain(
                shown("mildam: the item \(OneTimeCodeStore.service), \(account), is no token; it was left out")
            )
        }
        return kept.tokens
    }

    func printCode() async throws {
        let time = try invocation.integer("at", in: 0...UInt64(Int64.max)) ?? UInt64(WallClock.system.seconds)
        let clipboard = try self.clipboard()
        if let uri = invocation.value("uri") { return try give(try foreignToken(uri), at: time, clipboard) }
        guard let name = invocation.optionalOperand("NAME") else {
            throw UsageError(.missingOperand("NAME"), command: invocation.fullName)
        }
        let store = try await tokens()
        let entry = try store.find(name)
        // The counter first: a code that was shown must not be the next one, too.
        try store.advance(entry)
        try give(entry.token, at: time, clipboard)
    }

    private func give(_ token: OneTimePassword, at time: UInt64, _ clipboard: Clipboard?) throws {
        guard let clipboard else { return try show(token, at: time) }
        try copy(token, at: time, to: clipboard)
    }

    /// A token that is not kept.
    private func foreignToken(_ uri: String) throws -> OneTimePassword {
        guard uri == "-" else { return try OneTimePassword(uri: uri) }
        var bytes = try bytes(limit: 8192)
        defer { bytes.wipe() }
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        return try OneTimePassword(uri: bytes.span)
    }

    func exportTokens() async throws {
        guard isatty(STDOUT_FILENO) == 0 || invocation.flag("reveal") || report.isJSON else {
            throw UsageError(
                .invalidValue(name: "otp export", expected: "a pipe, or --reveal on a terminal"),
                command: invocation.fullName
            )
        }
        try write(told(try await tokens().all()).map(\.token))
    }

    private func write(_ tokens: [OneTimePassword]) throws {
        if invocation.flag("google") {
            for batch in try MigrationBatch.batches(of: tokens, id: Int32.random(in: 1 ... .max)) {
                try writeLine(SecretValue(batch.uriBytes))
            }
        } else {
            for token in tokens { try writeLine(SecretValue(token.uriBytes)) }
        }
    }

    func showQR() async throws {
        let entry = try await tokens().find(invocation.operand("NAME"))
        try draw(entry.token)
    }

    private func draw(_ token: OneTimePassword) throws {
        let code = try QRCode(text: token.uriBytes.span)
        if invocation.flag("png") { return try writeOut(SecretValue(try code.png())) }
        let isTerminal = isatty(STDOUT_FILENO) == 1
        try writeOut(isTerminal ? SecretValue(code.colouredTerminalText()) : SecretValue(code.plainTerminalText()))
    }

    func removeToken() async throws {
        let store = try await tokens()
        let entry = try store.find(invocation.operand("NAME"))
        try store.remove(entry)
        try report.answer(["removed": entry.name]) { shown("removed \(entry.name)") }
    }

    // MARK: Parts

    private struct TokenLine: Encodable {
        var name: String
        var kind: String
        var digits: Int
    }

    private struct CodeAnswer: Encodable {
        var code: String
        var secondsRemaining: Int?
    }

    private func show(_ token: OneTimePassword, at time: UInt64) throws {
        let answer = CodeAnswer(code: token.code(at: time), secondsRemaining: token.secondsRemaining(at: time))
        try report.answer(answer) {
            answer.secondsRemaining.map { "\(answer.code)  \($0) s" } ?? answer.code
        }
    }

    /// Keeps what was read, and names what is no token.
    private func keep(_ found: TokenImport) async throws -> ExitStatus {
        let store = try await tokens()
        var refused: [RefusedRow] = []
        var kept = 0
        for row in found.rows {
            switch row.token {
            case .success(let token):
                do {
                    try store.keep(token)
                    kept += 1
                } catch let error as AnotherToken {
                    refused.append(RefusedRow(row: row.number, reason: "\(error)"))
                }
            case .failure(let error): refused.append(RefusedRow(row: row.number, reason: "\(error)"))
            }
        }
        if !report.isJSON {
            for row in refused { console.complain(shown("mildam: row \(row.row): \(row.reason)")) }
        }
        let (count, rows) = (kept, refused)
        try report.answer(ImportAnswer(kept: count, refused: rows)) {
            rows.isEmpty ? "kept \(count)" : "kept \(count), \(rows.count) not"
        }
        return refused.isEmpty ? .done : .failed
    }

    private struct RefusedRow: Encodable {
        var row: Int
        var reason: String
    }

    private struct ImportAnswer: Encodable {
        var kept: Int
        var refused: [RefusedRow]
    }

    private func exportPassword() throws -> SymmetricKey {
        SymmetricKey(try filePassword("Password of the export", confirming: false))
    }

    private func bytes(limit: Int) throws -> [UInt8] {
        guard let bytes = try StandardInput.bytes(limit: limit) else {
            throw ImportError.tooLarge(limit: limit)
        }
        return bytes
    }

    /// Each text on a line of its own.
    private func lines(of texts: borrowing ScannedTexts) -> [UInt8] {
        var lines: [UInt8] = []
        lines.reserveCapacity(1 << 16)
        for index in 0..<texts.count {
            let text = texts.text(at: index)
            unsafe text.withUnsafeBytes { unsafe lines.append(contentsOf: $0) }
            lines.append(UInt8(ascii: "\n"))
        }
        return lines
    }

    private func writeLine(_ text: SecretValue) throws {
        try writeOut(text)
        if isatty(STDOUT_FILENO) == 0 { try console.print("") }
    }
}
