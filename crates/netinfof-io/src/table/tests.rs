use std::borrow::Cow;

use super::*;

#[test]
fn cells() {
    let path = std::env::temp_dir().join(format!("netinfof-cells-{}.txt", std::process::id()));
    for (text, expected) in [
        ("a,b", vec!["a", "b"]),
        (r#""a,1", "b""c""#, vec!["a,1", "b\"c"]),
        (r#""Ann Lee"  "Bob ""R"" Ray" 3"#, vec!["Ann Lee", "Bob \"R\" Ray", "3"]),
        (r#""Ann Lee" 5" x"#, vec!["Ann Lee", "5\"", "x"]),
        ("12\" disk,b", vec!["12\" disk", "b"]),
        ("a,\"x\n# no comment\nz,y\"\nb,c", vec!["a", "x # no comment z,y"]),
        ("a,", vec!["a", ""]),
        ("\u{feff}  1 \t 2 \r\n", vec!["1", "2"]),
        ("x\t\ty", vec!["x", "", "y"]),
        ("a ; b;ü ", vec!["a", "b", "ü"]),
        ("1;3,14\n2;2,71\n", vec!["1", "3,14"]),
        ("1,a;b\n2,c\n3,d\n", vec!["1", "a;b"]),
        ("1\t3,14\n2\t7\n", vec!["1", "3,14"]),
    ] {
        std::fs::write(&path, text).unwrap();
        let row = Table::open(&path).unwrap().next_row().unwrap().unwrap();
        let found: Vec<String> = row.cells().map(Cow::into_owned).collect();
        assert_eq!(found, expected);
    }
    std::fs::remove_file(path).unwrap();
}

#[test]
fn files_that_are_no_tables() {
    for (text, expected) in [
        (r#"{"0": [1, 2], "1": [3"#, "node features in JSON"),
        (r#"{"nodes": [{"id": 1}], "links": []}"#, "JSON"),
        ("[[0, 1], [1, 2]]\n", "JSON"),
        ("\u{feff}\n {\"source\": 1}\n{\"source\": 2}\n", "JSON"),
        ("<?xml version=\"1.0\"?>\n<graphml>", "XML"),
        ("*Vertices 3\n1 \"a\"\n", "Pajek"),
        ("graph [\n  node [\n", "GML"),
    ] {
        let found = other_format(text.as_bytes()).unwrap_or_default();
        assert!(found.contains(expected), "{text}: {found}");
    }
    // Ids may begin like any of these.
    for text in [
        "[deleted],bob\n",
        "[1],[2]\n[2],[3]\n",
        "[1] [2]\n",
        "{4f-a},{4f-b}\n",
        "graph theory\n",
        "PKM2 PKLR\n",
        "{a {b\n",
    ] {
        assert_eq!(other_format(text.as_bytes()), None, "{text}");
    }
}
