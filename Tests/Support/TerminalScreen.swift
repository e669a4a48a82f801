/// What a person sees of what a program writes to its terminal: the sequences that `mildam` uses, and no others.
///
/// It takes scalars one by one, as simple terminals do: a family of emoji is as wide as its members. What is drawn has
/// to be right on these as well.
public struct TerminalScreen: Sendable {
    private let columns: Int
    private var cells: [[String]] = [[]]
    private var row = 0
    private var column = 0
    private var saved = (row: 0, column: 0)
    private var wraps = true
    private var sequence: [Unicode.Scalar]?
    /// Sequences that it does not know.
    public private(set) var unknown: [String] = []
    /// Whether the program asked to be told what is pasted.
    public private(set) var isPasteBracketed = false

    /// An empty screen.
    public init(columns: Int = 80) {
        self.columns = columns
    }

    /// The rows that are not empty, from the first that was ever written on.
    public var rows: [String] {
        var rows = cells.map { $0.joined().trimmingTrailingSpaces }
        while rows.last == "" { rows.removeLast() }
        return rows
    }

    /// What stands before the cursor in its row.
    public var beforeCursor: String { cells[row].prefix(column).joined() }

    /// What stands in the cursor's row, at the cursor and after it.
    public var afterCursor: String { cells[row].dropFirst(column).joined().trimmingTrailingSpaces }

    /// Shows what a program writes.
    public mutating func show(_ text: String) {
        for scalar in text.unicodeScalars { take(scalar) }
    }

    private mutating func take(_ scalar: Unicode.Scalar) {
        if var begun = sequence {
            begun.append(scalar)
            sequence = begun
            let isControl = begun.first == "["
            guard !isControl || (begun.count > 1 && (0x40...0x7E).contains(scalar.value)) else { return }
            sequence = nil
            obey(String(String.UnicodeScalarView(begun)))
            return
        }
        switch scalar {
        case "\u{1B}": sequence = []
        case "\r": column = 0
        case "\n": newRow()
        default:
            if scalar.value >= 0x20, scalar.value != 0x7F { draw(scalar) }
        }
    }

    private mutating func newRow() {
        row += 1
        while cells.count <= row { cells.append([]) }
    }

    private mutating func draw(_ scalar: Unicode.Scalar) {
        let width = Self.width(of: scalar)
        guard width > 0 else {
            // A mark goes with the character before; a wide one has an empty cell behind it.
            var place = min(column, cells[row].count) - 1
            while place > 0, cells[row][place].isEmpty { place -= 1 }
            if place >= 0 { cells[row][place].unicodeScalars.append(scalar) }
            return
        }
        if column + width > columns {
            if wraps {
                newRow()
                column = 0
            } else {
                column = columns - width
            }
        }
        while cells[row].count < column + width { cells[row].append(" ") }
        cells[row][column] = String(scalar)
        if width == 2 { cells[row][column + 1] = "" }
        column += width
    }

    private static func width(of scalar: Unicode.Scalar) -> Int {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        switch scalar.value {
        case 0x1160...0x11FF: return 0
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFF01...0xFF60: return 2
        case 0x1F300...0x1FAFF, 0x20000...0x3FFFD: return 2
        default: return 1
        }
    }

    private mutating func obey(_ sequence: String) {
        switch sequence {
        case "7": saved = (row, column)
        case "8": (row, column) = saved
        case "[K": cells[row] = Array(cells[row].prefix(column))
        case "[2J": cells = cells.map { _ in [] }
        case "[H":
            row = 0
            column = 0
        case "[?7l": wraps = false
        case "[?7h": wraps = true
        case "[?2004h": isPasteBracketed = true
        case "[?2004l": isPasteBracketed = false
        default:
            if !sequence.hasPrefix("[") || !sequence.hasSuffix("m") { unknown.append(sequence) }
        }
    }
}

extension String {
    fileprivate var trimmingTrailingSpaces: String { String(reversed().drop { $0 == " " }.reversed()) }
}
