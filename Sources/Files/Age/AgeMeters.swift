/// What is counted, and where asked hashed, on the way between content and file.
package struct AgeMeters {
    /// The content's bytes.
    package let content: ByteMeter
    /// The file's.
    package let file: ByteMeter

    /// Makes meters, which count alone unless others are given.
    package init(content: ByteMeter = ByteMeter(), file: ByteMeter = ByteMeter()) {
        self.content = content
        self.file = file
    }
}
