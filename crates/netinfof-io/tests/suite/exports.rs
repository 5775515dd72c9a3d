//! Files as programs and collections write them: their conventions are followed, or refused with the next step.

use std::fmt::Write as _;

use netinfof::graph::{FeatureKind, Target};
use netinfof_io::load::{Format, LoadParams};
use netinfof_io::parquet::{Column, Kind, Writer};

use crate::folder::{Folder, read, refused};

/// Rows of a table with 60 edges between 40 nodes, as this function writes each of them.
fn rows(row: impl Fn(usize, usize, usize) -> String) -> String {
    (0..60).fold(String::new(), |mut text, at| {
        let _ = writeln!(text, "{}", row(at, at * 7 % 40, (at * 7 + at / 3 + 3) % 40));
        text
    })
}

/// Users, items and ratings.
fn ratings(sign: &str) -> String {
    rows(|at, user, item| format!("{user}{sign}{item}{sign}{}{sign}{}", at % 5 + 1, 978_300_760 + at))
}

fn plain() -> LoadParams {
    LoadParams::default()
}

fn bipartite() -> LoadParams {
    let mut params = plain();
    params.bipartite = Some(true);
    params
}

#[test]
fn two_kinds_of_nodes_are_told_apart_or_the_choice_is_said() {
    let folder = Folder::new("kinds");
    let sizes = |name: &str, text: &str, params: &LoadParams| {
        let (graph, notices) = read(&folder.file(name, text), params).unwrap();
        (graph.nodes(), graph.sides().is_some(), notices)
    };
    // KONECT, RecBole, Yelp and Goodreads say it.
    for (name, text) in [
        ("out.a", format!("% bip weighted\n% 60 40 40\n{}", ratings(" "))),
        (
            "b.inter",
            format!("user_id:token\titem_id:token\trating:float\ttimestamp:float\n{}", ratings("\t")),
        ),
        (
            "c.csv",
            format!(
                "review_id,user_id,business_id,stars,useful,funny\n{}",
                rows(|at, a, b| format!("{at},{a},{b},4,0,0"))
            ),
        ),
        (
            "d.csv",
            format!(
                "user_id,book_id,is_read,rating,is_reviewed\n{}",
                rows(|_, a, b| format!("{a},{b},1,5,0"))
            ),
        ),
    ] {
        let (nodes, sides, notices) = sizes(name, &text, &plain());
        assert_eq!((nodes, sides), (80, true), "{name}: {notices}");
    }
    // An author is an attribute of a book.
    let books = "book_id,title,author,year,pages\n1,a,x,2000,9\n2,b,y,2001,8\n";
    refused(&folder.file("books.csv", books), &plain(), &["looks like a node table"]);
    let (_, sides, notices) = sizes("out.s", &format!("% asym positive\n{}", ratings("\t")), &plain());
    assert!(!sides && notices.contains("give `directed`"), "{notices}");
    // MovieLens 100k says nothing.
    for (name, text) in [
        ("u.data", ratings("\t")),
        ("s.csv", format!("student,course\n{}", rows(|_, a, b| format!("{a},{b}")))),
    ] {
        let (nodes, sides, notices) = sizes(name, &text, &plain());
        assert_eq!((nodes, sides), (40, false));
        assert!(notices.contains("equal ids in both columns are one node"), "{notices}");
        assert_eq!(sizes(name, &text, &bipartite()).0, 80);
    }
    let (_, _, notices) =
        sizes("known.csv", &format!("source,target\n{}", rows(|_, a, b| format!("{a},{b}"))), &plain());
    assert!(!notices.contains("equal ids"), "{notices}");
    // Lists of the items of each user.
    let lists = folder.file("train.txt", "0 7 1 2\n1 5 7\n2 1 9 4 6\n3\n");
    refused(&lists, &plain(), &["users and items", "bipartite"]);
    let (graph, notices) = read(&lists, &bipartite()).unwrap();
    assert_eq!((graph.nodes(), graph.edge_count(), graph.ids().unwrap()[1].as_str()), (11, 9, "user:1"));
    assert!(notices.contains("4 nodes on the side `user` and 7 on the side `item`"), "{notices}");
    let mut even = bipartite();
    refused(&folder.file("even.txt", "0 7 1 2 3 4\n1 5 7 8 9 0\n"), &plain(), &["`neighbours`", "`ends`"]);
    even.format = Some(Format::Neighbours);
    assert_eq!(read(&folder.file("even.txt", "0 7 1 2 3 4\n1 5 7 8 9 0\n"), &even).unwrap().0.nodes(), 11);
}

#[test]
fn types_of_edges_are_no_ends() {
    let folder = Folder::new("relations");
    let kinds = ["likes", "knows", "owns"];
    let typed = |sign: &str| rows(|at, a, b| format!("n{a}{sign}{}{sign}n{b}", kinds[at % 3]));
    // Cytoscape's SIF, knowledge graphs, N-Triples.
    let words = ["column 2 has only 3 values", "columns 1 and 3", "such as 1,3"];
    refused(&folder.file("g.sif", typed("\t")), &plain(), &words);
    let mut named = plain();
    named.header = Some(true);
    refused(
        &folder.file("kg.csv", format!("who,what,whom\n{}", typed(","))),
        &named,
        &["`what`", "such as who,whom"],
    );
    let triples = rows(|_, a, b| format!("<n{a}> <knows> <n{b}> ."));
    refused(&folder.file("g.nt", triples), &plain(), &["column 2 has only one value"]);
    let (graph, _) =
        read(&folder.file("s.csv", format!("subject,predicate,object\n{}", typed(","))), &plain()).unwrap();
    assert_eq!(graph.schema().unwrap().ends, ["subject", "object"]);
    let mut asked = plain();
    asked.ends = Some(["1".into(), "3".into()]);
    assert_eq!(read(&folder.0.join("g.sif"), &asked).unwrap().0.nodes(), 40);
    // Times in any column.
    let log = rows(|at, a, b| format!("n{a},2020-01-{:02},n{b}", at % 28 + 1));
    refused(
        &folder.file("log.csv", format!("who,seen,whom\n{log}")),
        &plain(),
        &["`seen` looks like times", "such as who,whom"],
    );
}

/// The columns of Parquet are checked like those of a text.
#[test]
fn columns_of_parquet_that_number_edges_are_no_ends() {
    let folder = Folder::new("stored");
    let write = |name: &str, columns: [(&str, Vec<i64>); 3]| {
        let path = folder.0.join(name);
        let kinds = columns.each_ref().map(|(name, _)| (*name, Kind::Int));
        let mut table = Writer::new(std::fs::File::create(&path).unwrap(), &kinds).unwrap();
        table.write(&columns.map(|(_, values)| Column::Int(values))).unwrap();
        table.finish().unwrap();
        path
    };
    let of = |value: &dyn Fn(i64) -> i64| (0..60).map(value).collect::<Vec<i64>>();
    let ends = || [of(&|at| at * 7 % 40), of(&|at| (at * 11 + 3) % 40)];
    let [a, b] = ends();
    let path = write("nr.parquet", [("nr", of(&|at| at + 1)), ("a", a), ("b", b)]);
    refused(&path, &plain(), &["it may number edges", "such as a,b"]);
    let mut asked = plain();
    asked.ends = Some(["a".into(), "b".into()]);
    assert_eq!(read(&path, &asked).unwrap().0.nodes(), 40);
    let [a, b] = ends();
    let path = write("typed.parquet", [("a", a), ("kind", of(&|at| 900 + at % 3)), ("b", b)]);
    refused(&path, &plain(), &["`kind` has only 3 values", "such as a,b"]);
    let [a, _] = ends();
    let path = write("nodes.parquet", [("id", of(&|at| at)), ("age", a), ("x", of(&|at| at % 5))]);
    refused(&path, &plain(), &["looks like a node table"]);
}

#[test]
fn tables_of_nodes_and_damaged_files_are_no_graphs() {
    let folder = Folder::new("nodes");
    let file = |name: &str, text: &str| folder.file(name, text);
    let titles = rows(|at, a, _| format!("{at},Film {at},{a}"));
    refused(
        &file("movies.csv", &format!("movieId,title,genre\n{titles}")),
        &plain(),
        &["`movieId` has another value", "`nodes`"],
    );
    refused(
        &file("ages.csv", &format!("id,age,x\n{}", rows(|at, a, _| format!("{at},{a},5")))),
        &plain(),
        &["`nodes`"],
    );
    refused(
        &file("labels.txt", &rows(|at, a, _| format!("{at} {}", a % 4))),
        &plain(),
        &["column 1 counts the rows", "`nodes`"],
    );
    // Parents are nodes, too.
    let (graph, _) = read(
        &file(
            "tree.csv",
            &format!("employee_id,manager_id\n{}", rows(|at, _, _| format!("{},{}", at + 1, at / 3))),
        ),
        &plain(),
    )
    .unwrap();
    assert_eq!(graph.edge_count(), 60);
    // The numbers of nodes and edges are no edge.
    let list = rows(|_, a, b| format!("{a} {b}"));
    refused(
        &file("counted.txt", &format!("40 60\n{list}")),
        &plain(),
        &["counted.txt:1", "remove this line"],
    );
    refused(
        &file("named.txt", &format!("40 60\n{}", rows(|_, a, b| format!("n{a} n{b}")))),
        &plain(),
        &[":1", "is probably no edge"],
    );
    refused(
        &file(
            "market.txt",
            &format!("%MatrixMarket matrix\n40 40 60\n{}", rows(|_, a, b| format!("{a} {b} 1"))),
        ),
        &plain(),
        &[":2"],
    );
    refused(
        &file("count.txt", &format!("60\n{list}")),
        &plain(),
        &["if the line holds the number of rows, remove it"],
    );
    // Rows wider than the header: R's write.table.
    let wide = format!("source target\n{}", rows(|at, a, b| format!("{} {a} {b}", at + 1)));
    refused(&file("r.txt", &wide), &plain(), &["r.txt:2", "`row.names = FALSE`"]);
    refused(&file("ratings.dat", &ratings("::")), &plain(), &["separated by `::`", "sed"]);
    refused(&file("u.user", "1|24|M\n2|53|F\n"), &plain(), &["separated by `|`"]);
    // Files that were joined, cut off, or never downloaded.
    let header = "source,target\n";
    let part = rows(|_, a, b| format!("{a},{b}"));
    refused(
        &file("joined.csv", &format!("{header}{part}{header}{part}")),
        &plain(),
        &["joined.csv:62", "repeats the column names"],
    );
    let table = rows(|at, _, _| format!("{at},x"));
    let nodes = plain().nodes(file("n.csv", &format!("id,kind\n{table}id,kind\n")));
    refused(&file("e.csv", &format!("{header}{part}")), &nodes, &["n.csv:62", "repeats the column names"]);
    refused(&file("cut.csv", &format!("{header}{part}1,\0\0\0")), &plain(), &["cut.csv:62", "zero byte"]);
    refused(
        &file("lfs.csv", "version https://git-lfs.github.com/spec/v1\noid sha256:4d\nsize 12\n"),
        &plain(),
        &["git lfs pull"],
    );
    refused(&file("e.bz2", "BZh91AY&SY\u{1}"), &plain(), &["bunzip2"]);
    refused(&file("g.dot", "/* Created by igraph */\ngraph {\n 0 -- 1;\n}\n"), &plain(), &["Graphviz DOT"]);
    let gexf = "<?xml version='1.0'?>\n<gexf xmlns=\"http://gexf.net/1.3\"><graph/></gexf>";
    refused(&file("g.gexf", gexf), &plain(), &["GEXF", "GraphML"]);
    let tar: Vec<u8> = [vec![b'e'; 257], b"ustar\x0000".to_vec(), vec![b'1'; 100]].concat();
    refused(&folder.file("e.tar", tar), &plain(), &["tar archive"]);
}

#[test]
fn ids_that_may_be_the_same_or_none_are_named() {
    let folder = Folder::new("alike");
    let notices = |name: &str, text: &str| read(&folder.file(name, text), &plain()).unwrap().1;
    let said = notices("zeros.csv", "source,target\n007,8\n7,9\n8,9\n");
    assert!(said.contains("1 id differs") && said.contains("`7` and `007`"), "{said}");
    let said = notices("case.csv", "source,target\nAnn,bob\nANN,Bob\ncyd,bob\n");
    assert!(said.contains("2 ids differ") && said.contains("they are different nodes"), "{said}");
    let said = notices("nan.csv", "source,target\nann,bob\nnan,bob\ncyd,ann\n");
    assert!(said.contains("`nan` is read as the id of a node"), "{said}");
    let said = notices("plain.csv", "source,target\nann,bob\nCyd,bob\n10,01\n");
    assert!(!said.contains("differ") && !said.contains("missing"), "{said}");
}

/// The kind of column `v` beside 40 nodes in a ring, what is said, or the error.
fn column(
    folder: &Folder,
    name: &str,
    value: impl Fn(usize) -> String,
) -> Result<(FeatureKind, Vec<f32>, String), String> {
    let edges =
        folder.file("ring.csv", (0..40).map(|at| format!("{at},{}\n", (at + 1) % 40)).collect::<String>());
    let text = (0..40).map(|at| format!("{at};{};{}\n", at * 3 % 7, value(at))).collect::<String>();
    let nodes = folder.file(name, format!("id;x;v\n{text}"));
    let (graph, notices) = read(&edges, &plain().nodes(nodes))?;
    let kind = graph.schema().unwrap().columns.iter().find(|own| own.name == "v").map(|own| own.kind);
    let netinfof::Features::Dense(x) = graph.features() else { panic!("a small table is dense") };
    let values = (0..40).map(|node| *x.row(node).last().unwrap()).collect();
    Ok((kind.ok_or_else(|| notices.clone())?, values, notices))
}

#[test]
fn notations_of_numbers_are_not_taken_for_others() {
    let folder = Folder::new("notations");
    let value = |at: usize| 1_000_000 + at * 12_347;
    let grouped = |at: usize, sign: &str| {
        let text = value(at).to_string();
        format!("{}{sign}{}{sign}{}", &text[..1], &text[1..4], &text[4..])
    };
    for (at, sign) in [".", "'", " ", "_", "\u{a0}", "’"].into_iter().enumerate() {
        let error = column(&folder, &format!("g{at}.csv"), |at| grouped(at, sign)).unwrap_err();
        assert!(error.contains("column `v`") && error.contains("sign between thousands"), "{sign}: {error}");
    }
    // 1.234 is a thousand where 999 is written without decimals.
    let mixed = |at: usize| {
        if at.is_multiple_of(5) { format!("{}", 200 + at) } else { format!("{}.{:03}", at, at * 17 % 1000) }
    };
    assert!(column(&folder, "mixed.csv", mixed).unwrap_err().contains("sign between thousands"));
    for (name, value) in [
        ("three.csv", (|at: usize| format!("{}.{:03}", at, at * 17 % 1000)) as fn(usize) -> String),
        ("some.csv", |at| if at % 2 == 0 { at.to_string() } else { format!("{at}.5") }),
    ] {
        assert_eq!(column(&folder, name, value).unwrap().0, FeatureKind::Number, "{name}");
    }
    let (kind, values, notices) = column(&folder, "zip.csv", |at| format!("{:05}", at * 991)).unwrap();
    assert_eq!((kind, values[1]), (FeatureKind::Number, 991.0));
    assert!(
        notices.contains("`00000` is read as a number") && notices.contains("`categorical`"),
        "{notices}"
    );
    // Marks of missing values of Excel, SQL and pandas.
    for (at, mark) in ["#N/A", "\\N", "<NA>", "-nan"].into_iter().enumerate() {
        let value = |at: usize| if at.is_multiple_of(5) { mark.to_string() } else { at.to_string() };
        let (kind, values, _) = column(&folder, &format!("m{at}.csv"), value).unwrap();
        assert!(kind == FeatureKind::Number && values[0].is_nan() && values[1] == 1.0, "{mark}");
    }
    let (kind, values, _) =
        column(&folder, "b.csv", |at| ["True", "0", "1", "false"][at % 4].into()).unwrap();
    assert_eq!((kind, &values[..4]), (FeatureKind::Boolean, &[1.0, 0.0, 1.0, 0.0][..]));
    // A cross or nothing.
    let (_, _, notices) =
        column(&folder, "x.csv", |at| if at % 3 == 0 { "x".into() } else { String::new() }).unwrap();
    assert!(notices.contains("only whether it is missing carries information"), "{notices}");
    let (_, _, notices) = column(&folder, "unix.csv", |at| (1_578_790_800 + at * at).to_string()).unwrap();
    assert!(notices.contains("so 1578790800 becomes 1578790784"), "{notices}");
}

#[test]
fn labels_in_other_notations_are_read_or_named() {
    let folder = Folder::new("labels");
    let edges =
        folder.file("ring.csv", (0..40).map(|at| format!("{at},{}\n", (at + 1) % 40)).collect::<String>());
    let with = |name: &str, head: &str, value: &dyn Fn(usize) -> String| {
        let text = (0..40).map(|at| format!("{at};{}\n", value(at))).collect::<String>();
        read(&edges, &plain().nodes(folder.file(name, format!("{head}\n{text}"))))
    };
    let (graph, notices) = with("a.csv", "id;label", &|at| format!("{},{:02}", at, at * 7 % 100)).unwrap();
    let Some(Target::Numbers(values)) = graph.target() else { panic!("{notices}") };
    assert_eq!(values[1], 1.07);
    let (_, notices) = with("b.csv", "id;label", &|at| format!("{at}.5%")).unwrap();
    assert!(notices.contains("column `label` holds percentages"), "{notices}");
    let (graph, notices) = with("c.csv", "id;label", &|at| ["a|b", "b", "a"][at % 3].into()).unwrap();
    assert!(
        graph.classes() == 3 && notices.contains("`a|b` of column `label` looks like a list"),
        "{notices}"
    );
    let (_, notices) = with("d.csv", "id;label", &|_| String::new()).unwrap();
    assert!(notices.contains("column `label` has no values"), "{notices}");
    let (_, notices) = with("e.csv", "id;ml_target;x", &|at| format!("{};{at}", at % 2)).unwrap();
    assert!(notices.contains("`ml_target` is used as a feature: give it as `label`"), "{notices}");
    // Lists of features beside a table: faults and columns are those of the right file.
    let lists = folder.file(
        "f.json",
        format!("{{{}}}", (0..40).map(|at| format!("\"{at}\": [{}]", at % 9)).collect::<Vec<_>>().join(", ")),
    );
    let both = |text: &str| plain().nodes(&lists).nodes(folder.file("t.csv", text));
    let table = |value: &dyn Fn(usize) -> String| {
        (0..40).map(|at| format!("{at},{}\n", value(at))).collect::<String>()
    };
    let (graph, notices) =
        read(&edges, &both(&format!("id,views\n{}", table(&|at| format!("{}.5", at * at))))).unwrap();
    assert!(
        graph.features().cols() == 10
            && notices.contains("9 features are read from lists, and further ones from `views`"),
        "{notices}"
    );
    refused(
        &edges,
        &both(&format!("id,page\n{}", table(&|at| format!("the page number {at} of many")))),
        &["t.csv: column `page`"],
    );
}
