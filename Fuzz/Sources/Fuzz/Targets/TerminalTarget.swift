import MildamTerminal

extension FuzzTarget {
    /// What a terminal sends: keys, control sequences, pasted text.
    static let terminalKeys = FuzzTarget(
        name: "terminal-keys",
        source: .file,
        seeds: {
            [
                Array("hé\u{7F}한\u{1B}[D\u{1B}OH\u{1B}[3~\u{1B}\r".utf8),
                Array("\u{1B}[200~a\r\nb\tc\u{1B}[201~\r".utf8),
                Array("\u{1B}[1;5C\u{1B}[[A\u{1B}\u{7F}\u{01}\u{17}".utf8), [0xF0, 0x9F, 0x98, 0x80, 0xC3, 0x28, 0xFF],
            ]
        },
        take: { input in
            let keys = mustBeTheSame(input, "a stream of keys") { parts in
                var decoder = KeyDecoder()
                return parts.flatMap { decoder.decode($0) }
            }
            for key in keys {
                switch key {
                case .character(let scalar):
                    mustHold(scalar.properties.generalCategory != .control, "no control character is typed as text")
                case .paste(let text):
                    planted(text.count == 4)
                    mustHold(
                        text.unicodeScalars.allSatisfy {
                            $0.properties.generalCategory != .control || $0 == "\n" || $0 == "\t"
                        },
                        "no control character is pasted but line breaks and tabs"
                    )
                default: break
                }
            }
        }
    )
}
