import FoundationEssentials
import Glibc
import MildamStorage
import MildamSystem

/// The table of a store, in SQLite, CSV or JSON.
enum StoreTable {
    typealias Row = Result<StoreRow, StoreRowDefect>

    /// How a table is kept.
    enum Form {
        case sqlite, csv, json

        /// What its name's ending says: `.csv`, `.json`, and anything else for SQLite.
        init(path: String) {
            self = path.hasSuffix(".csv") ? .csv : path.hasSuffix(".json") ? .json : .sqlite
        }
    }

    /// The largest table in CSV or JSON, in bytes.
    static let maximumSize = 64 << 20

    /// Reads a table, whichever form it has; each row by itself.
    ///
    /// - Throws: `storeTable`, `io`.
    static func rows(at path: String) throws(VaultError) -> [Row] {
        let beginning: [UInt8]
        do throws(SystemError) {
            beginning = try Descriptor.open(path, O_RDONLY).read(upTo: 16, at: 0, path: path)
        } catch {
            throw .io(error)
        }
        if beginning == Array("SQLite format 3\0".utf8) { return try sqlite(path) }
        let bytes: [UInt8]
        do throws(SystemError) { bytes = try WholeFile.read(path, limit: maximumSize) } catch { throw .io(error) }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .storeTable(path, "it is not UTF-8") }
        let isJSON = text.utf8.first { !$0.isSpace } == UInt8(ascii: "[")
        return isJSON ? try json(bytes, path) : try csv(text, path)
    }

    private static func sqlite(_ path: String) throws(VaultError) -> [Row] {
        let rows: [[ForeignTable.Value]]
        do throws(StorageError) {
            rows = try ForeignTable.rows(in: path, columns: StoreRow.columns)
        } catch {
            throw .storeTable(path, error.description)
        }
        return rows.map { row in
            Result { () throws(StoreRowDefect) in
                try StoreRow(id: text(row[0]), path: text(row[1]), salt: text(row[2]), iv: text(row[3]))
            }
        }
    }

    private static func text(_ value: ForeignTable.Value) -> String? {
        switch value {
        case .integer(let number): "\(number)"
        case .text(let text): text
        case .blob(let bytes): Data(bytes).base64EncodedString()
        case .other: nil
        }
    }

    private struct JSONRow: Decodable {
        struct ID: Decodable {
            let text: String

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let number = try? container.decode(Int64.self) {
                    text = "\(number)"
                } else {
                    text = try container.decode(String.self)
                }
            }
        }
        // The names are the table's.
        var id: ID?
        var file_path: String?
        var salt: String?
        var iv: String?
    }

    private static func json(_ bytes: [UInt8], _ path: String) throws(VaultError) -> [Row] {
        guard let rows = try? JSONDecoder().decode([JSONRow].self, from: Data(bytes)) else {
            throw .storeTable(path, "it is no JSON array of objects with id, file_path, salt and iv")
        }
        return rows.map { row in
            Result { () throws(StoreRowDefect) in
                try StoreRow(id: row.id?.text, path: row.file_path, salt: row.salt, iv: row.iv)
            }
        }
    }

    private static func csv(_ text: String, _ path: String) throws(VaultError) -> [Row] {
        let lines = try CommaSeparated.rows(of: text, path)
        let places = StoreRow.columns.map { name in lines.first?.firstIndex(of: "\(name)") }
        guard !places.contains(nil) else {
            throw .storeTable(path, "its first line does not name the columns id, file_path, salt and iv")
        }
        return lines.dropFirst().map { line in
            let fields = places.map { place in place.flatMap { line.indices.contains($0) ? line[$0] : nil } }
            return Result { () throws(StoreRowDefect) in
                try StoreRow(id: fields[0], path: fields[1], salt: fields[2], iv: fields[3])
            }
        }
    }
}

extension UInt8 {
    fileprivate var isSpace: Bool { [0x20, 0x09, 0x0A, 0x0D].contains(self) }
}
