//! Graphs and splits in every form that is read.

use std::io::Write as _;

use super::{Folder, floats, ints, netinfof, npz, ring, stderr, stdout};
use serde_json::Value;

fn facts(args: &[&str]) -> Value {
    let output = netinfof(&[&["inspect"], args, &["--json", "-"]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    serde_json::from_str::<Value>(&stdout(&output)).unwrap()["graph"].take()
}

fn size(args: &[&str]) -> (u64, u64) {
    let facts = facts(args);
    (facts["nodes"].as_u64().unwrap(), facts["edges"].as_u64().unwrap())
}

#[test]
fn edge_lists_with_any_separator_header_comments_and_weights() {
    let folder = Folder::new();
    assert_eq!(size(&[&folder.file("a.csv", ring(20, ","))]), (20, 40));
    assert_eq!(size(&[&folder.file("b.tsv", ring(20, "\t"))]), (20, 40));
    assert_eq!(size(&[&folder.file("c.txt", format!("# SNAP\n% Pajek\n\n{}", ring(20, " ")))]), (20, 40));
    assert_eq!(size(&[&folder.file("d.csv", format!("source,target\n{}", ring(20, ",")))]), (20, 40));
    assert_eq!(size(&[&folder.file("e.csv", "who;whom\nann;bob\nbob;\"cy;d\"\nann;bob\n")]), (5, 3));
    assert_eq!(size(&[&folder.file("f.csv", "source,target\nann,bob\nbob,cyd\nann,bob\n")]), (3, 2));
    let weighted = folder.file("g.csv", "u,v,weight\n0,1,0.5\n1,2,0.7\n");
    assert_eq!(size(&[&weighted]), (3, 2));
    let said = stderr(&netinfof(&["inspect", &weighted]));
    assert!(said.contains("edges are read from columns `u` and `v`; column `weight` is not used"), "{said}");
}

#[test]
fn gzip_is_found_by_content() {
    let folder = Folder::new();
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(ring(20, ",").as_bytes()).unwrap();
    assert_eq!(size(&[&folder.file("odd-name", gz.finish().unwrap())]), (20, 40));
}

#[test]
fn node_tables_bring_features_and_labels_by_id() {
    let folder = Folder::new();
    let edges = folder.file("e.csv", "a,b\nb,c\nc,a\n");
    let nodes = folder.file("n.csv", "id,x,label,y2\nc,1,red,0\na,0,blue,2\nb,0,red,0\nlonely,5,,1\n");
    let facts = facts(&[&edges, "--nodes", &nodes]);
    assert_eq!((facts["nodes"].as_u64(), facts["isolated"].as_u64()), (Some(4), Some(1)));
    assert_eq!((facts["features"].as_u64(), facts["classes"].as_u64()), (Some(2), Some(2)));
    assert_eq!(facts["labelled"].as_u64(), Some(3));
    assert!((facts["edge_homophily"].as_f64().unwrap() - 1.0 / 3.0).abs() < 1e-12);
}

#[test]
fn npz_with_dense_and_sparse_features() {
    let folder = Folder::new();
    let dense = folder.path("dense.npz");
    npz(
        dense.as_ref(),
        &[
            ("edge_index", "<i4", "(2, 3)", ints(&[0, 1, 2, 1, 2, 0])),
            ("x", "<f4", "(3, 2)", floats(&[1.0, 0.0, 0.0, 1.0, 0.5, 0.5])),
            ("y", "<i4", "(3,)", ints(&[0, 1, -1])),
        ],
    );
    let facts_of = facts(&[&dense]);
    assert_eq!(
        (facts_of["feature_storage"].as_str(), facts_of["labelled"].as_u64()),
        (Some("dense"), Some(2))
    );
    let sparse = folder.path("sparse.npz");
    npz(
        sparse.as_ref(),
        &[
            ("edge_index", "<i4", "(3, 2)", ints(&[0, 1, 1, 2, 2, 0])),
            ("num_nodes", "<i4", "()", ints(&[4])),
            ("x_indptr", "<i4", "(5,)", ints(&[0, 1, 2, 2, 3])),
            ("x_indices", "<i4", "(3,)", ints(&[0, 6, 2])),
            ("x_data", "<f4", "(3,)", floats(&[1.0, 2.0, 3.0])),
            ("x_shape", "<i4", "(2,)", ints(&[4, 7])),
        ],
    );
    let facts_of = facts(&[&sparse]);
    assert_eq!((facts_of["nodes"].as_u64(), facts_of["features"].as_u64()), (Some(4), Some(7)));
    assert_eq!(facts_of["feature_storage"], "sparse");
}

#[test]
fn own_splits_by_the_users_ids() {
    let folder = Folder::new();
    let line = |i: usize, j: usize| format!("n{i},n{}\n", j % 60);
    let all: Vec<String> = (0..60).flat_map(|i| [line(i, i + 1), line(i, i + 2)]).collect();
    let graph = folder.file("g.csv", all.concat());
    let train = folder.file("train.csv", all[..100].concat());
    let valid = folder.file("valid.csv", all[100..110].concat());
    let labelled: String = all[110..].iter().map(|l| l.replace('\n', ",1\n")).collect();
    let test = folder.file("test.csv", format!("source,target,label\n{labelled}n0,n30,0\nn5,n40,0\n"));
    let args = ["act", &graph, "--train", &train, "--valid", &valid, "--test", &test, "--json", "-"];
    let output = netinfof(&args);
    assert!(output.status.success(), "{}", stderr(&output));
    let value: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert!(value["splits"][0]["test"]["hits@2"].is_number(), "K follows the two negatives given: {value}");
    let leaking = ["probe", &graph, "--train", &graph, "--valid", &valid, "--test", &test];
    let output = netinfof(&leaking);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("training edges too"), "{}", stderr(&output));
}

#[test]
fn own_node_sets_as_ids_and_as_masks() {
    let folder = Folder::new();
    let edges = folder.file("ring.csv", ring(60, ","));
    let table: String =
        (0..60).fold("id,label\n".into(), |text, node| text + &format!("{node},{}\n", node / 30));
    let nodes = folder.file("nodes.csv", table);
    let ids =
        |rest: usize| (0..60).filter(|id| id % 3 == rest).map(|id| format!("{id}\n")).collect::<String>();
    let files = [folder.file("a", ids(0)), folder.file("b", ids(1)), folder.file("c", ids(2))];
    let common = ["act", &edges, "--nodes", &nodes, "--task", "nodes", "--json", "-", "--quiet"];
    let by_ids =
        netinfof(&[&common[..], &["--train", &files[0], "--valid", &files[1], "--test", &files[2]]].concat());
    assert!(by_ids.status.success(), "{}", stderr(&by_ids));
    let masks = folder.path("masks.npz");
    let mask = |rest: i32| ints(&(0..60).map(|id| i32::from(id % 3 == rest)).collect::<Vec<_>>());
    npz(
        masks.as_ref(),
        &[
            ("train_mask", "<i4", "(60,)", mask(0)),
            ("val_mask", "<i4", "(60,)", mask(1)),
            ("test_mask", "<i4", "(60,)", mask(2)),
        ],
    );
    let by_masks = netinfof(&[&common[..], &["--split", &masks]].concat());
    let read = |output| serde_json::from_str::<Value>(&stdout(output)).unwrap()["splits"][0]["test"].take();
    assert_eq!(read(&by_ids), read(&by_masks));
    assert!(read(&by_ids)["accuracy"].as_f64().unwrap() > 0.5);
}

#[test]
fn constant_features_know_nothing() {
    let folder = Folder::new();
    let edges = folder.file("ring.csv", ring(60, ","));
    let table: String =
        (0..60).fold("id,x,label\n".into(), |text, node| text + &format!("{node},1,{}\n", node % 2));
    let nodes = folder.file("nodes.csv", table);
    for task in ["links", "nodes"] {
        // One feature for one dimension: no degrees are added. With more dimensions they are, and all are 4 for nodes.
        for dim in ["1", "8"] {
            let args = ["act", &edges, "--nodes", &nodes, "--task", task, "--components", "F", "--dim", dim];
            let output = netinfof(&[&args[..], &["--json", "-"]].concat());
            assert!(output.status.success(), "{task} {dim}: {}", stderr(&output));
            let value: Value = serde_json::from_str(&stdout(&output)).unwrap();
            if task == "nodes" || dim == "1" {
                assert!(stderr(&output).contains("component F is the same for every node"), "{task} {dim}");
                let component = &value["splits"][0]["components"]["F"];
                assert_eq!(component["score"], component["no_information"], "{task} {dim}");
                assert_eq!(value["splits"][0]["weights"]["F"], 0.0, "{task} {dim}");
            }
        }
    }
}

#[test]
fn convert_there_and_back() {
    let folder = Folder::new();
    let npz = folder.path("demo.npz");
    assert!(netinfof(&["convert", "synth:demo", &npz]).status.success());
    let before = facts(&[&npz]);
    for ending in ["csv", "tsv.gz", "txt", "csv.zst", "parquet"] {
        let table = folder.path(&format!("demo.{ending}"));
        let output = netinfof(&["convert", &npz, &table]);
        let nodes = folder.path(&format!("demo.nodes.{ending}"));
        assert!(stdout(&output).contains(&nodes), "{}", stderr(&output));
        let after = facts(&[&table, "--nodes", &nodes]);
        for key in [
            "nodes",
            "edges",
            "features",
            "classes",
            "feature_density",
            "edge_homophily",
            "degree_assortativity",
        ] {
            assert_eq!(after[key], before[key], "{ending} {key}");
        }
    }
    let market = folder.path("demo.mtx");
    let output = netinfof(&["convert", &npz, &market]);
    assert!(stderr(&output).contains("only the edges are written"), "{}", stderr(&output));
    assert_eq!(facts(&[&market])["edges"], before["edges"]);
    let output = netinfof(&["convert", &npz, &folder.path("demo.xyz")]);
    assert!(
        output.status.code() == Some(1) && stderr(&output).contains(".npz, .parquet"),
        "{}",
        stderr(&output)
    );
    let output = netinfof(&["convert", &npz, &folder.path("demo.parquet.gz")]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    // Mixed, asked for, and by name.
    let [edges, nodes] = [folder.path("demo.parquet"), folder.path("demo.nodes.csv")];
    let after = facts(&[&edges, "--nodes", &nodes, "--format", "parquet", "--ends", "target,source"]);
    assert_eq!(after["edges"], before["edges"]);
    let output = netinfof(&["inspect", &nodes, "--format", "parquet"]);
    assert!(stderr(&output).contains("not a Parquet file"), "{}", stderr(&output));
}

#[test]
fn a_format_can_be_asked_for() {
    let folder = Folder::new();
    // Numbers that could be a list of edges, or a matrix.
    let file = folder.file(
        "g.txt",
        format!("%%MatrixMarket matrix coordinate pattern general\n60 60 120\n{}", {
            let one = |line: &str| {
                line.split(' ')
                    .map(|v| (v.parse::<u32>().unwrap() + 1).to_string())
                    .collect::<Vec<_>>()
                    .join(" ")
            };
            ring(60, " ").lines().map(one).collect::<Vec<_>>().join("\n")
        }),
    );
    let nodes = |args: &[&str]| {
        let output = netinfof(&[&["inspect", file.as_str(), "--json", "-"], args].concat());
        let value: Value = serde_json::from_str(&stdout(&output)).unwrap_or_default();
        (value["graph"]["nodes"].as_u64(), stderr(&output))
    };
    assert_eq!(nodes(&[]).0, Some(60));
    let (none, said) = nodes(&["--format", "edges"]);
    assert!(none.is_none() && said.contains("where line"), "{said}");
    assert!(nodes(&["--format", "npz"]).1.contains("not a readable npz"));
}

#[test]
fn id_columns_by_name() {
    let folder = Folder::new();
    let rows: String = ring(50, ",").lines().map(|edge| format!("0.5,{edge}\n")).collect();
    let usual = folder.file("usual.csv", format!("weight,Source,Target\n{rows}"));
    assert_eq!(
        (facts(&[&usual])["nodes"].as_u64(), facts(&[&usual])["edges"].as_u64()),
        (Some(50), Some(100))
    );
    let own = folder.file("own.csv", format!("w,buyer,seller\n{rows}"));
    assert_eq!(facts(&[&own, "--ends", "buyer,seller"])["edges"], 100);
    let output = netinfof(&["inspect", &own, "--ends", "buyer,nobody"]);
    assert!(
        stderr(&output).contains("nobody") && stderr(&output).contains("`w`, `buyer`, `seller`"),
        "{}",
        stderr(&output)
    );
    let output = netinfof(&["inspect", &own, "--ends", "buyer"]);
    assert!(output.status.code() == Some(1) && stderr(&output).contains("two names"), "{}", stderr(&output));
}
