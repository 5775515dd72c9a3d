//! A Chromium without a window, spoken to through its debugging pipe.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

/// Longer than any test takes on a busy machine; a browser that hangs is ended then.
const PATIENCE: Duration = Duration::from_secs(300);

/// The browser of this machine: `$CHROMIUM`, or one of the usual names.
pub(crate) fn found() -> Option<PathBuf> {
    let named = std::env::var_os("CHROMIUM").map(PathBuf::from);
    let usual = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    let all = usual.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    // Some systems have a file of that name that only says how to install the browser.
    let works =
        |path: &PathBuf| Command::new(path).arg("--version").output().is_ok_and(|o| o.status.success());
    named.into_iter().chain(all.filter(|path| path.is_file())).find(works)
}

/// One open page.
pub(crate) struct Page {
    child: Child,
    commands: File,
    answers: BufReader<File>,
    session: Option<String>,
    next: u64,
    events: Vec<Value>,
    done: Arc<AtomicBool>,
}

impl Page {
    /// Starts a browser with an empty page; `folder` takes its files.
    pub(crate) fn start(chromium: &Path, folder: &Path) -> Self {
        let pipes = [folder.join("commands"), folder.join("answers")];
        for pipe in &pipes {
            assert!(Command::new("mkfifo").arg(pipe).status().unwrap().success());
        }
        let mut child = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<\"$COMMANDS\" 4>\"$ANSWERS\""])
            .arg(chromium)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"])
            .args(["--disable-background-networking", "--disable-component-update", "--disable-default-apps"])
            .args(["--hide-scrollbars", "--remote-debugging-pipe"])
            .arg(format!("--user-data-dir={}", folder.join("profile").display()))
            .env("COMMANDS", &pipes[0])
            .env("ANSWERS", &pipes[1])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let done = Arc::new(AtomicBool::new(false));
        let (over, id) = (Arc::clone(&done), child.id());
        std::thread::spawn(move || {
            std::thread::sleep(PATIENCE);
            if !over.load(Ordering::SeqCst) {
                let _ = Command::new("kill").arg("-9").arg(id.to_string()).status();
            }
        });
        // Each opens when the other side does; a browser that cannot start leaves us with an end of file.
        let commands = match File::options().write(true).open(&pipes[0]) {
            Ok(commands) => commands,
            Err(error) => {
                let _ = child.kill();
                panic!("no way to the browser: {error}");
            }
        };
        let answers = BufReader::new(File::open(&pipes[1]).unwrap());
        let mut page = Page { child, commands, answers, session: None, next: 0, events: Vec::new(), done };
        let target = page.ask("Target.createTarget", json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let session = page.ask("Target.attachToTarget", attach);
        page.session = session["sessionId"].as_str().map(String::from);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            page.ask(&format!("{domain}.enable"), json!({}));
        }
        page
    }

    /// Sends a command and waits for its answer; what happens meanwhile is kept.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let mut command = json!({ "id": self.next, "method": method, "params": params });
        if let Some(session) = &self.session {
            command["sessionId"] = json!(session);
        }
        self.commands.write_all(format!("{command}\0").as_bytes()).unwrap();
        loop {
            let message = self.read();
            if message["id"] == self.next {
                assert!(message["error"].is_null(), "{method}: {}", message["error"]);
                return message["result"].clone();
            }
            self.events.push(message);
        }
    }

    fn read(&mut self) -> Value {
        let mut bytes = Vec::new();
        self.answers.read_until(0, &mut bytes).unwrap();
        assert_eq!(bytes.pop(), Some(0), "the browser ended");
        serde_json::from_slice(&bytes).unwrap()
    }

    /// Opens a file and waits until it is loaded.
    pub(crate) fn open(&mut self, file: &Path) {
        let address = format!("file://{}", file.display()).replace('<', "%3C").replace('>', "%3E");
        self.events.clear();
        self.ask("Page.navigate", json!({ "url": address }));
        let loaded = |event: &Value| event["method"] == "Page.loadEventFired";
        while !self.events.iter().any(loaded) {
            let message = self.read();
            self.events.push(message);
        }
    }

    /// The value of an expression in the page.
    pub(crate) fn value(&mut self, expression: &str) -> Value {
        let asked = json!({ "expression": expression, "returnByValue": true });
        let answer = self.ask("Runtime.evaluate", asked);
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// Everything that was loaded, and everything that was written to the console, since the page was opened.
    pub(crate) fn requests_and_complaints(&mut self) -> (Vec<String>, Vec<String>) {
        // An answer comes after all that happened before it.
        self.value("0");
        let of = |name: &'static str| self.events.iter().filter(move |event| event["method"] == name);
        let requests =
            of("Network.requestWillBeSent").map(|event| event["params"]["request"]["url"].to_string());
        let complaints =
            of("Runtime.consoleAPICalled").chain(of("Runtime.exceptionThrown")).chain(of("Log.entryAdded"));
        (requests.collect(), complaints.map(|event| event["params"].to_string()).collect())
    }

    /// How wide the window is, and light or dark.
    pub(crate) fn look(&mut self, width: u32, scheme: &str) {
        let size = json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false });
        self.ask("Emulation.setDeviceMetricsOverride", size);
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.ask("Emulation.setEmulatedMedia", json!({ "features": features }));
    }

    /// Presses a key.
    pub(crate) fn press(&mut self, key: &str, code: u32) {
        let text = if key == "Enter" { "\r" } else { "" };
        for kind in ["keyDown", "keyUp"] {
            let event =
                json!({ "type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code, "text": text });
            self.ask("Input.dispatchKeyEvent", event);
        }
    }

    /// A picture of the page from its top, as PNG: all of it, or so many pixels.
    pub(crate) fn picture(&mut self, height: Option<u32>) -> Vec<u8> {
        let all = self.value("[document.documentElement.clientWidth, document.documentElement.scrollHeight]");
        let height = height.map_or(all[1].clone(), Value::from);
        let clip = json!({ "x": 0, "y": 0, "width": all[0], "height": height, "scale": 1 });
        let asked = json!({ "format": "png", "captureBeyondViewport": true, "clip": clip });
        let answer = self.ask("Page.captureScreenshot", asked);
        from_base64(answer["data"].as_str().unwrap())
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        self.done.store(true, Ordering::SeqCst);
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn from_base64(text: &str) -> Vec<u8> {
    let digit = |c: u8| match c {
        b'A'..=b'Z' => c - b'A',
        b'a'..=b'z' => c - b'a' + 26,
        b'0'..=b'9' => c - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let digits: Vec<u8> = text.bytes().filter(|&c| c != b'=').map(digit).collect();
    let group = |part: &[u8]| {
        let bits = part.iter().enumerate().fold(0u32, |bits, (at, &d)| bits | u32::from(d) << (18 - 6 * at));
        bits.to_be_bytes()[1..part.len()].to_vec()
    };
    digits.chunks(4).flat_map(group).collect()
}
