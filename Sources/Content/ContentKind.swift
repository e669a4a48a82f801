/// What a message is, for who shows it.
public enum ContentKind: Hashable, Sendable {
    /// A text, alone or as an answer.
    case text(TextContent)
    /// A file.
    case attachment(AttachedFile)
    /// What the room is called from now on.
    case roomInfo(RoomInfo)
    /// Something that a newer version said. It is kept, counts like any other message, and is shown as that.
    case newer

    /// What a part is when it is all of a message.
    package init(_ part: NestedPart) throws(ContentDefect) {
        switch part.content {
        case .nothing: self = .newer
        case .single(let type, let bytes): self = try ContentKind.single(type, bytes, part.disposition)
        case .external(let external):
            self = try ContentKind.file(external, nil, part.disposition)
        case .multi(let semantics, let parts): self = try ContentKind.multi(semantics, parts, part.disposition)
        }
    }

    private static func single(
        _ type: String,
        _ bytes: [UInt8],
        _ disposition: Disposition
    ) throws(ContentDefect) -> ContentKind {
        guard disposition.isShown else { return .newer }
        if let format = TextContent.Format(rawValue: type) { return .text(try TextContent(bytes, format: format)) }
        if type == RoomInfo.contentType { return .roomInfo(try RoomInfo(encoded: bytes)) }
        return .newer
    }

    private static func file(
        _ external: ExternalPart,
        _ preview: AttachedFile.Preview?,
        _ disposition: Disposition
    ) throws(ContentDefect) -> ContentKind {
        guard disposition == .attachment,
            let file = try AttachedFile.read(external, preview: preview)
        else { return .newer }
        return .attachment(file)
    }

    /// A file and its picture are two parts, of which one is taken.
    private static func multi(
        _ semantics: PartSemantics,
        _ parts: [NestedPart],
        _ disposition: Disposition
    ) throws(ContentDefect) -> ContentKind {
        guard semantics == .chooseOne, parts.count == 2, case .external(let external) = parts[0].content,
            parts[0].disposition == .attachment, case .single(let type, let bytes) = parts[1].content,
            parts[1].disposition == .preview
        else { return .newer }
        return try file(external, AttachedFile.Preview(contentType: type, bytes: bytes), disposition)
    }
}
