import MildamOTP

/// URIs, one a line.
enum URIList {
    /// Each line as a token.
    static func rows(_ text: Span<UInt8>, _ limits: ImportLimits) throws(ImportError) -> [TokenImport.Row] {
        try lines(of: text, limits).map { line in
            TokenImport.Row(number: line.number) { () throws(TokenError) in
                try OneTimePassword(uri: text.extracting(line.range))
            }
        }
    }

    /// The tokens of a whole export of Google Authenticator, numbered through.
    static func joinedRows(_ text: Span<UInt8>, _ limits: ImportLimits) throws(ImportError) -> [TokenImport.Row] {
        let lines = try lines(of: text, limits)
        do {
            var batches: [MigrationBatch] = []
            for line in lines { batches.append(try MigrationBatch(uri: text.extracting(line.range))) }
            return try MigrationBatch.join(batches).enumerated().map { index, token in
                TokenImport.Row(number: index + 1) { () throws(TokenError) in try token.get() }
            }
        } catch {
            throw .migration(error)
        }
    }

    private static func lines(of text: Span<UInt8>, _ limits: ImportLimits) throws(ImportError) -> [TextLine] {
        let lines = TextLine.first(limits.rowCount + 1, of: text)
        try limits.check(rowCount: lines.count)
        return lines
    }
}
