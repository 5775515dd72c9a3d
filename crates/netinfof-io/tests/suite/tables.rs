//! Tables as people have them: every column has its kind, and nothing is misread without a word.

use std::fmt::Write as _;

use netinfof::graph::FeatureKind::{self, Boolean, Category, Date, Number};
use netinfof::graph::{Target, TargetKind};
use netinfof::{Exec, Features, Graph, NodeParams};
use netinfof_io::load::{self, LoadParams};
use netinfof_io::parquet::{Column, Kind, Writer};
use netinfof_io::save;

use crate::data::data;
use crate::folder::{Folder, read, refused};

/// The feature columns of a graph.
fn columns(graph: &Graph) -> Vec<(String, FeatureKind)> {
    graph.schema().unwrap().columns.iter().map(|column| (column.name.clone(), column.kind)).collect()
}

fn dropped(graph: &Graph) -> Vec<&str> {
    graph.schema().unwrap().dropped.iter().map(|part| part.name.as_str()).collect()
}

fn row(graph: &Graph, node: usize) -> Vec<f32> {
    match graph.features() {
        Features::Dense(x) => x.row(node).to_vec(),
        other => panic!("{other:?}"),
    }
}

/// A ring of `n` nodes as an edge list.
fn ring(n: usize) -> String {
    (0..n).map(|at| format!("{at},{}\n", (at + 1) % n)).collect()
}

#[test]
fn columns_are_read_by_kind_and_said() {
    let folder = Folder::new("kinds");
    let edges = folder.file("e.csv", "source,target\na,b\nb,c\nc,d\n");
    let nodes = folder.file(
        "n.csv",
        "id,age,member,town,since,label\n\
         a,30,True,Rome,2020-01-01,yes\n\
         b,,False,Bern,2020-01-02,no\n\
         c,41.5,true,Rome,,no\n\
         d,7,,\"Köln, Süd\",2019-12-31T12:00,yes\n",
    );
    let (graph, _) = read(&edges, &LoadParams::default().nodes(&nodes)).unwrap();
    let named = |name: &str, kind| (name.to_string(), kind);
    assert_eq!(
        columns(&graph),
        [named("age", Number), named("member", Boolean), named("town", Category), named("since", Date)]
    );
    assert_eq!(graph.schema().unwrap().columns[2].levels, ["Bern", "Köln, Süd", "Rome"]);
    assert_eq!(row(&graph, 0), [30.0, 1.0, 2.0, 18_262.0]);
    assert!(row(&graph, 1)[0].is_nan() && row(&graph, 3)[1].is_nan() && row(&graph, 3)[3] == 18_261.5);
    assert_eq!(graph.class_names().unwrap(), ["no", "yes"]);
    let line = graph.schema().unwrap().line(4, 2, None);
    assert_eq!(
        line,
        "read as an edge list: ends from `source` and `target` (1 header line); ids from `id` (1 header line); 2 classes from `label`; \
         4 features: 1 number, 1 boolean, 1 category, 1 date"
    );
    let facts = graph.facts();
    assert_eq!(
        (facts.columns.len(), facts.columns[0].range, facts.class_sizes),
        (4, Some([7.0, 41.5]), vec![2, 2])
    );
    assert!((facts.columns[0].missing - 0.25).abs() < 1e-12);
    assert_eq!((facts.connected_components, facts.bipartite, facts.clustering), (1, true, Some(0.0)));
}

#[test]
fn columns_are_chosen() {
    let folder = Folder::new("chosen");
    let edges = folder.file("e.csv", ring(4));
    let nodes = folder
        .file("n.csv", "id,zip,score1,score2,code\n0,1000,1,5,a\n1,2000,2,6,b\n2,1000,3,7,a\n3,2000,4,9,c\n");
    let with = |choose: &dyn Fn(&mut LoadParams)| {
        let mut params = LoadParams::default().nodes(&nodes);
        choose(&mut params);
        read(&edges, &params)
    };
    let list = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    let (graph, _) = with(&|params| params.columns.features = list(&["score*", "zip"])).unwrap();
    assert_eq!(columns(&graph).len(), 3);
    assert_eq!(dropped(&graph), ["code"]);
    let (graph, _) = with(&|params| params.columns.drop = list(&["score*"])).unwrap();
    assert_eq!(columns(&graph).iter().map(|(name, _)| &name[..]).collect::<Vec<_>>(), ["zip", "code"]);
    let (graph, _) = with(&|params| params.columns.categorical = list(&["zip"])).unwrap();
    assert_eq!(graph.schema().unwrap().columns[0].levels, ["1000", "2000"]);
    let error = with(&|params| params.columns.numeric = list(&["code"])).map(|_| ()).unwrap_err();
    assert!(error.contains("`a` is not a number"), "{error}");
    let error = with(&|params| params.columns.drop = list(&["scores"])).map(|_| ()).unwrap_err();
    assert!(error.contains("no feature column `scores`") && error.contains("`score1`"), "{error}");
    // Ends and labels by number, and lines without a header.
    let plain = folder.file("p.csv", "x,0,1\ny,1,2\nx,2,3\n");
    let mut params = LoadParams::default();
    params.ends = Some(["2".into(), "3".into()]);
    assert_eq!(read(&plain, &params).unwrap().0.edge_count(), 3);
    // The first row holds the number of a column, and is an edge all the same.
    params.ends = Some(["1".into(), "2".into()]);
    assert_eq!(read(&folder.file("q.txt", "1 2 5\n2 3 5\n"), &params).unwrap().0.edge_count(), 2);
    params.ends = Some(["2".into(), "4".into()]);
    refused(&plain, &params, &["`ends`", "numbers from 1 to 3"]);
    let mut params = LoadParams::default().nodes(folder.file("l.txt", "0 3\n1 4\n2 3\n3 4\n"));
    params.label = Some("2".into());
    assert_eq!(read(&edges, &params).unwrap().0.class_names().unwrap(), ["3", "4"]);
    let mut params = LoadParams::default();
    params.header = Some(true);
    let names = folder.file("h.csv", "who,whom\nann,bob\nbob,cyd\n");
    assert_eq!(read(&names, &params).unwrap().0.edge_count(), 2);
    params.header = Some(false);
    let names = folder.file("i.csv", "user,item\nann,bob\nbob,cyd\n");
    assert_eq!(read(&names, &params).unwrap().0.edge_count(), 3);
}

#[test]
fn the_wrong_join_column_is_found() {
    let folder = Folder::new("join");
    let edges = folder.file("e.csv", "source,target\nu1,u2\nu2,u3\nu3,u1\n");
    // The first column holds other ids, each once.
    let nodes = folder.file("n.csv", "row,user_code,x\n7,u1,0.5\n8,u2,1.5\n9,u3,2.5\n");
    let params = LoadParams::default().nodes(&nodes);
    refused(
        &edges,
        &params,
        &["column `row` does not hold the ids", "column `user_code` does: give it as `id`"],
    );
    let mut named = params.clone();
    named.id = Some("user_code".into());
    assert_eq!(columns(&read(&edges, &named).unwrap().0).len(), 2);
    // A column named like an id is used, and named when it does not fit.
    let nodes = folder.file("m.csv", "id,user_code,x\n7,u1,0.5\n8,u2,1.5\n9,u3,2.5\n");
    let params = LoadParams::default().nodes(&nodes);
    refused(&edges, &params, &["3 ids of", "not in the node table", "column `user_code`", "give it as `id`"]);
    // Two columns fit: neither is chosen.
    let edges = folder.file("f.csv", "0,1\n1,2\n2,0\n");
    let nodes = folder.file("o.csv", "rank,user,x\n0,2,0.5\n1,0,1.5\n2,1,2.5\n");
    refused(
        &edges,
        &LoadParams::default().nodes(&nodes),
        &["`rank` and column `user` could both be the ids"],
    );
    // No column fits, but the numbers of the rows do.
    let nodes = folder.file("p.csv", "age,x\n30,0.5\n30,1.5\n41,2.5\n");
    let (graph, notices) = read(&edges, &LoadParams::default().nodes(&nodes)).unwrap();
    assert!(notices.contains("rows are nodes in this order"), "{notices}");
    assert_eq!((columns(&graph).len(), row(&graph, 2)), (2, vec![41.0, 2.5]));
    let mut params = LoadParams::default().nodes(&nodes);
    params.id = Some("age".into());
    refused(&edges, &params, &["id `30` occurs twice"]);
    params.id = Some("row".into());
    assert_eq!(read(&edges, &params).unwrap().0.schema().unwrap().id.as_deref(), Some("row number"));
}

/// Ids that are written in another way, or that are there in part, are no row numbers.
#[test]
fn ids_that_do_not_match_are_explained() {
    let folder = Folder::new("mismatch");
    let table = |id: &dyn Fn(usize) -> String| -> String {
        let rows = (0..60).map(|node| format!("{},{}\n", id(node), node % 7));
        format!("id,x\n{}", rows.collect::<String>())
    };
    let edges = |id: &dyn Fn(usize) -> String| -> String {
        let rows = (0..60).map(|node| format!("{},{}\n", id(node), id((node + 1) % 60)));
        format!("from,to\n{}", rows.collect::<String>())
    };
    let refused_with = |edges: String, table: String, words: &[&str]| {
        let path = folder.file("edges.csv", edges);
        let nodes = folder.file("nodes.csv", table);
        refused(&path, &LoadParams::default().nodes(nodes), words);
    };
    let plain = |node: usize| node.to_string();
    let words = ["other leading zeros or in another case", "the same way"];
    refused_with(edges(&|node| format!("{node:05}")), table(&plain), &words);
    refused_with(edges(&|node| format!("user{node}")), table(&|node| format!("User{node}")), &words);
    // Half of the ids: the rows are not the nodes in order.
    refused_with(edges(&plain), table(&|node| (node + 30).to_string()), &["holds 30 of the 60 ids"]);
    // Nothing in common: the numbers of the rows are a possibility.
    refused_with(edges(&plain), table(&|node| format!("n{node}")), &["give `row` as `id`"]);
}

/// What spreadsheets write: empty rows as delimiters, dates and amounts in a country's notation, classes that differ
/// in case, UTF-16.
#[test]
fn tables_of_spreadsheets() {
    let folder = Folder::new("spreadsheet");
    let edges = folder.file("edges.csv", format!("from,to\n{}", ring(60)));
    let of = |header: &str, cell: &dyn Fn(usize) -> String, end: &str| {
        let rows = (0..60).map(|node| format!("{node},{}\n", cell(node)));
        let nodes = folder.file("nodes.csv", format!("{header}\n{}{end}", rows.collect::<String>()));
        LoadParams::default().nodes(nodes)
    };
    let (graph, said) =
        read(&edges, &of("id,x,label", &|node| format!("{},{}", node % 7, node % 2), ",,\n , ,\n")).unwrap();
    assert_eq!(graph.nodes(), 60);
    assert!(said.contains("2 rows without any value are not used"), "{said}");
    // A row with an id, or with a value but no id, is no empty row.
    refused(
        &edges,
        &of("id,x,label", &|node| format!("{},1", node % 7), ",3,\n"),
        &["nodes.csv:62", "empty id"],
    );
    let day = |node: usize| format!("{:02}/{:02}/2020", 1 + node % 12, 1 + node % 28);
    refused(&edges, &of("id,day", &day, ""), &["dates such as", "2020-01-31"]);
    refused(
        &edges,
        &of("id,rate", &|node| format!("{node}.5%"), ""),
        &["percentages such as", "without the sign"],
    );
    let label = |node: usize| ["yes", "Yes", "no"][node % 3].to_string();
    let (_, said) = read(&edges, &of("id,label", &label, "")).unwrap();
    assert!(said.contains("`Yes` and `yes` of column `label` differ in upper and lower case"), "{said}");
    let wide: Vec<u8> = "id,x\n0,1\n".encode_utf16().fold(vec![0xff, 0xfe], |mut bytes, unit| {
        bytes.extend(unit.to_le_bytes());
        bytes
    });
    let nodes = folder.file("wide.csv", wide);
    refused(&edges, &LoadParams::default().nodes(nodes), &["UTF-16", "save the file as UTF-8"]);
}

#[test]
fn targets_are_classes_numbers_or_labels() {
    let folder = Folder::new("target");
    let edges = folder.file("e.csv", ring(60));
    let table: String = (0..60)
        .fold("id,x,target\n".into(), |text, at| text + &format!("{at},{},{}.5\n", at * 7 % 11, at * at));
    let nodes = folder.file("n.csv", table);
    let (graph, notices) = read(&edges, &LoadParams::default().nodes(&nodes)).unwrap();
    assert!(graph.labels().is_none() && columns(&graph).len() == 1);
    assert!(notices.contains("60 different numbers: the target is numeric"), "{notices}");
    let Some(Target::Numbers(values)) = graph.target() else { panic!("numbers were expected") };
    assert_eq!((values[3], graph.schema().unwrap().label.as_deref()), (9.5, Some("target")));
    let mut params = LoadParams::default().nodes(&nodes);
    params.target = Some(TargetKind::Classes);
    let (graph, _) = read(&edges, &params).unwrap();
    assert_eq!((graph.classes(), graph.class_names().map(|names| names[3].as_str())), (60, Some("9.5")));
    // Saved as npz, and read again.
    let numeric = read(&edges, &LoadParams::default().nodes(&nodes)).unwrap().0;
    let again = folder.0.join("numbers.npz");
    save::npz(&numeric, &again).unwrap();
    assert_eq!(read(&again, &LoadParams::default()).unwrap().0.target(), numeric.target());

    // Several columns of 0 and 1; a column of lists; a file of communities.
    let table: String = (0..60).fold("id,a,b,list\n".into(), |text, at| {
        let list = ["none", "b", "a", "a;b"][(2 * usize::from(at % 3 == 0)) + usize::from(at % 2 == 0)];
        text + &format!("{at},{},{},{list}\n", u8::from(at % 3 == 0), u8::from(at % 2 == 0))
    });
    let nodes = folder.file("labels.csv", table);
    let mut params = LoadParams::default().nodes(&nodes).label("a,b");
    params.columns.drop = vec!["list".into()];
    let (several, _) = read(&edges, &params).unwrap();
    let mut params = LoadParams::default().nodes(&nodes).label("list");
    params.target = Some(TargetKind::Labels);
    params.columns.drop = vec!["a".into(), "b".into()];
    let (lists, _) = read(&edges, &params).unwrap();
    let ids = |each: usize| {
        (0..60).filter(|at| at % each == 0).map(|at| at.to_string()).collect::<Vec<_>>().join("\t")
    };
    let lines = folder.file("groups.cmty", format!("{}\n{}\n", ids(3), ids(2)));
    let mut params = LoadParams::default();
    params.communities = Some(lines);
    let (communities, notices) = read(&edges, &params).unwrap();
    assert!(notices.contains("20 of 60 nodes have none of the 2 labels"), "{notices}");
    let rows = |graph: &Graph| -> Vec<Vec<u8>> {
        let Some(Target::Labels(sets)) = graph.target() else { panic!("labels were expected") };
        (0..60).map(|node| sets.row(node).unwrap().to_vec()).collect()
    };
    assert_eq!(rows(&several), rows(&lists));
    assert_eq!(rows(&several), rows(&communities));
    save::npz(&several, &again).unwrap();
    assert_eq!(read(&again, &LoadParams::default()).unwrap().0.target(), several.target());
    let mut missing = LoadParams::default();
    missing.communities = Some(folder.file("bad.cmty", "0 99\n"));
    refused(&edges, &missing, &["line 1: `99`"]);
    refused(&edges, &LoadParams::default().nodes(&nodes).label("a,z"), &["`label`", "z"]);
}

#[test]
fn first_columns_that_are_no_ends_are_refused() {
    let folder = Folder::new("first");
    let none = LoadParams::default();
    let log: String =
        (0..30).map(|at| format!("{},u{},i{}\n", 1_400_000_000 + 60 * at, at % 7, at % 5)).collect();
    refused(&folder.file("a.csv", &log), &none, &["column 1 looks like times", "such as 2,3"]);
    let dates: String =
        (1..28).map(|at| format!("2020-01-{at:02} 10:00,u{},i{}\n", at % 7, at % 5)).collect();
    refused(&folder.file("b.csv", dates), &none, &["column 1 looks like times"]);
    let (graph, _) = read(&folder.file("c.csv", format!("timestamp,user,item\n{log}")), &none).unwrap();
    assert_eq!(graph.schema().unwrap().ends, ["user", "item"]);
    let (graph, _) = read(&folder.file("d.csv", format!("timestamp,shop,sku\n{log}")), &none).unwrap();
    assert_eq!(graph.schema().unwrap().ends, ["shop", "sku"]);
    let typed: String =
        (0..100).map(|at| format!("{} {} {}\n", 1 + at / 50, 1000 + at, 1000 + at * 7 % 100)).collect();
    refused(&folder.file("e.txt", typed), &none, &["column 1 has only 2 values", "such as 2,3 or 1,2"]);
    // Weights after the ends are no ids.
    let weighted: String = (0..100).map(|at| format!("{} {} {}\n", at % 5, 1000 + at, at % 9)).collect();
    assert_eq!(read(&folder.file("f.txt", weighted), &none).unwrap().0.edge_count(), 100);
}

#[test]
fn unnamed_indices_and_ids_are_no_features_and_copies_of_the_label_are_reported() {
    let folder = Folder::new("useless");
    let edges = folder.file("e.csv", ring(40));
    let line = |at: usize| format!("{at},{at},{},n{at},{},{}\n", at * 37 % 11, at % 2, 3 + 2 * (at % 2));
    let table: String = (0..40).map(line).collect();
    let nodes = folder.file("n.csv", format!(",id,x,nick,label,copy\n{table}"));
    let (graph, notices) = read(&edges, &LoadParams::default().nodes(&nodes)).unwrap();
    assert_eq!(columns(&graph), ["x", "copy"].map(|name| (name.to_string(), FeatureKind::Number)));
    assert_eq!(dropped(&graph), ["", "nick"]);
    assert!(notices.contains("`copy` is a copy of the label"), "{notices}");
    // Comments about an employee: not one feature, but advice.
    let text: String =
        (0..40).map(|at| format!("{at},a longer remark about the person number {at}\n")).collect();
    let nodes = folder.file("t.csv", format!("id,remark\n{text}"));
    let params = LoadParams::default().nodes(&nodes);
    refused(&edges, &params, &["column `remark` holds free text", "`drop`", "`component`"]);
    // A fraud label of -1 and 1 has two classes.
    let text: String = (0..40).map(|at| format!("{at},{}\n", if at % 3 == 0 { -1 } else { 1 })).collect();
    let nodes = folder.file("f.csv", format!("id,label\n{text}"));
    let (graph, _) = read(&edges, &LoadParams::default().nodes(&nodes)).unwrap();
    assert_eq!(graph.class_names().unwrap(), ["-1", "1"]);
    // Decimal commas, also without a header.
    let nodes = folder.file("c.csv", "id;x\n0;1,5\n1;2,25\n2;3\n3;0,125\n");
    let edges = folder.file("g.csv", "0,1\n1,2\n2,3\n");
    let (graph, notices) = read(&edges, &LoadParams::default().nodes(&nodes)).unwrap();
    assert!(notices.contains("decimal commas") && row(&graph, 1) == [2.25], "{notices}");
}

/// The same table in every kind of file gives the same graph, bit for bit.
#[test]
fn csv_and_parquet_give_the_same_graph() {
    let folder = Folder::new("same");
    let edges = folder.file("e.csv", ring(30));
    let towns = ["Rome", "Bern", "Oslo"];
    let mut text = String::from("id,x,n,member,town,label\n");
    let (mut ids, mut x, mut n, mut member, mut town, mut label) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for at in 0..30usize {
        let value = (at as f64).sqrt() / 3.0;
        let own = towns[at * 7 % 3];
        let yes = at % 4 == 0;
        let _ = writeln!(
            text,
            "{at},{value},{},{},{own},c{}",
            at * 11 % 17,
            if yes { "True" } else { "False" },
            at % 2
        );
        ids.push(at as i64);
        x.push(value);
        n.push((at * 11 % 17) as i64);
        member.push(if yes { "True".to_string() } else { "False".into() });
        town.push(own.to_string());
        label.push(format!("c{}", at % 2));
    }
    let csv = folder.file("n.csv", text);
    let parquet = folder.0.join("n.parquet");
    let kinds = [
        ("id", Kind::Int),
        ("x", Kind::Float),
        ("n", Kind::Int),
        ("member", Kind::Text),
        ("town", Kind::Text),
        ("label", Kind::Text),
    ];
    let mut table = Writer::new(std::fs::File::create(&parquet).unwrap(), &kinds).unwrap();
    table
        .write(&[
            Column::Int(ids),
            Column::Float(x),
            Column::Int(n),
            Column::Text(member),
            Column::Text(town),
            Column::Text(label),
        ])
        .unwrap();
    table.finish().unwrap();
    let [a, b] = [csv, parquet].map(|nodes| read(&edges, &LoadParams::default().nodes(nodes)).unwrap().0);
    assert_eq!((a.adjacency(), a.labels(), a.class_names()), (b.adjacency(), b.labels(), b.class_names()));
    assert_eq!(a.schema().unwrap().columns, b.schema().unwrap().columns);
    let bits =
        |graph: &Graph| (0..30).flat_map(|node| row(graph, node)).map(f32::to_bits).collect::<Vec<_>>();
    assert_eq!(bits(&a), bits(&b));
    // And the same model.
    let fitted = |graph: &Graph| {
        let exec = Exec::new(1).unwrap();
        let mut params = NodeParams::default();
        (params.splits, params.split.train, params.split.valid) = (1, 0.4, 0.3);
        let model = netinfof::fit_nodes(graph, None, &params, &exec).unwrap().model;
        model.nodes(None, &exec).unwrap().probabilities
    };
    assert_eq!(fitted(&a), fitted(&b));
}

/// Names of classes and columns, and levels, survive every format that `convert` writes.
#[test]
fn names_survive_conversion() {
    let folder = Folder::new("convert");
    let edges = folder.file("e.csv", ring(40));
    let line = |at: usize| {
        format!(
            "{at},{},{},{},2020-01-{:02}T06:00,c{}\n",
            at * 37 % 11,
            ["yes", "no"][at % 2],
            ["Rome", "Bern", "\"a,b\""][at * at % 3],
            1 + at % 28,
            at % 3
        )
    };
    let table: String = (0..40).map(line).collect();
    let nodes = folder.file("n.csv", format!("id,age,member,town,since,label\n{table}"));
    let (graph, _) = read(&edges, &LoadParams::default().nodes(&nodes)).unwrap();
    let npz = folder.0.join("g.npz");
    save::npz(&graph, &npz).unwrap();
    let mut copies = vec![read(&npz, &LoadParams::default()).unwrap().0];
    for ending in ["csv", "tsv.gz", "parquet"] {
        let [edges, nodes] =
            [folder.0.join(format!("g.{ending}")), folder.0.join(format!("g.nodes.{ending}"))];
        save::edges(&graph, &edges).unwrap();
        save::nodes(&graph, &nodes).unwrap();
        copies.push(read(&edges, &LoadParams::default().nodes(&nodes)).unwrap().0);
    }
    for copy in copies {
        assert_eq!(copy.schema().unwrap().columns, graph.schema().unwrap().columns);
        assert_eq!((copy.labels(), copy.class_names()), (graph.labels(), graph.class_names()));
        assert_eq!(
            (0..40).map(|node| row(&copy, node)).collect::<Vec<_>>(),
            (0..40).map(|node| row(&graph, node)).collect::<Vec<_>>()
        );
    }
}

#[test]
fn several_tables_are_joined_by_id() {
    let folder = Folder::new("several");
    let edges = folder.file("e.csv", ring(4));
    let first = folder.file("a.csv", "id,x\n0,1\n1,2\n2,3\n3,4\n");
    let second = folder.file("b.csv", "id,label,z\n3,b,9\n0,a,5\n1,a,6\n");
    let lists = folder.file("f.json", "{\"1\": [0, 2], \"0\": [1], \"3\": [], \"2\": [2]}");
    let (graph, _) = read(&edges, &LoadParams::default().nodes(&first).nodes(&second)).unwrap();
    assert_eq!((graph.labels().unwrap(), row(&graph, 3)), (&[0, 0, -1, 1][..], vec![4.0, 9.0]));
    assert!(row(&graph, 2)[1].is_nan());
    let (graph, _) = read(&edges, &LoadParams::default().nodes(&second).nodes(&lists)).unwrap();
    assert_eq!((graph.nodes(), graph.features().cols()), (4, 4));
    let twice = LoadParams::default().nodes(&first).nodes(folder.file("c.csv", "id,x\n0,1\n"));
    refused(&edges, &twice, &["column `x` is in two node tables"]);
}

/// Every published file, as it was published.
#[test]
fn published_tables_are_read() {
    let Some(folder) = data("published_tables_are_read") else { return };
    let raw = folder.join("raw");
    if !raw.is_dir() {
        return;
    }
    let path = |file: &str| raw.join(file);
    let with = |edges: &str, nodes: &[&str], change: &dyn Fn(&mut LoadParams)| {
        let mut params = nodes.iter().fold(LoadParams::default(), |params, nodes| params.nodes(path(nodes)));
        change(&mut params);
        read(&path(edges), &params).unwrap_or_else(|e| panic!("{edges}: {e}"))
    };
    // MUSAE: lists of words and a numeric target.
    let (graph, notices) = with(
        "chameleon-traffic/edges.csv",
        &["chameleon-traffic/target.csv", "chameleon-traffic/features.json"],
        &|_| (),
    );
    assert_eq!((graph.nodes(), graph.edge_count(), graph.labels()), (2277, 31_371, None));
    assert!(graph.features().cols() > 3000 && notices.contains("the target is numeric"), "{notices}");
    let (graph, _) = with("german/german_edges.txt", &["german/german.csv"], &|params| {
        params.label = Some("GoodCustomer".into());
    });
    assert_eq!(
        (graph.nodes(), graph.edge_count(), graph.class_names().unwrap()),
        (1000, 21_742, &["-1".to_string(), "1".into()][..])
    );
    let kinds = columns(&graph);
    assert_eq!(kinds.len(), 29);
    assert!(
        kinds.contains(&("Gender".into(), FeatureKind::Category))
            && kinds.contains(&("PurposeOfLoan".into(), FeatureKind::Category))
    );
    assert_eq!(graph.schema().unwrap().id.as_deref(), Some("row number"));
    let (graph, _) = with("income/income_edges.txt", &["income/income.csv"], &|params| {
        params.label = Some("income".into());
    });
    assert_eq!((graph.nodes(), graph.classes(), graph.features().cols()), (14_821, 2, 14));
    for (edges, labels, size) in [
        ("airports/usa-airports.edgelist", "airports/labels-usa-airports.txt", (1190, 4)),
        ("airports/europe-airports.edgelist", "airports/labels-europe-airports.txt", (399, 4)),
        ("airports/brazil-airports.edgelist", "airports/labels-brazil-airports.txt", (131, 4)),
    ] {
        let (graph, _) = with(edges, &[labels], &|_| ());
        assert_eq!((graph.nodes(), graph.classes()), size, "{edges}");
    }
    let (graph, _) = with("email-eu-core/email.txt", &["email-eu-core/email_labels.txt"], &|params| {
        params.label = Some("2".into());
    });
    assert_eq!((graph.nodes(), graph.classes(), graph.edge_count()), (1005, 42, 16_064));
    let (graph, _) = with("bitcoin-alpha/soc-sign-bitcoinalpha.csv", &[], &|_| ());
    assert_eq!(graph.schema().unwrap().ends, ["column 1", "column 2"]);
    // Users and items in one id space, only where that is asked for.
    refused(&path("electronics/train.txt"), &LoadParams::default(), &["lists of neighbours", "`neighbours`"]);
    for file in ["electronics/train.txt", "electronics/test.txt", "gowalla/test.txt"] {
        let (graph, _) = with(file, &[], &|params| params.format = Some(load::Format::Neighbours));
        assert!(graph.edge_count() > 3000, "{file}");
    }
    let (graph, _) = with("gowalla/s_adj_mat.npz", &[], &|_| ());
    assert_eq!((graph.nodes(), graph.edge_count()), (29_858 + 40_981, 810_128));
    // The type of an edge comes first.
    refused(&path("gatne-amazon/train.txt"), &LoadParams::default(), &["such as 2,3"]);
    let ends = |a: &str, b: &str| Some([a.to_string(), b.to_string()]);
    for file in ["gatne-amazon/train.txt", "gatne-amazon/valid.txt", "gatne-amazon/test.txt"] {
        let (graph, _) = with(file, &[], &|params| params.ends = ends("2", "3"));
        assert!(graph.nodes() > 5000, "{file}");
    }
    // Communities, one per line, are no graph.
    refused(&path("ppi-homo/PPI.cmty"), &LoadParams::default(), &["PPI.cmty"]);
    for (file, words) in [
        ("chameleon-traffic/features.json", "node features in JSON"),
        ("chameleon-traffic/target.csv", "looks like a node table"),
        ("airports/labels-usa-airports.txt", "looks like a node table"),
        ("income/income.csv", "looks like a node table"),
        ("german/german.csv", "looks like a node table"),
    ] {
        refused(&path(file), &LoadParams::default(), &[words]);
    }
}
