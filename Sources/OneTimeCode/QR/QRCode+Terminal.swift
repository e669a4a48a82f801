import MildamCrypto

/// For terminals: two rows of modules in a line of text, each column one character wide.
extension QRCode {
    /// How many columns the code takes on a terminal; in a narrower one it cannot be read.
    public var terminalColumns: Int { width + 2 * Self.quietZone }

    /// The code for a terminal that takes colours: black on white, whatever the terminal's own are.
    ///
    /// The colours are those of the 256-colour palette that no theme changes (ECMA-48, SGR; xterm's 16 and 231).
    ///
    /// - Returns: UTF-8, each line ended by a newline.
    public borrowing func colouredTerminalText() -> SecretBytes {
        lines(begin: "\u{1B}[38;5;16;48;5;231m", end: "\u{1B}[0m") { upperIsDark, lowerIsDark in
            Self.cell(upperIsDark, lowerIsDark)
        }
    }

    /// The code for whatever shows text in one colour: what is light is drawn, the quiet zone too.
    ///
    /// On a dark background that is the code as it should be. On a light one all of it is inverted, with its quiet zone,
    /// which most readers take as well.
    ///
    /// - Returns: UTF-8, each line ended by a newline.
    public borrowing func plainTerminalText() -> SecretBytes {
        lines(begin: "", end: "") { upperIsDark, lowerIsDark in Self.cell(!upperIsDark, !lowerIsDark) }
    }

    private borrowing func lines(begin: String, end: String, cell: (Bool, Bool) -> String) -> SecretBytes {
        let places = -Self.quietZone..<width + Self.quietZone
        // A width is odd: the last line's lower half is one more row of quiet zone.
        let lines = (places.count + 1) / 2
        var text = SecretWriter(capacity: lines * (begin.utf8.count + 3 * places.count + end.utf8.count + 1))
        for row in stride(from: places.lowerBound, to: places.upperBound, by: 2) {
            text.append(begin.utf8)
            for column in places {
                text.append(cell(isDark(row: row, column: column), isDark(row: row + 1, column: column)).utf8)
            }
            text.append(end.utf8)
            text.append(UInt8(ascii: "\n"))
        }
        return text.finish()
    }

    /// The character of which these halves are drawn: at most three bytes.
    private static func cell(_ upper: Bool, _ lower: Bool) -> String {
        switch (upper, lower) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
    }
}
