//! Times of edges in files: columns of every notation, arrays, what is written and read again, and split files with
//! the columns of the graph.

use std::path::Path;

use netinfof::graph::TimeUnit;
use netinfof::{Exec, Graph, Pair};
use netinfof_io::load::{self, LoadParams, SplitFiles};
use netinfof_io::parquet::{Column, Kind, Writer};
use netinfof_io::save;

use crate::folder::{Folder, read, refused};

fn params(time: &str) -> LoadParams {
    let mut params = LoadParams::default();
    params.time = Some(time.into());
    params
}

/// The edges with their times, by the ids of the file.
fn timed(graph: &Graph) -> Vec<(String, String, f64)> {
    let times = graph.times().unwrap();
    let name = |node: u32| graph.node_name(node as usize).into_owned();
    graph
        .edges()
        .iter()
        .zip(times.first())
        .map(|(pair, &time)| (name(pair[0]), name(pair[1]), time))
        .collect()
}

#[test]
fn columns_of_times_in_every_notation() {
    let folder = Folder::new("notations");
    let same = |path: &Path, params: &LoadParams, unit: TimeUnit, expected: [f64; 3]| {
        let (graph, notices) = read(path, params).unwrap();
        let times = graph.times().unwrap();
        let found: Vec<f64> = timed(&graph).iter().map(|own| own.2).collect();
        assert_eq!((times.unit(), &found[..]), (unit, &expected[..]), "{} {notices}", path.display());
        assert_eq!(times.repeats().len(), 1, "{}", path.display());
        assert_eq!(graph.schema().unwrap().time.as_ref().unwrap().name, times.column());
        assert!(graph.schema().unwrap().dropped.iter().all(|part| part.name != times.column()));
        graph
    };
    // A header; without one; a log that begins with its times, without a header and with one; names.
    let named = folder.file("named.csv", "source,target,time,note\n2,3,9,a\n1,2,5,b\n2,1,4,c\n1,3,7,d\n");
    let graph = same(&named, &params("time"), TimeUnit::Number, [4.0, 7.0, 9.0]);
    assert_eq!(graph.times().unwrap().repeats(), [[4.0, 5.0]]);
    same(&named, &params("3"), TimeUnit::Number, [4.0, 7.0, 9.0]);
    let bare = folder.file("bare.txt", "2 3 1.5e9\n1 2 1400000001\n2 1 1400000000\n1 3 1450000000.5\n");
    same(&bare, &params("3"), TimeUnit::Seconds, [1.4e9, 1_450_000_000.5, 1.5e9]);
    let first = folder.file("first.csv", "1500000000,2,3\n1400000001,1,2\n1400000000,2,1\n1450000000,1,3\n");
    same(&first, &params("1"), TimeUnit::Seconds, [1.4e9, 1.45e9, 1.5e9]);
    let mut ends = params("1");
    ends.ends = Some(["2".into(), "3".into()]);
    same(&first, &ends, TimeUnit::Seconds, [1.4e9, 1.45e9, 1.5e9]);
    let log = folder.file("log.csv", "timestamp,who,whom\n9,bo,cy\n5,al,bo\n4,bo,al\n7,al,cy\n");
    let (graph, notices) = read(&log, &params("timestamp")).unwrap();
    assert!(notices.contains("columns `who` and `whom`, times from column `timestamp`"), "{notices}");
    let text = |own: &(String, String, f64)| format!("{} {} {}", own.0, own.1, own.2);
    assert_eq!(timed(&graph).iter().map(text).collect::<Vec<_>>(), ["bo cy 9", "bo al 4", "cy al 7"]);
    // The word above the times makes the first row a header.
    let odd = folder.file("odd.csv", "al,bo,seen\nbo,cy,9\nal,bo,5\nbo,al,4\nal,cy,7\n");
    assert_eq!(read(&odd, &params("3")).unwrap().0.edge_count(), 3);
    // Dates with and without a time of day.
    let days = folder.file(
        "days.csv",
        "source,target,day\n2,3,2020-03-01\n1,2,2020-01-02T12:00\n2,1,2020-01-02\n1,3,2020-01-31 06:00:00\n",
    );
    let graph = same(&days, &params("day"), TimeUnit::Date, [18_263.0, 18_292.25, 18_322.0]);
    let range = &graph.schema().unwrap().time.as_ref().unwrap().range;
    assert_eq!(range, &["2020-01-02".to_string(), "2020-03-01".to_string()]);
    let line = graph.schema().unwrap().line(0, 0, None);
    assert!(line.contains("times from `day` (2020-01-02 to 2020-03-01)"), "{line}");
    // Users and items.
    let ratings = folder.file("ratings.csv", "user,item,time\n1,1,5\n1,2,3\n2,1,4\n1,1,2\n");
    let graph = read(&ratings, &params("time")).unwrap().0;
    assert_eq!(timed(&graph).iter().map(|own| own.2).collect::<Vec<_>>(), [2.0, 3.0, 4.0]);
    // Parquet: whole numbers, and texts.
    let parquet = folder.0.join("log.parquet");
    save::whole(&parquet, |file| {
        let mut table = Writer::new(
            file,
            &[("source", Kind::Int), ("target", Kind::Int), ("t", Kind::Int), ("day", Kind::Text)],
        )?;
        let days = ["2020-03-01", "2020-01-03", "2020-01-02", "2020-02-01"].map(String::from);
        table.write(&[
            Column::Int(vec![2, 1, 2, 1]),
            Column::Int(vec![3, 2, 1, 3]),
            Column::Int(vec![9, 5, 4, 7]),
            Column::Text(days.to_vec()),
        ])?;
        table.finish().map(|_| ())
    })
    .unwrap();
    same(&parquet, &params("t"), TimeUnit::Number, [4.0, 7.0, 9.0]);
    same(&parquet, &params("day"), TimeUnit::Date, [18_263.0, 18_293.0, 18_322.0]);
    // Without the option nothing changes but a hint.
    let (graph, notices) = read(&named, &LoadParams::default()).unwrap();
    assert!(
        graph.times().is_none() && notices.contains("give `time` as `time` for a split by time"),
        "{notices}"
    );
}

#[test]
fn bad_times_are_one_clear_line() {
    let folder = Folder::new("bad");
    let file =
        |name: &str, rows: &str| folder.file(name, format!("source,target,time\n1,2,5\n{rows}2,3,7\n"));
    refused(&file("missing.csv", "1,3,\n"), &params("time"), &[":3: ", "no time in `time`"]);
    refused(&file("na.csv", "1,3,NaN\n"), &params("time"), &[":3: ", "no time in `time`"]);
    refused(
        &file("text.csv", "1,3,soon\n"),
        &params("time"),
        &[":3: ", "`soon` in `time` is not a time", "2024-05-31"],
    );
    refused(&file("inf.csv", "1,3,inf\n"), &params("time"), &[":3: ", "`inf` in `time` is not a time"]);
    refused(
        &file("mixed.csv", "1,3,2020-01-01\n"),
        &params("time"),
        &[":3: ", "`2020-01-01` in `time` is a date, but the rows before hold numbers"],
    );
    let good = file("good.csv", "");
    refused(&good, &params("when"), &["invalid `time`", "`source`, `target`, `time`"]);
    refused(&good, &params("target"), &["invalid `time`", "that holds no ids"]);
    let json = folder.file(
        "graph.json",
        r#"{"directed": false, "nodes": [{"id": 0}, {"id": 1}, {"id": 2}], "links": [{"source": 0, "target": 1}, {"source": 1, "target": 2}]}"#,
    );
    refused(&json, &params("time"), &["invalid `time`", "an edge list with a column of times"]);
    refused(Path::new("synth:demo"), &params("time"), &["invalid `time`", "an edge list"]);
}

#[test]
fn times_are_written_and_read_again() {
    let folder = Folder::new("again");
    let numbers =
        folder.file("n.csv", "source,target,time\nb,c,0.1\na,b,1700000000123.5\nd,a,-3\nb,d,16777217\n");
    let dates = folder.file(
        "d.csv",
        "source,target,at\nb,c,2020-03-01\na,b,2020-01-02T12:30:15\nd,a,2021-01-02T00:00:00.250\nb,d,1969-12-31\n",
    );
    for (source, column) in [(numbers, "time"), (dates, "at")] {
        let graph = read(&source, &params(column)).unwrap().0;
        for (ending, time) in [("npz", "edge_time"), ("csv", column), ("tsv.gz", column), ("parquet", column)]
        {
            let path = folder.0.join(format!("{column}.{ending}"));
            if ending == "npz" {
                save::npz(&graph, &path).unwrap();
            } else {
                save::edges(&graph, &path).unwrap();
            }
            let found = read(&path, &params(time)).unwrap().0;
            let sorted = |graph: &Graph| {
                let mut all: Vec<(Vec<String>, f64)> = timed(graph)
                    .into_iter()
                    .map(|(a, b, time)| {
                        let mut ends = vec![a, b];
                        ends.sort();
                        (ends, time)
                    })
                    .collect();
                all.sort_by(|a, b| a.0.cmp(&b.0));
                all
            };
            assert_eq!(found.times().unwrap().unit(), graph.times().unwrap().unit(), "{ending}");
            for (a, b) in sorted(&found).iter().zip(sorted(&graph)) {
                assert!(a.0 == b.0 && (a.1 - b.1).abs() < 1e-10, "{ending}: {a:?} {b:?}");
            }
        }
        let found = read(&folder.0.join(format!("{column}.npz")), &LoadParams::default()).unwrap();
        assert!(found.0.times().is_none() && found.1.contains("give `edge_time` as `time`"), "{}", found.1);
    }
    let npz = folder.0.join("time.npz");
    refused(&npz, &params("when"), &["no array `when` of times", "`edge_time`"]);
}

#[test]
fn split_files_may_have_the_columns_of_the_graph() {
    let folder = Folder::new("splits");
    let split = |graph: &Graph, train: &Path, valid: &Path, test: &Path| {
        let exec = Exec::new(1).unwrap();
        load::link_split_files(&SplitFiles::new(train, valid, test), graph, &exec).map_err(|e| e.to_string())
    };
    let names = |graph: &Graph, pairs: &[Pair]| -> Vec<String> {
        let name = |node: u32| graph.node_name(node as usize).into_owned();
        pairs.iter().map(|pair| format!("{}-{}", name(pair[0]), name(pair[1]))).collect()
    };
    // The graph's own header; ids as floats; other columns; the time first.
    let graph = folder.file("g.csv", "time,source,target,weight\n1,7,8,0.5\n2,8,9,1\n3,9,7,1\n4,7,3,2\n");
    let graph = read(&graph, &params("time")).unwrap().0;
    let train = folder.file("train.csv", "time,source,target,weight\n1,7.0,8.0,0.5\n2,8.0,9.0,1\n");
    let valid = folder.file("valid.csv", "source,target,time\n9,7,3\n");
    let test = folder.file("test.csv", "source,target,label\n7,3,1\n3,8,0\n");
    let pairs = split(&graph, &train, &valid, &test).unwrap();
    assert_eq!(names(&graph, &pairs.train), ["7-8", "8-9"]);
    assert_eq!(names(&graph, &pairs.valid.positives), ["9-7"]);
    assert_eq!(
        (pairs.valid.negatives.len(), pairs.test.positives.len(), pairs.test.negatives.len()),
        (0, 1, 1)
    );
    // Labels and times in one file.
    let both = folder.file("both.csv", "source,target,time,label\n7,3,4,1\n3,8,5,0\n");
    let pairs = split(&graph, &train, &valid, &both).unwrap();
    assert_eq!((pairs.test.positives.len(), pairs.test.negatives.len()), (1, 1));
    // A column that neither the graph nor this program has.
    let odd = folder.file("odd.csv", "source,target,time,negative\n7,3,4,0\n3,8,5,1\n");
    let error = split(&graph, &train, &valid, &odd).unwrap_err();
    assert!(error.contains("column `negative` is not in the graph"), "{error}");
    let value = folder.file("value.csv", "source,target,value\n7,3,1\n3,8,0\n");
    assert_eq!(split(&graph, &train, &valid, &value).unwrap().test.negatives.len(), 1);
    // No header in either: the layout of the graph, but a third column of 0 and 1 is a label.
    let raw = folder.file("raw.csv", "7,8,1400000000\n8,9,1400000001\n9,7,1400000002\n7,3,1400000003\n");
    let graph = read(&raw, &params("3")).unwrap().0;
    let rows = folder.file("rows.csv", "7,8,1400000000\n8,9,1400000001\n");
    let labelled = folder.file("labelled.csv", "9,7,1\n3,8,0\n");
    let pairs = split(&graph, &rows, &labelled, &labelled).unwrap();
    assert_eq!((names(&graph, &pairs.train).len(), pairs.valid.negatives.len()), (2, 1));
    let wide = folder.file("wide.csv", "5,7,8,1400000000\n5,8,9,1400000001\n5,9,7,1400000002\n");
    let mut ends = params("4");
    ends.ends = Some(["2".into(), "3".into()]);
    let graph = read(&wide, &ends).unwrap().0;
    let pairs = split(&graph, &wide, &wide, &wide).unwrap();
    assert_eq!(names(&graph, &pairs.train), ["7-8", "8-9", "9-7"]);
}
