import FoundationEssentials
import MildamWire

/// A frame as a line: JSON, one object, its keys in order, one byte LF behind it.
public enum ClientLine {
    /// Writes a frame, its end included.
    ///
    /// - Throws: `tooLong`; `outOfRange` for what the other side would refuse.
    public static func bytes(of frame: ClientFrame) throws(ClientLineDefect) -> [UInt8] {
        try frame.check()
        let text = try json(of: frame)
        guard text.count <= LineLimits.line else { throw .tooLong }
        return text + [UInt8(ascii: "\n")]
    }

    /// Reads a frame: UTF-8, each name once, no field that means nothing, everything within its limits.
    ///
    /// - Parameter line: without its end.
    /// - Throws: `ClientLineDefect`.
    public static func frame(_ line: [UInt8]) throws(ClientLineDefect) -> ClientFrame {
        let said = try node(line)
        let frame: ClientFrame
        do { frame = try JSONDecoder().decode(ClientFrame.self, from: Data(line)) } catch { throw .unknown }
        try frame.check()
        // What a type does not know, it does not write again.
        if let field = unknownField(of: said, in: try node(try json(of: frame)), "") { throw .unknownField(field) }
        return frame
    }

    /// The number of a line that asks for something, as far as it can be found in a line that is otherwise wrong.
    public static func number(of line: [UInt8]) -> UInt64? {
        guard let node = try? node(line) else { return nil }
        return node["id"]?.integer(in: line.span).flatMap { UInt64(exactly: $0) }
    }

    private static func node(_ line: [UInt8]) throws(ClientLineDefect) -> JSONNode {
        try LineShape.check(line.span)
        do throws(JSONDefect) {
            let node = try JSONReader.read(line.span)
            guard node.members != nil else { throw JSONDefect.malformed(at: 0) }
            return node
        } catch {
            throw .malformed
        }
    }

    private static func json(of frame: ClientFrame) throws(ClientLineDefect) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do { return Array(try encoder.encode(frame)) } catch { throw .unknown }
    }

    /// The first member that only the first has, by the names that lead to it. What is `null` is as if it were not there.
    private static func unknownField(of said: JSONNode, in known: JSONNode, _ path: String) -> String? {
        switch said {
        case .object(let members):
            for (name, member) in members.sorted(by: { $0.key < $1.key }) {
                if case .null = member { continue }
                let place = path.isEmpty ? name : path + "." + name
                guard let counterpart = known[name] else { return place }
                if let field = unknownField(of: member, in: counterpart, place) { return field }
            }
            return nil
        case .array(let elements):
            guard let counterparts = known.elements, counterparts.count == elements.count else { return path }
            for (element, counterpart) in zip(elements, counterparts) {
                if let field = unknownField(of: element, in: counterpart, path) { return field }
            }
            return nil
        case .string: return known.isString ? nil : path
        case .number: return known.isNumber ? nil : path
        case .bool: return known.flag == nil ? path : nil
        case .null: return nil
        }
    }
}

extension JSONNode {
    fileprivate var isString: Bool {
        guard case .string = self else { return false }
        return true
    }

    fileprivate var isNumber: Bool {
        guard case .number = self else { return false }
        return true
    }
}
