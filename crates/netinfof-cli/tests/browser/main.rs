//! The page in a real browser: opened from disk, nothing loaded, nothing complained about, its numbers those of the JSON.
//!
//! Needs Chromium; without it the tests say so and pass. `NETINFOF_PICTURES=docs/pictures` refreshes the README's pictures, which need
//! the graphs of `NETINFOF_DATA` too. `NETINFOF_SITE=target/site` follows the links of the documentation.

mod chromium;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use chromium::Page;
use serde_json::Value;

/// A folder for one test's files, emptied first.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn browser(test: &str) -> Option<PathBuf> {
    let found = chromium::found();
    if found.is_none() {
        // Past the test harness, which would swallow it.
        let line = format!("skipped {test}: no Chromium here; ./scripts/check installs it where it can\n");
        std::io::stderr().write_all(line.as_bytes()).unwrap();
    }
    found
}

/// Runs the command and gives its JSON; the page stands in the file.
fn run(args: &[&str], html: &Path) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_netinfof"))
        .args(args)
        .args(["--quiet", "--json", "-", "--html"])
        .arg(html)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// All numbers of a table on the page: row, key, number behind the cell, text of the cell.
fn cells(page: &mut Page, table: &str) -> Vec<(String, String, f64, String)> {
    let found = page.value(&format!(
        "[...document.querySelectorAll('#{table} td[data-v]')].map(c => [c.parentNode.dataset.row, c.dataset.key, Number(c.dataset.v), c.textContent])"
    ));
    let text = |value: &Value| value.as_str().unwrap().to_string();
    let cells = found.as_array().unwrap().iter();
    cells.map(|c| (text(&c[0]), text(&c[1]), c[2].as_f64().unwrap(), text(&c[3]))).collect()
}

/// What a cell should show of a number: as many digits as it does show.
fn rounded(value: f64, shown: &str) -> String {
    let digits = shown.split_once('.').map_or(0, |(_, after)| after.len());
    let shown = format!("{value:.digits$}");
    if shown.contains(|c| ('1'..='9').contains(&c)) { shown } else { shown.replace('-', "") }
}

/// Opens the page, and checks everything that holds for every page.
fn check(page: &mut Page, file: &Path, json: &Value) {
    page.look(1280, "light");
    page.open(file);
    let (requests, complaints) = page.requests_and_complaints();
    assert_eq!((requests.len(), complaints), (1, vec![]), "only the page itself is loaded: {requests:?}");
    let text = |page: &mut Page, of: &str| page.value(&format!("document.querySelector('{of}').textContent"));
    assert_eq!(text(page, "h1"), json["graph"]["name"]);
    let plain = |value: &Value| value.as_str().unwrap().replace('`', "");
    assert_eq!(text(page, "#reason"), plain(&json["verdict"]["reason"]));
    assert_eq!(text(page, "#next"), format!("Next. {}", plain(&json["verdict"]["next"])));
    assert_eq!(text(page, "#command"), json["command"]);
    // What is folded is there, and a link opens it.
    let open =
        |page: &mut Page, of: &str| page.value(&format!("document.querySelector('{of} > details').open"));
    assert_eq!(open(page, "#components"), false);
    page.value("document.querySelector('nav a[href=\"#components\"]').click()");
    std::thread::sleep(std::time::Duration::from_millis(200));
    assert_eq!(open(page, "#components"), true);
    page.value("document.querySelectorAll('details').forEach(d => { d.open = true; })");

    let found = cells(page, "component-table");
    let components = json["components"].as_object().unwrap();
    let matched = components.values().filter(|c| c.get("beyond_degree").is_some()).count();
    assert_eq!(found.len(), 11 * components.len() + matched);
    for (row, key, value, shown) in &found {
        let path = format!("/{}", key.replace('.', "/"));
        let of_split = &json["splits"][0]["components"][row];
        let own = &json["components"][row];
        let wanted = if own.pointer(&path).is_some() { own } else { of_split }.pointer(&path).unwrap();
        if let Some([low, high]) = wanted.as_array().map(Vec::as_slice) {
            let [low, high] = [low, high].map(|v| v.as_f64().unwrap());
            assert_eq!(
                (value, shown.as_str()),
                (&low, format!("{} – {}", rounded(low, "0.000"), rounded(high, "0.000")).as_str()),
                "{row} {key}"
            );
        } else {
            let wanted = wanted.as_f64().unwrap();
            assert_eq!((value, shown), (&wanted, &rounded(wanted, shown)), "{row} {key}");
        }
    }
    for (row, key, value, shown) in cells(page, "fact-table") {
        let wanted = match key.as_str() {
            "repeats" => json["splits"][0]["repeats"].as_f64(),
            "isolated_share" => {
                json["graph"]["isolated"].as_f64().map(|v| v / json["graph"]["nodes"].as_f64().unwrap())
            }
            key => json["graph"].pointer(&format!("/{}", key.replace('.', "/"))).and_then(Value::as_f64),
        };
        assert_eq!((Some(value), shown.clone()), (wanted, rounded(value, &shown)), "{row}");
    }
    for (row, key, value, shown) in cells(page, "metric-table") {
        let wanted = match key.as_str() {
            "test" => &json["mean"]["test"][&row],
            "std" => &json["std"]["test"][&row],
            "no_information" => &json["mean"]["no_information"][&row],
            _ => &json["splits"][0]["valid"][&row],
        };
        assert_eq!((Some(value), shown.clone()), (wanted.as_f64(), rounded(value, &shown)), "{row} {key}");
    }

    // Every figure has words; every id stands once; nothing is wider than the window, not even a small one.
    let silent = "[...document.querySelectorAll('svg')].filter(s => !s.querySelector('title')?.textContent || !s.querySelector('desc')?.textContent || s.getAttribute('role') !== 'img').length";
    assert_eq!(page.value(silent), 0);
    let ids =
        "(ids => ids.length - new Set(ids).size)([...document.querySelectorAll('[id]')].map(e => e.id))";
    assert_eq!(page.value(ids), 0);
    for width in [1280, 390] {
        page.look(width, "light");
        let wide = page.value("document.documentElement.scrollWidth - document.documentElement.clientWidth");
        assert_eq!(wide, 0, "at {width} pixels");
    }
    page.look(1280, "light");
}

/// Sorts by the second column, with the mouse and by keyboard.
fn check_sorting(page: &mut Page, json: &Value) {
    let scores =
        || json["components"].as_object().unwrap().values().map(|c| c["corrected"].as_f64().unwrap());
    let shown = |page: &mut Page| -> Vec<f64> {
        let values = page.value("[...document.querySelectorAll('#component-table td[data-key=corrected]')].map(c => Number(c.dataset.v))");
        values.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
    };
    let mut sorted: Vec<f64> = scores().collect();
    assert_eq!(shown(page), sorted);
    sorted.sort_by(|a, b| b.total_cmp(a));
    let button = "document.querySelector('#component-table th:nth-child(2) button')";
    page.value(&format!("{button}.click()"));
    assert_eq!(shown(page), sorted);
    assert_eq!(page.value(&format!("{button}.parentNode.getAttribute('aria-sort')")), "descending");
    page.value(&format!("{button}.focus()"));
    page.press("Enter", 13);
    sorted.reverse();
    assert_eq!(shown(page), sorted);
    assert_eq!(page.value(&format!("{button}.parentNode.getAttribute('aria-sort')")), "ascending");
}

/// The relative luminance of a CSS colour, for contrast.
const CONTRAST: &str = "(() => {
  const light = c => { const [r, g, b] = c.match(/[\\d.]+/g).map(Number).map(v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b; };
  const ratio = (a, b) => (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
  const ground = light(getComputedStyle(document.body).backgroundColor);
  return Math.min(...['h1', '#reason', '.note', 'nav a', 'caption', 'td', 'figcaption']
    .map(s => document.querySelector(s)).filter(e => e).map(e => ratio(light(getComputedStyle(e).color), ground)));
})()";

#[test]
fn links_page() {
    let Some(chromium) = browser("links_page") else { return };
    let folder = folder("links");
    // A name that would run, were it not text.
    let edges: String = (0..300u32)
        .flat_map(|i| [1, 2, 7].map(|step| format!("{i},{}\n", (i * step + step) % 300)))
        .collect();
    let graph = folder.join("<script>document.title='ran'<img src=x onerror=alert(1)>.csv");
    std::fs::write(&graph, edges).unwrap();
    let html = folder.join("page.html");
    let json = run(&["act", graph.to_str().unwrap(), "--splits", "2", "--dim", "16"], &html);
    let mut page = Page::start(&chromium, &folder);
    check(&mut page, &html, &json);
    assert_ne!(page.value("document.title"), "ran");
    assert_eq!(page.value("document.images.length"), 0);
    check_sorting(&mut page, &json);

    // Pictures of what the JSON holds: bars, differences, histograms, matrices, weights, two curves, degrees.
    for id in ["scores", "differences", "histogram-U", "compat-U", "weights", "roc", "pr", "degrees"] {
        assert_eq!(
            page.value(&format!("!!document.getElementById('{id}-t')")),
            id != "differences" || !json["comparisons"].as_array().unwrap().is_empty(),
            "{id}"
        );
    }
    for scheme in ["light", "dark"] {
        page.look(1280, scheme);
        assert!(page.value(CONTRAST).as_f64().unwrap() >= 4.5, "{scheme}: {}", page.value(CONTRAST));
    }
    // Readable without its script too: all tables are there.
    page.ask("Emulation.setScriptExecutionDisabled", serde_json::json!({ "value": true }));
    page.open(&html);
    assert_eq!(
        page.value("document.querySelectorAll('#component-table tbody tr').length"),
        json["components"].as_object().unwrap().len()
    );
    let picture = page.picture(None);
    assert!(picture.starts_with(b"\x89PNG") && picture.len() > 20_000);
    std::fs::write(folder.join("page.png"), picture).unwrap();
}

#[test]
fn nodes_page() {
    let Some(chromium) = browser("nodes_page") else { return };
    let folder = folder("nodes");
    let html = folder.join("page.html");
    let json = run(&["act", "synth:demo", "--task", "nodes"], &html);
    let mut page = Page::start(&chromium, &folder);
    check(&mut page, &html, &json);
    check_sorting(&mut page, &json);
    // The tables of clusters and the confusion matrix hold the counts of the JSON, in its order.
    let counts = |page: &mut Page, of: &str| {
        page.value(&format!("[...document.querySelectorAll('{of} td.shade')].map(c => Number(c.dataset.v))"))
    };
    let flat = |table: &Value| {
        Value::from(
            table.as_array().unwrap().iter().flat_map(|r| r.as_array().unwrap().clone()).collect::<Vec<_>>(),
        )
    };
    let split = &json["splits"][0];
    assert_eq!(counts(&mut page, "#act"), flat(&split["confusion"]));
    let all: Vec<Value> = split["components"]
        .as_object()
        .unwrap()
        .values()
        .flat_map(|c| flat(&c["table"]).as_array().unwrap().clone())
        .collect();
    assert_eq!(counts(&mut page, "#clusters"), Value::from(all));
    std::fs::write(folder.join("page.png"), page.picture(None)).unwrap();
}

#[test]
fn pictures_of_the_readme() {
    let Some(target) = std::env::var_os("NETINFOF_PICTURES").map(PathBuf::from) else { return };
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(target);
    let data = PathBuf::from(std::env::var_os("NETINFOF_DATA").expect("pictures need NETINFOF_DATA"));
    let chromium = browser("pictures_of_the_readme").expect("pictures need Chromium");
    std::fs::create_dir_all(&target).unwrap();
    for (name, command, graph, task, scheme) in [
        ("chameleon-links", "probe", "chameleon", "links", "light"),
        ("cora-nodes", "act", "cora", "nodes", "dark"),
    ] {
        let folder = folder(name);
        // From inside the folder, so that the command on the page names no machine's paths.
        let (file, html) = (format!("{graph}.npz"), format!("{graph}.html"));
        std::fs::copy(data.join(&file), folder.join(&file)).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_netinfof"))
            .current_dir(&folder)
            .args([command, &file, "--task", task, "--html", &html])
            .output()
            .unwrap();
        assert!(output.status.success());
        let html = folder.join(html);
        let mut page = Page::start(&chromium, &folder);
        page.look(1280, scheme);
        page.open(&html);
        // The whole page, and what one sees first.
        std::fs::write(target.join(format!("{name}.png")), page.picture(None)).unwrap();
        std::fs::write(target.join(format!("{name}-top.png")), page.picture(Some(860))).unwrap();
    }
}

/// All links of the built documentation, as the browser resolves them. `scripts/check site` names its folder.
#[test]
fn site_links() {
    let Some(site) = std::env::var_os("NETINFOF_SITE").map(PathBuf::from) else { return };
    let site = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(site).canonicalize().unwrap();
    let Some(chromium) = browser("site_links") else { return };
    let mut page = Page::start(&chromium, &folder("site"));
    let root = format!("file://{}/", site.display());
    let mut pages = vec!["index.html".to_string()];
    let mut ids: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut links: Vec<[String; 3]> = Vec::new();
    let mut at = 0;
    while at < pages.len() {
        let own = pages[at].clone();
        at += 1;
        page.open(&site.join(&own));
        let (requests, _) = page.requests_and_complaints();
        let away: Vec<&String> =
            requests.iter().filter(|url| !url.contains(&root) && !url.starts_with("\"data:")).collect();
        assert!(away.is_empty(), "{own} loads {away:?}");
        let texts = |value: Value| -> Vec<String> {
            value.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_string()).collect()
        };
        let anchors = page.value("[...document.querySelectorAll('[id]')].map(e => e.id)");
        ids.insert(own.clone(), texts(anchors).into_iter().collect());
        let found = page.value("[...document.querySelectorAll('a[href], img')].map(e => e.href || e.src)");
        for link in texts(found) {
            let Some(inside) = link.strip_prefix(&root) else {
                assert!(!link.starts_with("file:"), "{own} links to {link}, outside the site");
                continue;
            };
            let (file, anchor) = inside.split_once('#').unwrap_or((inside, ""));
            let file = file.split('?').next().unwrap_or(file);
            // Servers answer with the index of a folder.
            let index = format!("{file}index.html");
            let file = if file.is_empty() || file.ends_with('/') { index.as_str() } else { file };
            assert!(site.join(file).is_file(), "{own} links to {inside}, which does not exist");
            if Path::new(file).extension().is_some_and(|ending| ending == "html")
                && !pages.iter().any(|known| known == file)
            {
                pages.push(file.into());
            }
            links.push([own.clone(), file.into(), anchor.into()]);
        }
    }
    for [own, file, anchor] in links.iter().filter(|link| !link[2].is_empty()) {
        assert!(ids[file].contains(anchor), "{own} links to {file}#{anchor}, which has no such place");
    }
    assert!(pages.len() > 20 && links.len() > 500, "{} pages, {} links", pages.len(), links.len());
}
