//! Edges of other relations through the command: which nodes a file holds, what is refused, and where it is said.

use std::fmt::Write as _;

use super::{Folder, netinfof, stderr, well};

/// Users and items whose ids collide; every user rates items of two brands.
fn shop(folder: &Folder) -> [String; 2] {
    let mut state = 7u64;
    let mut below = move |most: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % most
    };
    let brands: Vec<u64> = (0..120).map(|_| below(10)).collect();
    let mut ratings = String::from("user,item\n");
    for user in 0..200 {
        let likes = [below(10), below(10)];
        for _ in 0..40 {
            let item = below(120);
            if likes.contains(&brands[item as usize]) {
                let _ = writeln!(ratings, "{user},{item}");
            }
        }
    }
    let mut made = String::from("item_id,brand\n");
    for (item, brand) in brands.iter().enumerate() {
        let _ = writeln!(made, "{item},{brand}");
    }
    // An item that nobody rated.
    made.push_str("999,3\n");
    [folder.file("ratings.csv", ratings), folder.file("made.csv", made)]
}

fn fault(args: &[&str]) -> String {
    let output = netinfof(args);
    assert_eq!(output.status.code(), Some(1), "{args:?}");
    stderr(&output)
}

#[test]
fn context_is_read_by_the_names_of_its_columns_and_said_everywhere() {
    let folder = Folder::new();
    let [ratings, made] = shop(&folder);
    let (text, notes) = well(&["inspect", &ratings, "--context", &made]);
    assert!(text.contains("121 edges of 1 other relation (made: 121), not predicted"), "{text}");
    assert!(text.contains("11 nodes that only the context has"), "{text}");
    assert!(notes.contains("1 of 121 ids in column `item`"), "{notes}");
    let page = folder.path("page.html");
    let save = folder.path("shop.model");
    let (json, _) = well(&[
        "act",
        &ratings,
        "--context",
        &made,
        "--splits",
        "1",
        "--json",
        "-",
        "-q",
        "--html",
        &page,
        "--save",
        &save,
    ]);
    let found: serde_json::Value = serde_json::from_str(&json).unwrap();
    let context = &found["graph"]["context"];
    assert_eq!((&context["edges"], &context["nodes"]), (&121.into(), &11.into()));
    assert_eq!(context["relations"][0]["name"], "made");
    assert!(std::fs::read_to_string(&page).unwrap().contains("context edges"));
    let (text, _) = well(&["probe", &ratings, "--context", &made, "--splits", "1"]);
    assert!(text.contains("with 121 edges of context"), "{text}");
    // Recommendations are items; the model holds the context.
    let (text, _) = well(&["recommend", &save, "--node", "user:5", "--k", "3", "-q"]);
    assert_eq!(text.matches("item:").count(), 3, "{text}");
    let newer = fault(&["recommend", &save, "--node", "user:5", "--k", "3", "--graph", &ratings]);
    assert!(newer.contains("its own graph only"), "{newer}");
}

#[test]
fn wrong_context_is_refused_with_the_reason() {
    let folder = Folder::new();
    let [ratings, made] = shop(&folder);
    let bare = folder.file("bare.csv", "3,5\n4,6\n");
    let said = fault(&["inspect", &ratings, "--context", &bare]);
    assert!(said.contains("no names of columns") && said.contains("item,brand"), "{said}");
    let other = folder.file("other.csv", "film,studio\n1,2\n3,4\n");
    let said = fault(&["inspect", &ratings, "--context", &other]);
    assert!(said.contains("`film` or `studio`") && said.contains("`user` or `item`"), "{said}");
    for (option, value) in [("--directed", None), ("--time", Some("item"))] {
        let args: Vec<&str> = [option].into_iter().chain(value).collect();
        let said = fault(&[&["inspect", &ratings, "--context", &made][..], &args].concat());
        assert!(said.contains("context"), "{said}");
    }
    let said = stderr(&netinfof(&["probe", &ratings, "--context", &made, "--task", "nodes"]));
    assert!(said.contains("`--context` applies to `--task links`"), "{said}");
    let said = fault(&["convert", &ratings, &folder.path("out.npz"), "--context", &made]);
    assert!(said.contains("formats hold one relation"), "{said}");
    // The ratings themselves, turned round.
    let turned = std::fs::read_to_string(&ratings).unwrap();
    let turned: String = turned
        .lines()
        .filter_map(|line| line.split_once(','))
        .fold(String::new(), |text, (a, b)| text + b + "," + a + "\n");
    let turned = folder.file("turned.csv", turned);
    let (_, notes) = well(&["inspect", &ratings, "--context", &turned]);
    assert!(notes.contains("`turned` is left out"), "{notes}");
    // A graph of one kind of nodes: unknown ids are faults, unless a header says that they are of another type.
    let edges = folder.file("edges.csv", "source,target\na,b\nb,c\nc,d\na,c\n");
    let topics = folder.file("topics.csv", "source,topic\na,x\nb,x\nd,a\n");
    let (text, _) = well(&["inspect", &edges, "--context", &topics]);
    assert!(text.contains("3 edges of 1 other relation") && text.contains("2 nodes that only"), "{text}");
    let same = folder.file("same.csv", "a,d\nb,zz\n");
    let said = fault(&["inspect", &edges, "--context", &same]);
    assert!(said.contains("same.csv:2: `zz` is not a node"), "{said}");
}
