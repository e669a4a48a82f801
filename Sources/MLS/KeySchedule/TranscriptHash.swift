import MildamWire

/// The running hash over all commits (RFC 9420, section 8.2).
extension Suite {
    /// The confirmed hash, a commit later.
    ///
    ///     struct {
    ///         WireFormat wire_format;
    ///         FramedContent content;
    ///         opaque signature<V>;
    ///     } ConfirmedTranscriptHashInput;
    func confirmedTranscriptHash(after interim: [UInt8], _ commit: AuthenticatedContent) -> [UInt8] {
        var writer = WireWriter(capacity: 1024)
        commit.wireFormat.encode(into: &writer)
        commit.content.encode(into: &writer)
        writer.vector(commit.auth.signature)
        let input = writer.takeBytes()
        return hash.hash(interim.span, input.span)
    }

    /// The interim hash, with the commit's confirmation tag.
    ///
    ///     struct {
    ///         MAC confirmation_tag;
    ///     } InterimTranscriptHashInput;
    func interimTranscriptHash(_ confirmed: [UInt8], confirmationTag: [UInt8]) -> [UInt8] {
        var writer = WireWriter(capacity: 80)
        writer.vector(confirmationTag)
        let input = writer.takeBytes()
        return hash.hash(confirmed.span, input.span)
    }

    /// `confirmation_tag` (RFC 9420, section 6.1).
    func confirmationTag(_ secrets: EpochSecrets, confirmedTranscriptHash: [UInt8]) -> [UInt8] {
        hash.authenticationCode(for: confirmedTranscriptHash.span, using: secrets.confirmationKey)
    }
}
