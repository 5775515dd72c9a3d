//! Splits by time through the command: what the report, the page and the terminal say; checks of own splits.

use std::fmt::Write as _;

use super::{Folder, netinfof, stderr, stdout};

/// Contacts of 60 nodes in three groups, one per day from 2020-01-01, as `from,to,day`; one node per month appears.
fn contacts() -> Vec<String> {
    let mut rows = Vec::new();
    for at in 0..600usize {
        let there = 30 + at / 20;
        let (i, step) = (at * 7 % there, 3 * (1 + at * at % 5));
        let j = (i + step) % there;
        let (month, day) = (1 + at / 28 % 12, 1 + at % 28);
        rows.push(format!("n{i},n{j},{}-{month:02}-{day:02}", 2020 + at / 336));
    }
    rows
}

fn table(rows: &[String]) -> String {
    rows.iter().fold("source,target,day\n".to_string(), |mut text, row| {
        let _ = writeln!(text, "{row}");
        text
    })
}

#[test]
fn a_split_by_time_is_stated_everywhere() {
    let folder = Folder::new();
    let graph = folder.file("log.csv", table(&contacts()));
    let page = folder.path("page.html");
    let output = netinfof(&["act", &graph, "--time", "day", "--json", "-", "--html", &page]);
    assert!(output.status.success(), "{}", stderr(&output));
    let report: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
    let order = &report["splits"][0]["time"];
    assert_eq!(
        (&order["column"], &order["unit"], &order["own"]),
        (&"day".into(), &"date".into(), &false.into())
    );
    assert_eq!(report["graph"]["schema"]["time"]["name"], "day");
    assert_eq!(report["graph"]["times"]["range"][0], "2020-01-01");
    let text = |at: usize, end: usize| order["texts"][at][end].as_str().unwrap();
    assert!(text(0, 1) < text(1, 0) && text(1, 1) < text(2, 0));
    let by_ends = report["splits"][0]["by_ends"].as_array().unwrap();
    assert_eq!(
        by_ends.iter().map(|own| own["edges"].as_u64().unwrap()).sum::<u64>(),
        order["edges"][2].as_u64().unwrap()
    );
    let sentence = format!("training edges from {} to {}", text(0, 0), text(0, 1));
    let html = std::fs::read_to_string(&page).unwrap();
    assert!(html.contains(&sentence) && html.contains("split by time"), "{sentence}");
    let shown = netinfof(&["probe", &graph, "--time", "day"]);
    let words = stdout(&shown).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(&sentence) && words.contains("1 split "), "{words}");
    assert!(words.contains("test edges have an end without a training edge"), "{words}");
    let facts = stdout(&netinfof(&["inspect", &graph, "--time", "day"]));
    assert!(facts.contains("times       `day`: edges begin from 2020-01-01 to"), "{facts}");
    // Without the option the split is random.
    let plain = stdout(&netinfof(&["probe", &graph]));
    assert!(!plain.contains("by time"), "{plain}");
}

#[test]
fn times_do_not_apply_to_nodes_or_other_formats() {
    let folder = Folder::new();
    let graph = folder.file("log.csv", table(&contacts()));
    let output = netinfof(&["probe", &graph, "--time", "day", "--task", "nodes"]);
    assert!(
        stderr(&output).contains("`--time` applies to `--task links`, not to `--task nodes`"),
        "{}",
        stderr(&output)
    );
    let output = netinfof(&["probe", "synth:demo", "--time", "day"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("invalid `time`: day"), "{}", stderr(&output));
    let output = netinfof(&["act", &graph, "--time", "day", "--protocol", "paper"]);
    assert!(stderr(&output).contains("the paper protocol splits at random"), "{}", stderr(&output));
}

#[test]
fn own_splits_are_checked_against_the_times() {
    let folder = Folder::new();
    let mut rows = contacts();
    let graph = folder.file("log.csv", table(&rows));
    // New edges only, in order.
    let mut seen = std::collections::HashSet::new();
    rows.retain(|row| {
        let mut ends: Vec<&str> = row.split(',').take(2).collect();
        ends.sort_unstable();
        seen.insert(ends.join(","))
    });
    let file = |name: &str, rows: &[String]| folder.file(name, table(rows));
    let count = rows.len();
    let (valid_from, test_from) = (count * 7 / 10, count * 8 / 10);
    let valid = file("valid.csv", &rows[valid_from..test_from]);
    let test = file("test.csv", &rows[test_from..count - 1]);
    let check = |train: &str| {
        let args =
            ["check-split", &graph, "--time", "day", "--train", train, "--valid", &valid, "--test", &test];
        let output = netinfof(&args);
        assert_ne!(output.status.code(), Some(2), "{}", stderr(&output));
        stdout(&output)
    };
    let good = check(&file("train.csv", &rows[..valid_from]));
    assert!(!good.contains("training-after-test"), "{good}");
    // The last edge of the log among the training edges.
    let planted = check(&file("planted.csv", &[&rows[..valid_from], &rows[count - 1..]].concat()));
    assert!(
        planted.contains("1 of") && planted.contains("training edges are later than the earliest test edge"),
        "{planted}"
    );
    assert!(planted.contains(" at 20"), "{planted}");
}
