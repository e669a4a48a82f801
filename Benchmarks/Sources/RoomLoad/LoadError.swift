/// Why what is to be measured does not come about.
package struct LoadError: Error, CustomStringConvertible {
    /// What is wrong.
    package let description: String

    /// An error with these words.
    package init(_ description: String) { self.description = description }
}
