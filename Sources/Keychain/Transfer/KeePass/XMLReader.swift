import MildamCrypto

/// Reads the part of XML 1.0 that documents without a document type have, in UTF-8: elements, attributes, text, CDATA,
/// comments, processing instructions (passed over), character references and the five predefined entities.
///
/// It stands in for a library on purpose. A document type is refused where it begins, so there is nothing that could
/// expand an entity or fetch one; what the texts say is copied to secret memory and nowhere else, while libxml2 keeps
/// copies that nothing wipes; and it is memory-safe.
struct XMLReader {
    /// What comes next.
    enum Event {
        /// An element begins: its name.
        case start(Range<Int>)
        /// Text, checked; with references unless it stood in a CDATA section.
        case text(Range<Int>, isRaw: Bool)
        /// The innermost element ends.
        case end
        /// The document ends.
        case finish
    }

    /// An attribute: where its name and its value lie, without quotation marks.
    private struct Attribute {
        let name: Range<Int>
        let value: Range<Int>
    }

    /// The attributes of the element that began last.
    private var attributes: [Attribute] = []
    /// Where reading stands.
    private(set) var position: Int
    /// The names of the elements that are open.
    private var open: [Range<Int>] = []
    /// Whether an empty-element tag was read, whose end is still to be told.
    private var isEmptyElement = false
    private var hasRoot = false

    /// Begins a document; a byte order mark and the XML declaration are passed over.
    ///
    /// - Throws: `notUTF8`, also for a declaration of another encoding; `malformed`.
    init(_ text: Span<UInt8>) throws(TransferError) {
        position = text.byteOrderMarkSize
        guard text.isUTF8 else { throw .notUTF8 }
        guard starts(text, "<?xml"), position + 5 < text.count, isSpace(text[position + 5]) else { return }
        let start = position
        try skip(text, past: "?>")
        let declaration = (text.extracting(start..<position).text ?? "").lowercased()
        if declaration.contains("encoding") {
            guard declaration.contains("\"utf-8\"") || declaration.contains("'utf-8'") else { throw .notUTF8 }
        }
    }

    /// Reads on.
    ///
    /// - Throws: `documentTypeRefused`, `malformed`.
    mutating func next(_ text: Span<UInt8>) throws(TransferError) -> Event {
        if isEmptyElement {
            isEmptyElement = false
            open.removeLast()
            return .end
        }
        while true {
            guard position < text.count else {
                guard open.isEmpty, hasRoot else { throw malformed("it ends too early") }
                return .finish
            }
            if text[position] != UInt8(ascii: "<") {
                let range = try characters(text)
                if !open.isEmpty { return .text(range, isRaw: false) }
                guard range.allSatisfy({ isSpace(text[$0]) }) else { throw malformed("there is text outside of it") }
            } else if starts(text, "<!--") {
                position += 4
                try skip(text, past: "-->")
            } else if starts(text, "<![CDATA[") {
                guard !open.isEmpty else { throw malformed("there is text outside of it") }
                position += 9
                let start = position
                try skip(text, past: "]]>")
                return .text(start..<position - 3, isRaw: true)
            } else if starts(text, "<!") {
                // Whatever the document type would define.
                throw .documentTypeRefused
            } else if starts(text, "<?") {
                try skip(text, past: "?>")
            } else if starts(text, "</") {
                position += 2
                try endTag(text)
                return .end
            } else {
                position += 1
                return .start(try startTag(text))
            }
        }
    }

    /// The value of an attribute of the element that began last, as it is written.
    func attribute(_ name: String, in text: Span<UInt8>) -> String? {
        for attribute in attributes {
            let found = text.extracting(attribute.name).text
            if found == name { return text.extracting(attribute.value).text }
        }
        return nil
    }

    // MARK: Parts

    private mutating func startTag(_ text: Span<UInt8>) throws(TransferError) -> Range<Int> {
        guard !(open.isEmpty && hasRoot) else { throw malformed("there are two outermost elements") }
        guard open.count < TransferLimits.depth else {
            throw malformed("its elements are nested more than \(TransferLimits.depth) deep")
        }
        hasRoot = true
        let name = try name(text)
        open.append(name)
        attributes = []
        while true {
            let hasSpace = skipSpace(text)
            guard position < text.count else { throw malformed("it ends too early") }
            if text[position] == UInt8(ascii: ">") {
                position += 1
                return name
            }
            if starts(text, "/>") {
                position += 2
                isEmptyElement = true
                return name
            }
            guard hasSpace else { throw malformed("a tag is malformed") }
            let attribute = try attribute(text)
            guard attributes.count < TransferLimits.elementAttributes,
                !attributes.contains(where: { equal(text, $0.name, attribute.name) })
            else { throw malformed("an attribute is there twice, or there are too many") }
            attributes.append(attribute)
        }
    }

    private mutating func endTag(_ text: Span<UInt8>) throws(TransferError) {
        let name = try name(text)
        _ = skipSpace(text)
        guard position < text.count, text[position] == UInt8(ascii: ">"), let begun = open.popLast(),
            equal(text, begun, name)
        else { throw malformed("an element does not end as it began") }
        position += 1
    }

    private mutating func attribute(_ text: Span<UInt8>) throws(TransferError) -> Attribute {
        let name = try name(text)
        _ = skipSpace(text)
        guard position < text.count, text[position] == UInt8(ascii: "=") else {
            throw malformed("an attribute is malformed")
        }
        position += 1
        _ = skipSpace(text)
        guard position < text.count, [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(text[position]) else {
            throw malformed("an attribute is malformed")
        }
        let quote = text[position]
        position += 1
        let start = position
        while position < text.count, text[position] != quote {
            guard text[position] != UInt8(ascii: "<") else { throw malformed("an attribute is malformed") }
            try character(text)
        }
        guard position < text.count else { throw malformed("it ends too early") }
        position += 1
        return Attribute(name: name, value: start..<position - 1)
    }

    private mutating func name(_ text: Span<UInt8>) throws(TransferError) -> Range<Int> {
        let start = position
        while position < text.count, isInName(text[position], first: position == start) { position += 1 }
        guard position > start else { throw malformed("a tag is malformed") }
        return start..<position
    }

    private mutating func characters(_ text: Span<UInt8>) throws(TransferError) -> Range<Int> {
        let start = position
        while position < text.count, text[position] != UInt8(ascii: "<") {
            guard text[position] != UInt8(ascii: "]") || !starts(text, "]]>") else {
                throw malformed("a CDATA section ends that did not begin")
            }
            try character(text)
        }
        return start..<position
    }

    /// Goes past one character, or a reference.
    private mutating func character(_ text: Span<UInt8>) throws(TransferError) {
        if text[position] == UInt8(ascii: "&") {
            guard let (_, end) = XMLReference.read(text, at: position) else {
                throw malformed("an entity is not known, or a reference is malformed")
            }
            position = end
        } else {
            guard text[position] >= 0x20 || isSpace(text[position]) else { throw malformed("a control character") }
            position += 1
        }
    }

    private mutating func skip(_ text: Span<UInt8>, past end: String) throws(TransferError) {
        while position < text.count, !starts(text, end) { position += 1 }
        guard position < text.count else { throw malformed("it ends too early") }
        position += end.utf8.count
    }

    private mutating func skipSpace(_ text: Span<UInt8>) -> Bool {
        let start = position
        while position < text.count, isSpace(text[position]) { position += 1 }
        return position > start
    }

    private func starts(_ text: Span<UInt8>, _ prefix: String) -> Bool {
        guard text.count - position >= prefix.utf8.count else { return false }
        return zip(position..., prefix.utf8).allSatisfy { text[$0] == $1 }
    }

    private func equal(_ text: Span<UInt8>, _ left: Range<Int>, _ right: Range<Int>) -> Bool {
        left.count == right.count && zip(left, right).allSatisfy { text[$0] == text[$1] }
    }

    private func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 }

    private func isInName(_ byte: UInt8, first: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
            UInt8(ascii: ":"), 0x80...:
            true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."): !first
        default: false
        }
    }

    private func malformed(_ reason: String) -> TransferError { .malformed(at: position, reason: reason) }
}
