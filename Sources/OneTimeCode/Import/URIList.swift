/// URIs, one a line.
enum URIList {
    /// Each line as a token.
    static func rows(_ text: Span<UInt8>) -> [TokenImport.Row] {
        TextLine.all(of: text).map { line in
            TokenImport.Row(number: line.number) { () throws(TokenError) in
                try OneTimePassword(uri: text.extracting(line.range))
            }
        }
    }

    /// The tokens of a whole export of Google Authenticator, numbered through.
    static func joinedRows(_ text: Span<UInt8>) throws(ImportError) -> [TokenImport.Row] {
        do {
            var batches: [MigrationBatch] = []
            for line in TextLine.all(of: text) {
                batches.append(try MigrationBatch(uri: text.extracting(line.range)))
            }
            return try MigrationBatch.join(batches).enumerated().map { index, token in
                TokenImport.Row(number: index + 1) { () throws(TokenError) in try token.get() }
            }
        } catch {
            throw .migration(error)
        }
    }
}
