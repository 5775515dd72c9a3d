//! What a file that is no table holds, from its first bytes.

/// Description of a file that is certainly not a table, from its first bytes, and the next step.
pub(super) fn other_format(start: &[u8]) -> Option<&'static str> {
    const BINARY: [(&[u8], &str); 11] = [
        (b"PK\x03\x04", "looks like a zip archive, not a table; unpack it and give the file inside"),
        (b"PK\x05\x06", "looks like an empty zip archive, not a table"),
        (
            b"\x93NUMPY",
            "looks like a single NumPy array, not a table; save the edges with np.savez(FILE, edge_index=…)",
        ),
        (b"\x80", "looks like a Python pickle, not a table; save the edges as a table or as npz"),
        (b"\x89HDF", "looks like HDF5, not a table; save the edges as a table or as npz"),
        (b"SQLite format 3\0", "looks like an SQLite database, not a table; export the edges as CSV"),
        (b"BZh", "is compressed by bzip2; unpack it (`bunzip2`), or pack it with gzip or Zstandard"),
        (b"\xfd7zXZ\0", "is compressed by xz; unpack it (`unxz`), or pack it with gzip or Zstandard"),
        (b"7z\xbc\xaf\x27\x1c", "looks like a 7z archive, not a table; unpack it and give the file inside"),
        (b"Rar!\x1a\x07", "looks like a RAR archive, not a table; unpack it and give the file inside"),
        (
            b"version https://git-lfs.github.com/spec/",
            "is a pointer of Git LFS, not the file itself; `git lfs pull` downloads the file",
        ),
    ];
    if let Some((_, what)) = BINARY.iter().find(|(magic, _)| start.starts_with(magic)) {
        return Some(what);
    }
    if start.get(257..262) == Some(b"ustar") {
        return Some("looks like a tar archive, not a table; unpack it (`tar -xf`) and give the file inside");
    }
    let mut start = start.strip_prefix("\u{feff}".as_bytes()).unwrap_or(start).trim_ascii_start();
    // igraph begins DOT files with a comment.
    if start.starts_with(b"/*")
        && let Some(end) = start.windows(2).position(|two| two == b"*/")
    {
        start = start[end + 2..].trim_ascii_start();
    }
    let lower = start[..start.len().min(16)].to_ascii_lowercase();
    let begins = |word: &str| lower.starts_with(word.as_bytes());
    if start[..start.len().min(1 << 10)].windows(5).any(|own| own == b"<gexf") {
        return Some(
            "looks like GEXF, which is not read; save the graph as GraphML (Gephi, networkx) or as a table of edges",
        );
    }
    if begins("<?xml") || begins("<graphml") || begins("<gexf") || begins("<!doctype") || begins("<html") {
        return Some(
            "looks like XML or HTML, not a table or GraphML; write the edges as a table, one edge per line",
        );
    }
    if begins("*vertices") {
        return Some(
            "looks like a Pajek network, not a table; write the edges as a table, one edge per line",
        );
    }
    let line = start.split(|&byte| byte == b'\n').next().unwrap_or_default();
    if ["graph", "digraph", "strict "].into_iter().any(begins) && line.contains(&b'{') {
        return Some("looks like Graphviz DOT, not a table; write the edges as a table, one edge per line");
    }
    let breaks = |byte: u8| start.contains(&byte);
    if breaks(b'\r')
        && !breaks(b'\n')
        && start.split(|&byte| byte == b'\r').filter(|own| !own.is_empty()).count() > 1
    {
        return Some("has lines that end with a carriage return alone; save it with line feeds (LF or CRLF)");
    }
    if begins("graph [") || begins("graph\n[") || begins("graph\r\n[") {
        return Some("looks like GML, not a table; write the edges as a table, one edge per line");
    }
    if matches!(start.first(), Some(b'{' | b'[')) && is_json(start) {
        return Some(if is_json_features(start) {
            "looks like node features in JSON, not a table; give it as `nodes` together with an edge list or, if the lists hold neighbours, write one edge per line"
        } else {
            "looks like JSON, not a table and not lists of nodes and links; write the edges as a table, one edge per line"
        });
    }
    None
}

/// Whether a text, possibly truncated, is JSON: one value, or one per line. Ids may also begin with a
/// bracket.
pub(crate) fn is_json(start: &[u8]) -> bool {
    let mut values = serde_json::Deserializer::from_slice(start).into_iter::<serde::de::IgnoredAny>();
    match values.next() {
        Some(Ok(_)) => {
            let rest = &start[values.byte_offset()..];
            let line = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
            rest[..line].trim_ascii().is_empty()
        }
        Some(Err(error)) => error.is_eof(),
        None => false,
    }
}

/// Whether JSON begins like `{"0": [1, 2], …`: lists of numbers by id.
pub(crate) fn is_json_features(start: &[u8]) -> bool {
    let start = start.strip_prefix("\u{feff}".as_bytes()).unwrap_or(start).trim_ascii_start();
    let Some(inside) = start.strip_prefix(b"{") else { return false };
    let Some(quoted) = inside.trim_ascii_start().strip_prefix(b"\"") else { return false };
    let Some(end) = quoted.iter().position(|&byte| byte == b'"') else { return false };
    let after = quoted[end + 1..].trim_ascii_start();
    let Some(list) = after.strip_prefix(b":").map(<[u8]>::trim_ascii_start) else { return false };
    let Some(first) = list.strip_prefix(b"[").map(<[u8]>::trim_ascii_start) else { return false };
    matches!(first.first(), Some(b'0'..=b'9' | b'-'))
}
