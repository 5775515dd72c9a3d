//! `netinfof datasets`: a small server on this machine stands in for the world, and does to the command what the world does.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex};

use super::{Folder, ring, stderr, stdout};
use serde_json::{Value, json};

/// A request: its path, and where its range begins.
#[derive(Clone, Debug, PartialEq)]
struct Request {
    path: String,
    from: Option<usize>,
    /// The version it is to be of.
    version: Option<String>,
}

/// Answers every connection with what `answer` makes of the request and its number, then hangs up.
struct Server {
    address: String,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    fn new(answer: impl Fn(usize, &Request) -> Vec<u8> + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let Some(request) = Server::read(&stream) else { continue };
                let number = {
                    let mut seen = seen.lock().unwrap();
                    seen.push(request.clone());
                    seen.len() - 1
                };
                let _ = (&stream).write_all(&answer(number, &request));
            }
        });
        Server { address, requests }
    }

    fn read(stream: &TcpStream) -> Option<Request> {
        let mut lines = BufReader::new(stream).lines();
        let path = lines.next()?.ok()?.split(' ').nth(1)?.to_string();
        let (mut from, mut version) = (None, None);
        for line in lines {
            let line = line.ok()?.to_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(range) = line.strip_prefix("range: bytes=") {
                from = range.trim_end_matches('-').parse().ok();
            }
            if let Some(tag) = line.strip_prefix("if-range: ") {
                version = Some(tag.to_string());
            }
        }
        Some(Request { path, from, version })
    }

    fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

fn answer(status: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    [format!("HTTP/1.1 {status}\r\nConnection: close\r\n{headers}\r\n").as_bytes(), body].concat()
}

fn whole(body: &[u8]) -> Vec<u8> {
    answer("200 OK", &format!("Content-Length: {}\r\n", body.len()), body)
}

/// The file, or the rest of it where that was asked for.
fn ranged(body: &[u8], from: Option<usize>) -> Vec<u8> {
    let Some(from) = from else { return whole(body) };
    let rest = &body[from..];
    let range = format!("bytes {from}-{}/{}", body.len() - 1, body.len());
    answer(
        "206 Partial Content",
        &format!("Content-Range: {range}\r\nContent-Length: {}\r\n", rest.len()),
        rest,
    )
}

/// All headers and half of the file.
fn half(body: &[u8]) -> Vec<u8> {
    let mut answer = whole(body);
    answer.truncate(answer.len() - body.len() / 2);
    answer
}

/// A cache and a catalogue with one dataset, `tiny`: a ring of 60 nodes and 120 edges as an edge list.
struct World {
    folder: Folder,
    mirror: String,
}

/// The ring, and its sha256, from another implementation.
fn edges() -> Vec<u8> {
    ring(60, ",").into_bytes()
}
const SUM: &str = "595caf941751a8bb90191c81e1b38ba9c2a219298b568b72d955408c49d0a352";

impl World {
    fn new(mirror: &str, file: &Value, open: &str) -> Self {
        let folder = Folder::new();
        let catalogue = json!({ "datasets": [{ "name": "tiny", "nodes": 60, "edges": 120, "open": open, "files": [file] }] });
        folder.file("catalogue.json", catalogue.to_string());
        World { folder, mirror: mirror.into() }
    }

    /// The ring behind this server, with size and checksum.
    fn ring(mirror: &str) -> Self {
        World::new(mirror, &ring_file(Some(edges().len()), Some(SUM)), "edges.csv")
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_netinfof"));
        for proxy in ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"] {
            command.env_remove(proxy);
        }
        command
            .current_dir(&self.folder.0)
            .env("NETINFOF_CACHE", self.folder.path("cache"))
            .env("NETINFOF_CATALOGUE", self.folder.path("catalogue.json"))
            .env("NETINFOF_MIRROR", &self.mirror)
            .args(args);
        command
    }

    fn netinfof(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    fn get(&self) -> Output {
        self.netinfof(&["datasets", "get", "tiny"])
    }

    /// The one line that says why `datasets get tiny` failed; the dataset must not look complete after it.
    fn refused(&self) -> String {
        let output = self.get();
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(output.stdout.is_empty() && !said.contains("panicked"), "{said}");
        let errors: Vec<&str> = said.lines().filter(|line| line.starts_with("error: ")).collect();
        assert_eq!(errors.len(), 1, "{said}");
        self.is_not_here();
        errors[0].to_string()
    }

    fn is_not_here(&self) {
        let output = self.netinfof(&["inspect", "tiny"]);
        assert_eq!(output.status.code(), Some(1));
        let said = stderr(&output);
        assert!(
            said.contains("tiny: not downloaded yet") && said.contains("`netinfof datasets get tiny`"),
            "{said}"
        );
        assert_eq!(self.listed()["cached"], false);
    }

    fn is_here(&self) {
        let output = self.netinfof(&["inspect", "Tiny", "--json", "-"]);
        assert!(output.status.success(), "{}", stderr(&output));
        let value: Value = serde_json::from_str(&stdout(&output)).unwrap();
        assert_eq!(
            (value["graph"]["nodes"].as_u64(), value["graph"]["edges"].as_u64()),
            (Some(60), Some(120))
        );
        assert_eq!(value["graph"]["name"], "tiny");
        assert_eq!(self.listed()["cached"], true);
    }

    fn listed(&self) -> Value {
        let output = self.netinfof(&["datasets", "--json", "-"]);
        assert!(output.status.success(), "{}", stderr(&output));
        let mut value: Value = serde_json::from_str(&stdout(&output)).unwrap();
        let datasets = value["datasets"].as_array_mut().unwrap();
        datasets.iter_mut().find(|dataset| dataset["name"] == "tiny").unwrap().take()
    }

    fn cached(&self, name: &str) -> PathBuf {
        self.folder.0.join("cache/tiny").join(name)
    }

    /// Everything under the dataset's folder, by name.
    fn names(&self) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(self.cached("")) else { return Vec::new() };
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn ring_file(bytes: Option<usize>, sha256: Option<&str>) -> Value {
    json!({ "address": "https://data.example.org/a/edges.csv", "path": "edges.csv", "bytes": bytes, "sha256": sha256 })
}

fn request(from: Option<usize>) -> Request {
    Request { path: "/a/edges.csv".into(), from, version: None }
}

#[test]
fn a_dataset_is_downloaded_once_and_stands_for_its_graph() {
    let server = Server::new(|_, request| ranged(&edges(), request.from));
    let world = World::ring(&server.address);
    world.is_not_here();
    let output = world.get();
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(stdout(&output).trim_end(), format!("tiny: {}", world.cached("edges.csv").display()));
    assert_eq!(world.names(), ["edges.csv"]);
    world.is_here();
    assert!(world.get().status.success());
    assert_eq!(server.requests(), [request(None)], "the second time nothing is asked for");
    let output = world.netinfof(&["convert", "tiny", "out.npz", "--quiet"]);
    assert!(output.status.success(), "{}", stderr(&output));
    // A file of that name comes first.
    world.folder.file("tiny", ring(70, ","));
    assert!(stdout(&world.netinfof(&["inspect", "tiny"])).contains("nodes       70"));
}

#[test]
fn a_download_that_broke_off_goes_on_where_it_was() {
    // Half of the file, then hang-ups; a second run finds a sound server.
    let server = Server::new(|number, request| match number {
        0 => half(&edges()),
        1..=3 => Vec::new(),
        _ => ranged(&edges(), request.from),
    });
    let world = World::ring(&server.address);
    let line = world.refused();
    let here = edges().len() - edges().len() / 2;
    assert!(line.contains(&format!("interrupted after {here} of {} bytes", edges().len())), "{line}");
    assert!(line.contains("again") && line.contains(&server.address), "{line}");
    assert_eq!(world.names(), ["edges.csv.part"]);
    let output = world.get();
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(server.requests()[4..], [request(Some(here))], "the rest alone is asked for");
    assert_eq!(
        (world.names(), std::fs::read(world.cached("edges.csv")).unwrap()),
        (vec!["edges.csv".into()], edges())
    );
    world.is_here();
}

/// Nothing is known of the file, and it is another one the second time: the halves of two are never joined.
#[test]
fn a_file_that_changed_meanwhile_is_sent_anew() {
    let server = Server::new(|number, request| match number {
        0 => {
            let old = vec![b'x'; 400];
            let mut answer = answer("200 OK", "ETag: \"one\"\r\nContent-Length: 400\r\n", &old);
            answer.truncate(answer.len() - 200);
            answer
        }
        1..=3 => Vec::new(),
        _ if request.version.as_deref() == Some("\"one\"") => whole(&edges()),
        _ => ranged(&edges(), request.from),
    });
    let world = World::new(&server.address, &ring_file(None, None), "edges.csv");
    world.refused();
    assert!(world.get().status.success());
    let last = server.requests().pop().unwrap();
    assert_eq!((last.from, last.version.as_deref()), (Some(200), Some("\"one\"")));
    assert_eq!(world.names(), ["edges.csv"]);
    world.is_here();
}

#[test]
fn faults_that_pass_are_sat_out() {
    let server = Server::new(|number, request| match number {
        0 => answer("503 Service Unavailable", "Content-Length: 0\r\n", b""),
        1 => half(&edges()),
        _ => ranged(&edges(), request.from),
    });
    let world = World::ring(&server.address);
    assert!(world.get().status.success());
    let here = edges().len() - edges().len() / 2;
    assert_eq!(server.requests(), [request(None), request(None), request(Some(here))]);
    world.is_here();
}

#[test]
fn a_server_without_ranges_sends_all_of_it_again() {
    let server = Server::new(|_, _| whole(&edges()));
    let world = World::ring(&server.address);
    std::fs::create_dir_all(world.cached("")).unwrap();
    std::fs::write(world.cached("edges.csv.part"), b"something else").unwrap();
    assert!(world.get().status.success());
    assert_eq!(server.requests(), [request(Some(14))]);
    assert_eq!(std::fs::read(world.cached("edges.csv")).unwrap(), edges());
}

#[test]
fn a_server_that_sends_another_part_is_not_believed() {
    let server = Server::new(|number, request| match number {
        0 => ranged(&edges(), request.from.map(|from| from + 1)),
        _ => ranged(&edges(), request.from),
    });
    let world = World::new(&server.address, &ring_file(None, None), "edges.csv");
    std::fs::create_dir_all(world.cached("")).unwrap();
    std::fs::write(world.cached("edges.csv.part"), &edges()[..20]).unwrap();
    assert!(world.get().status.success());
    assert_eq!(server.requests(), [request(Some(20)), request(None)]);
    assert_eq!(std::fs::read(world.cached("edges.csv")).unwrap(), edges());
}

#[test]
fn a_truncated_file_is_kept_as_a_part() {
    // No size in the catalogue: the server's word counts.
    let server = Server::new(|_, _| half(&edges()));
    let world = World::new(&server.address, &ring_file(None, None), "edges.csv");
    let line = world.refused();
    assert!(line.contains("interrupted after") && line.contains("again"), "{line}");
    assert_eq!(world.names(), ["edges.csv.part"]);
    // No size from the server: the catalogue's counts.
    let server = Server::new(|_, _| answer("200 OK", "", &edges()[..100]));
    let world = World::ring(&server.address);
    let line = world.refused();
    assert!(
        line.contains(&format!("after 100 of {} bytes (the transfer ended early)", edges().len())),
        "{line}"
    );
    assert_eq!(world.names(), ["edges.csv.part"]);
}

#[test]
fn a_complete_part_of_unknown_size_is_taken() {
    let server = Server::new(|_, _| {
        let range = format!("Content-Range: bytes */{}\r\nContent-Length: 0\r\n", edges().len());
        answer("416 Range Not Satisfiable", &range, b"")
    });
    let world = World::new(&server.address, &ring_file(None, Some(SUM)), "edges.csv");
    std::fs::create_dir_all(world.cached("")).unwrap();
    std::fs::write(world.cached("edges.csv.part"), edges()).unwrap();
    assert!(world.get().status.success());
    world.is_here();
}

#[test]
fn a_wrong_checksum_leaves_nothing() {
    let wrong = [&edges()[1..], b"\n"].concat();
    let sent = wrong.clone();
    let server = Server::new(move |_, _| whole(&sent));
    let world = World::ring(&server.address);
    let line = world.refused();
    assert!(
        line.contains("wrong checksum") && line.contains(SUM) && line.contains(&server.address),
        "{line}"
    );
    assert!(line.contains("found ") && line.contains("removed"), "{line}");
    assert!(world.names().is_empty(), "{:?}", world.names());
    // The same by hand: found out, and downloaded instead.
    std::fs::write(world.cached("edges.csv"), wrong).unwrap();
    let server = Server::new(|_, _| whole(&edges()));
    let world = World { mirror: server.address.clone(), ..world };
    let output = world.get();
    assert!(output.status.success() && stderr(&output).contains("wrong checksum"), "{}", stderr(&output));
    world.is_here();
}

#[test]
fn no_more_is_written_than_was_expected() {
    let server = Server::new(|number, _| match number {
        0 => whole(&[b'1'; 5000]),
        _ => answer("200 OK", "", &[b'1'; 5000]),
    });
    let world = World::ring(&server.address);
    let line = world.refused();
    assert!(line.contains("the server offers 5000") && line.contains(&edges().len().to_string()), "{line}");
    let line = world.refused();
    assert!(line.contains(&format!("sent more than {} bytes", edges().len())), "{line}");
    assert!(world.names().is_empty(), "{:?}", world.names());
}

#[test]
fn a_file_that_is_not_there_is_said_at_once() {
    let server = Server::new(|_, _| answer("404 Not Found", "Content-Length: 4\r\n", b"gone"));
    let world = World::ring(&server.address);
    let line = world.refused();
    assert!(line.contains("404") && line.contains(&format!("{}/a/edges.csv", server.address)), "{line}");
    assert_eq!(server.requests().len(), 1, "a second try would not help");
    assert!(world.names().is_empty());
}

#[test]
fn without_a_network_the_address_and_a_way_out_are_said() {
    // Bound and let go: nobody listens there.
    let address = format!("http://{}", TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap());
    let world = World::ring(&address);
    let line = world.refused();
    assert!(line.contains(&format!("{address}/a/edges.csv")), "{line}");
    let place = world.cached("edges.csv");
    assert!(line.contains("by hand") && line.contains(place.to_str().unwrap()), "{line}");
    // The way out.
    std::fs::write(place, edges()).unwrap();
    assert!(world.get().status.success());
    world.is_here();
}

#[cfg(unix)]
#[test]
fn an_interrupted_download_keeps_its_part_and_looks_unfinished() {
    // All headers and half of the file, then silence with the line open.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let world = World::ring(&format!("http://{}", listener.local_addr().unwrap()));
    let mut child = world.command(&["datasets", "get", "tiny"]).stderr(Stdio::null()).spawn().unwrap();
    let (mut stream, _) = listener.accept().unwrap();
    Server::read(&stream).unwrap();
    stream.write_all(&half(&edges())).unwrap();
    let begun = std::time::Instant::now();
    while std::fs::metadata(world.cached("edges.csv.part")).map_or(0, |part| part.len()) == 0 {
        assert!(begun.elapsed().as_secs() < 20, "the part never grew");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    std::thread::sleep(std::time::Duration::from_millis(200));
    // The next byte wakes it; it looks up and stops.
    let told = std::time::Instant::now();
    let _ = stream.write_all(b"1");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(told.elapsed().as_secs() < 15, "it waited for the line to time out");
    assert_eq!(world.names(), ["edges.csv.part"]);
    world.is_not_here();
}

fn zipped(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, content) in entries {
        zip.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn zip_world(archive: Vec<u8>) -> (Server, World) {
    let server = Server::new(move |_, request| ranged(&archive, request.from));
    let file = json!({ "address": "https://data.example.org/tiny.zip", "path": "inner", "unpack": true });
    let world = World::new(&server.address, &file, "inner");
    (server, world)
}

#[test]
fn an_archive_becomes_a_folder() {
    let gz = |text: &str| {
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gz.write_all(text.as_bytes()).unwrap();
        gz.finish().unwrap()
    };
    let archive = zipped(&[
        ("ddi/raw/edge.csv.gz", &gz(&ring(60, ","))),
        ("ddi/raw/num-node-list.csv.gz", &gz("60\n")),
        ("__MACOSX/ddi/._raw", b"junk"),
    ]);
    let (server, world) = zip_world(archive);
    let output = world.get();
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(world.names(), ["inner"], "the archive itself is not kept");
    world.is_here();
    assert!(world.get().status.success());
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn archives_that_reach_outside_are_refused() {
    for evil in ["../evil", "ok/../../evil", "/tmp/netinfof-evil", "..\\evil"] {
        let (_server, world) = zip_world(zipped(&[("ddi/raw/fine", b"1"), (evil, b"1")]));
        let line = world.refused();
        assert!(line.contains("outside its folder") && line.contains("evil"), "{line}");
        assert!(world.names().is_empty(), "{:?}", world.names());
        assert!(!world.folder.0.join("cache/evil").exists() && !world.folder.0.join("evil").exists());
    }
}

#[test]
fn archives_that_swell_or_are_none_are_refused() {
    let (_server, world) = zip_world(zipped(&[("zeros", &vec![0; 64 << 20])]));
    let line = world.refused();
    assert!(line.contains("unpacked size is more than"), "{line}");
    assert!(world.names().is_empty(), "{:?}", world.names());
    let (_server, world) = zip_world(b"<html>please log in</html>".to_vec());
    let line = world.refused();
    assert!(line.contains("not a readable zip"), "{line}");
    assert!(world.names().is_empty(), "{:?}", world.names());
}

#[test]
fn unknown_names_are_answered_with_near_ones() {
    let world = World::ring("http://127.0.0.1:9");
    let said = |name: &str| {
        let output = world.netinfof(&["datasets", "get", "tiny", name]);
        assert_eq!(output.status.code(), Some(1));
        stderr(&output)
    };
    assert!(said("coar").contains("coar (need the name of a dataset, such as cora)"), "{}", said("coar"));
    assert!(said("ogbn").contains("such as ogbn-arxiv or ogbn-products"), "{}", said("ogbn"));
    assert!(said("zzzzzzzz").contains("one of tiny, cora, citeseer"), "{}", said("zzzzzzzz"));
    assert!(world.names().is_empty(), "nothing is begun");
    // A word that is no dataset is a file that is missing, as ever.
    let output = world.netinfof(&["inspect", "coar"]);
    assert!(stderr(&output).contains("coar: no such file"), "{}", stderr(&output));
}

#[test]
fn the_list_has_every_graph_of_the_paper() {
    let world = World::ring("http://127.0.0.1:9");
    let text = stdout(&world.netinfof(&["datasets"]));
    for name in [
        "tiny",
        "cora",
        "citeseer",
        "pubmed",
        "computers",
        "photo",
        "ogbn-arxiv",
        "ogbn-products",
        "chameleon",
        "squirrel",
        "actor",
        "twitch",
        "pokec",
        "ogbl-ddi",
        "ogbl-collab",
        "ogbl-ppa",
    ] {
        assert!(text.lines().any(|line| line.starts_with(&format!("{name} "))), "{name}: {text}");
    }
    assert!(text.contains("not stated") && text.contains(&world.folder.path("cache")), "{text}");
    let tiny = world.listed();
    assert_eq!(
        (&tiny["files"][0]["sha256"], tiny["bytes"].as_u64()),
        (&json!(SUM), Some(edges().len() as u64))
    );
    assert!(tiny["licence"].is_null());
    let output = world.netinfof(&["datasets", "--json", "list.json"]);
    assert!(output.status.success() && world.folder.0.join("list.json").is_file());
}

#[test]
fn catalogues_and_mirrors_that_make_no_sense_are_refused() {
    let world = World::ring("nonsense");
    let output = world.get();
    assert!(output.status.code() == Some(1) && stderr(&output).contains("`NETINFOF_MIRROR`: nonsense"));
    for (text, word) in [
        ("{", "catalogue.json: EOF"),
        (r#"{"datasets": [{"name": "../x", "open": ".", "files": []}]}"#, "dataset `../x`"),
        (r#"{"datasets": [{"name": "x", "opne": "."}]}"#, "unknown field `opne`"),
    ] {
        world.folder.file("catalogue.json", text);
        let output = world.netinfof(&["datasets"]);
        let said = stderr(&output);
        assert!(output.status.code() == Some(1) && said.contains(word), "{said}");
    }
}
