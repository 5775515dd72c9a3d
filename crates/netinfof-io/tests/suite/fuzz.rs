//! Damaged files: whatever the bytes, a reader gives a graph or an error, and never panics.
//!
//! Sound little files of every format are damaged at random, for 0.3 seconds each; `NETINFOF_FUZZ_SECONDS=600` goes on for longer, and
//! `NETINFOF_FUZZ_ONLY=npz,market` on some. What makes a reader panic is kept under the target folder, and its seed is said: a
//! regression test is then a line away.

use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use netinfof::{Exec, Seed};
use netinfof_io::load::{self, Format, LoadParams, SplitFiles};
use netinfof_io::parquet::{Column, Kind, Writer};

/// Files of a sound graph, and which of them is handed to the reader (none: the folder).
struct Sample {
    name: &'static str,
    files: Vec<(String, Vec<u8>)>,
    open: Option<&'static str>,
}

/// A small generator of its own: the same damage for the same seed, on every machine.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n.max(1)
    }

    /// Damages some bytes: flips, numbers at the edges of what fits, cuts, doubles, other parts of the same file.
    fn damage(&mut self, bytes: &mut Vec<u8>) {
        for _ in 0..=self.below(4) {
            let at = self.below(bytes.len());
            match self.below(8) {
                0 if !bytes.is_empty() => bytes[at] ^= 1 << self.below(8),
                1 if !bytes.is_empty() => bytes[at] = self.below(256) as u8,
                2 => {
                    let edge: [&[u8]; 6] =
                        [&[0xff; 4], &[0xff; 8], &[0, 0, 0, 0x80], &[0; 8], b"-1", b"99999999999999999999"];
                    let edge = edge[self.below(6)];
                    let end = (at + edge.len()).min(bytes.len());
                    bytes.splice(at.min(end)..end, edge.iter().copied());
                }
                3 => bytes.truncate(at),
                4 => {
                    let from = self.below(bytes.len());
                    let part = bytes[from..(from + 1 + self.below(16)).min(bytes.len())].to_vec();
                    bytes.splice(at..at, part);
                }
                5 => {
                    let end = (at + 1 + self.below(16)).min(bytes.len());
                    bytes.drain(at.min(end)..end);
                }
                6 => bytes.extend(std::iter::repeat_n(self.below(256) as u8, self.below(9))),
                _ => {
                    let text: [&[u8]; 6] = [b"nan", b"\n", b",", b"\t", b"1e400", "ü".as_bytes()];
                    bytes.splice(at..at, text[self.below(6)].iter().copied());
                }
            }
        }
    }
}

fn npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

fn zip(entries: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut file = std::io::Cursor::new(Vec::new());
    let mut zip = zip::ZipWriter::new(&mut file);
    for (name, bytes) in entries {
        // Stored, so that damage reaches the arrays and not only the packing.
        let options =
            zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        zip.start_file(*name, options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap();
    file.into_inner()
}

fn ints(values: &[i32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn longs(values: &[i64]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

fn parquet(columns: &[(&str, Kind)], groups: &[Vec<Column>]) -> Vec<u8> {
    let mut table = Writer::new(Vec::new(), columns).unwrap();
    for group in groups {
        table.write(group).unwrap();
    }
    table.finish().unwrap()
}

/// A pickled NumPy array, as Python 2 wrote it.
fn pickled_array(kind: &str, shape: &[u8], data: &[u8]) -> Vec<u8> {
    let mut p = b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85U\x01b\x87R(K\x01".to_vec();
    for &n in shape {
        p.extend([b'K', n]);
    }
    p.push(if shape.len() == 1 { 0x85 } else { 0x86 });
    p.extend(b"cnumpy\ndtype\nU\x02");
    p.extend(kind.as_bytes());
    p.extend(b"K\x00K\x01\x87R(K\x03U\x01<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb\x89T");
    p.extend(u32::try_from(data.len()).unwrap().to_le_bytes());
    p.extend(data);
    p.extend(b"tb");
    p
}

fn pickle(inside: &[u8]) -> Vec<u8> {
    [b"\x80\x02", inside, b"."].concat()
}

fn pickled_csr(rows: u8, cols: u8, indptr: &[i32], indices: &[i32]) -> Vec<u8> {
    let mut p = b"cscipy.sparse.csr\ncsr_matrix\n)\x81}(U\x06_shape".to_vec();
    p.extend([b'K', rows, b'K', cols, 0x86]);
    for (name, data) in [("indptr", indptr), ("indices", indices)] {
        p.extend([b'U', name.len() as u8]);
        p.extend(name.as_bytes());
        p.extend(pickled_array("i4", &[data.len() as u8], &ints(data)));
    }
    p.extend(b"U\x04data");
    p.extend(pickled_array("f4", &[indices.len() as u8], &floats(&vec![1.0; indices.len()])));
    p.extend(b"ub");
    pickle(&p)
}

/// An element of a MATLAB file, padded.
fn element(kind: u32, data: &[u8]) -> Vec<u8> {
    let mut e = [kind.to_le_bytes(), u32::try_from(data.len()).unwrap().to_le_bytes()].concat();
    e.extend(data);
    e.resize(e.len().next_multiple_of(8), 0);
    e
}

fn mat_matrix(class: u32, rows: i32, cols: i32, name: &str, parts: &[(u32, Vec<u8>)]) -> Vec<u8> {
    let mut m = element(6, &ints(&[class as i32, 0]));
    m.extend(element(5, &ints(&[rows, cols])));
    m.extend(element(1, name.as_bytes()));
    for (kind, data) in parts {
        m.extend(element(*kind, data));
    }
    element(14, &m)
}

fn mat(matrices: &[Vec<u8>]) -> Vec<u8> {
    let mut file = format!("{:116}", "MATLAB 5.0 MAT-file").into_bytes();
    file.extend([0; 8]);
    file.extend(b"\x00\x01IM");
    for matrix in matrices {
        file.extend(matrix);
    }
    file
}

fn samples() -> Vec<Sample> {
    let file = |name: &'static str, bytes: Vec<u8>| Sample {
        name,
        files: vec![("graph".into(), bytes)],
        open: Some("graph"),
    };
    let edges = [0, 1, 1, 2, 2, 3, 3, 4, 4, 0];
    let csr = |prefix: &str| -> Vec<(String, Vec<u8>)> {
        let name = |part: &str| format!("{prefix}{part}.npy");
        vec![
            (name("shape"), npy("<i8", "(2,)", &longs(&[5, 5]))),
            (name("indptr"), npy("<i4", "(6,)", &ints(&[0, 1, 2, 3, 4, 5]))),
            (name("indices"), npy("<i4", "(5,)", &ints(&[1, 2, 3, 4, 0]))),
            (name("data"), npy("<f4", "(5,)", &floats(&[1.0; 5]))),
        ]
    };
    let both: Vec<(String, Vec<u8>)> = csr("adj_")
        .into_iter()
        .chain(csr("attr_"))
        .chain([("labels.npy".into(), npy("|i1", "(5,)", &[0, 1, 0, 1, 0]))])
        .collect();
    let both: Vec<(&str, Vec<u8>)> = both.iter().map(|(n, b)| (n.as_str(), b.clone())).collect();
    let torch = {
        let tensor = |p: &mut Vec<u8>, key: u8| {
            p.extend(b"ctorch._utils\n_rebuild_tensor_v2\n((X\x07\x00\x00\x00storagectorch\nLongStorage\nX\x01\x00\x00\x00");
            p.extend([key]);
            p.extend(b"X\x03\x00\x00\x00cpuK\x04tQK\x00K\x02K\x02\x86K\x02K\x01\x86\x89}tR");
        };
        let mut p = b"}(X\x04\x00\x00\x00edge".to_vec();
        tensor(&mut p, b'0');
        p.extend(b"X\x08\x00\x00\x00edge_neg");
        tensor(&mut p, b'1');
        p.extend(b"u");
        zip(&[
            ("archive/data.pkl", pickle(&p)),
            ("archive/data/0", longs(&[0, 1, 2, 3])),
            ("archive/data/1", longs(&[0, 2, 1, 4])),
        ])
    };
    let chained = {
        let dict =
            [&b"}(X\x04\x00\x00\x00edge"[..], &pickled_array("i8", &[2, 2], &longs(&[0, 1, 2, 3])), b"u"]
                .concat();
        [pickle(b"K\x01"), pickle(b"K\x01"), pickle(b"}"), pickle(&dict), pickle(b"]")].concat()
    };
    let dense = |name: &str, rows: i32, cols: i32, values: &[f64]| {
        mat_matrix(6, rows, cols, name, &[(9, values.iter().flat_map(|v| v.to_le_bytes()).collect())])
    };
    let linkx = mat(&[
        dense("edge_index", 2, 5, &edges.map(f64::from)),
        dense("node_feat", 5, 2, &[1.0, 0.0, 2.0, 0.0, 3.0, 0.0, 1.0, 0.0, 1.0, 0.0]),
        dense("label", 1, 5, &[0.0, 1.0, 0.0, 1.0, 0.0]),
    ]);
    let facebook = mat(&[
        mat_matrix(
            5,
            3,
            3,
            "A",
            &[
                (5, ints(&[1, 0, 2, 1])),
                (5, ints(&[0, 1, 3, 4])),
                (9, [1.0f64; 4].iter().flat_map(|v| v.to_le_bytes()).collect()),
            ],
        ),
        dense("local_info", 3, 3, &[1.0, 2.0, 3.0, 1.0, 2.0, 0.0, 5.0, 5.0, 6.0]),
    ]);
    let text = |files: &[(&str, &str)]| {
        files.iter().map(|(n, t)| (n.to_string(), t.as_bytes().to_vec())).collect::<Vec<_>>()
    };
    let packed = |files: &[(&str, &str)]| {
        files.iter().map(|(n, t)| (n.to_string(), gz(t.as_bytes()))).collect::<Vec<_>>()
    };
    let names = |text: &str| Column::Text(text.split(' ').map(Into::into).collect());
    let named = parquet(
        &[("source", Kind::Text), ("weight", Kind::Float), ("target", Kind::Text)],
        &[
            vec![names("a b c"), Column::Float(vec![1.0, 2.0, 0.5]), names("b c d")],
            vec![names("d"), Column::Float(vec![1.0]), names("a")],
        ],
    );
    let numbers = parquet(
        &[("source", Kind::Int), ("target", Kind::Int)],
        &[vec![Column::Int(vec![0, 1, 2, 3]), Column::Int(vec![1, 2, 3, 0])]],
    );
    let nodes = parquet(
        &[("id", Kind::Int), ("label", Kind::Text), ("x", Kind::Float), ("n", Kind::Int)],
        &[vec![
            Column::Int(vec![0, 1, 2, 3]),
            names("a b a b"),
            Column::Float(vec![0.5, 0.25, 0.0, 1.0]),
            Column::Int(vec![1, 0, 0, 2]),
        ]],
    );
    vec![
        file("parquet edges", named),
        file("parquet numbers", numbers.clone()),
        Sample {
            name: "parquet nodes",
            files: vec![("graph".into(), b"0 1\n1 2\n2 3\n".to_vec()), ("nodes".into(), nodes)],
            open: Some("graph"),
        },
        file("edges.zst", zstd::encode_all(&b"# SNAP\n0 1\n1 2\n2 0\n"[..], 1).unwrap()),
        file("edges", b"source,target,weight\na,b,1\nb,\"c,d\",2\n\"c,d\",a,3\n".to_vec()),
        file("edges.gz", gz(b"# SNAP\n0 1\n1 2\n2 0\n")),
        file("market", b"%%MatrixMarket matrix coordinate real general\n% c\n3 3 3\n1 2 0.5\n2 3 1\n3 1 2\n".to_vec()),
        file(
            "npz",
            zip(&[
                ("edge_index.npy", npy("<i4", "(5, 2)", &ints(&edges))),
                ("num_nodes.npy", npy("<i8", "()", &longs(&[6]))),
                ("x.npy", npy("<f4", "(6, 2)", &floats(&[0.5; 12]))),
                ("y.npy", npy("<i8", "(6,)", &longs(&[0, 1, 0, 1, -1, 2]))),
            ]),
        ),
        file("shchur", zip(&both)),
        file(
            "heterophilous",
            zip(&[
                ("edges.npy", npy("<i8", "(5, 2)", &longs(&edges.map(i64::from)))),
                ("node_features.npy", npy("<f4", "(5, 1)", &floats(&[0.5; 5]))),
                ("node_labels.npy", npy("<i8", "(5,)", &longs(&[0, 1, 0, 1, 2]))),
            ]),
        ),
        file("linkx", linkx),
        file("facebook", facebook),
        Sample {
            name: "typed nodes",
            files: text(&[
                ("graph", "a,b\nb,c\nc,a\n"),
                ("nodes", "id;x;member;town;since;price;label\na;0,5;True;Rome;2020-01-01;1,25;u\nb;1,5;no;Bern;2020-02-29T12:00Z;2,5;v\nc;;false;Rome;;7;u\n"),
            ]),
            open: Some("graph"),
        },
        Sample {
            name: "doubtful ids",
            files: text(&[
                ("graph", "0,1\n1,2\n2,3\n3,0\n"),
                ("nodes", "age,rank,x\n30,7,0.5\n30,8,1\n41,9,2\n7,3,2\n"),
            ]),
            open: Some("graph"),
        },
        Sample {
            name: "feature lists",
            files: text(&[
                ("graph", "0,1\n1,2\n2,0\n"),
                ("nodes", "{\"0\": [1, 2], \"2\": [], \"1\": [0, 5, 3]}"),
            ]),
            open: Some("graph"),
        },
        file(
            "node-link",
            b"{\"directed\": true, \"nodes\": [{\"id\": \"a\", \"x\": [1, 2], \"y\": 0}, {\"id\": 7, \"x\": [3, 4]}], \"links\": [{\"source\": \"a\", \"target\": 7, \"w\": 1}]}".to_vec(),
        ),
        file("pairs.json", b"[[0, 1], [1, 2], [2, \"a\"]]".to_vec()),
        file(
            "graphml",
            b"<?xml version='1.0'?><graphml><key id='k' for='node' attr.name='x' attr.type='double'><default>1</default></key><graph edgedefault='directed'><node id='a'><data key='k'>2.5</data></node><node id='b&amp;'/><edge source='a' target='b&amp;'/></graph></graphml>".to_vec(),
        ),
        file(
            "gml",
            b"Creator \"x\"\ngraph [ directed 0\n node [ id 1 label \"a\" x 2.5 ]\n node [ id 2 label \"b\" g [ w 1 ] ]\n edge [ source 1 target 2 value 3 ] ]\n".to_vec(),
        ),
        file("pajek", b"*Vertices 4 2\n1 \"a b\" 0.1\n2 b\n*Arcs\n1 2 1\n*Edges\n2 3\n*Edgeslist\n4 1 3\n".to_vec()),
        file("pajek matrix", b"%c\n*vertices 3\n*Matrix\n0 1 0\n1 0 2\n0 2 0\n".to_vec()),
        file("adjacency matrix", b",a,b,c,d\na,0,1,0,1\nb,1,0,2,0\nc,0,2,0,1\nd,1,0,1,0\n".to_vec()),
        file("neighbours", b"0 1 2 3\n1 0 2\n2 0 1\n3 0\n".to_vec()),
        file("zipped table", zip(&[("edges.csv", b"source,target\na,b\nb,c\n".to_vec())])),
        Sample {
            name: "parquet parts",
            files: vec![("part-0.parquet".into(), numbers.clone()), ("part-1.parquet".into(), numbers.clone())],
            open: Some("part-*.parquet"),
        },
        #[cfg(unix)]
        file("standard input", b"source,target,weight\na,b,1\nb,\"c,d\",2\n\"c,d\",a,3\n".to_vec()),
        file("user lists", b"0 1 2 3\n1 0 2\n2 0 1\n3 0\n".to_vec()),
        file("scipy", zip(&csr("").iter().map(|(name, bytes)| (name.as_str(), bytes.clone())).collect::<Vec<_>>())),
        file(
            "named npz",
            zip(&[
                ("edge_index.npy", npy("<i4", "(5, 2)", &ints(&edges))),
                ("x.npy", npy("<f4", "(5, 1)", &floats(&[0.5; 5]))),
                ("y.npy", npy("<i8", "(5,)", &longs(&[0, 1, 0, 1, 1]))),
                ("class_names.npy", npy("<U1", "(2,)", &ints(&[97, 98]))),
                ("feature_names.npy", npy("<U1", "(1,)", &ints(&[120]))),
            ]),
        ),
        Sample {
            name: "planetoid",
            files: vec![
                ("ind.g.graph".into(), pickle(b"ccollections\ndefaultdict\nc__builtin__\nlist\n\x85R(K\x00](K\x01K\x02eK\x01]K\x00aK\x02](K\x00K\x03eK\x03]K\x02au")),
                ("ind.g.allx".into(), pickled_csr(2, 3, &[0, 1, 2], &[0, 2])),
                ("ind.g.tx".into(), pickled_csr(2, 3, &[0, 1, 3], &[1, 0, 2])),
                ("ind.g.ally".into(), pickle(&pickled_array("i4", &[2, 2], &ints(&[1, 0, 0, 1])))),
                ("ind.g.ty".into(), pickle(&pickled_array("i4", &[2, 2], &ints(&[0, 1, 0, 0])))),
                ("ind.g.test.index".into(), b"3\n2\n".to_vec()),
            ],
            open: Some("ind.g.graph"),
        },
        Sample {
            name: "geom-gcn",
            files: text(&[
                ("out1_graph_edges.txt", "node_id\tnode_id\n0\t1\n1\t2\n2\t0\n"),
                ("out1_node_feature_label.txt", "node_id\tfeature\tlabel\n0\t1,0\t0\n2\t0,1\t1\n1\t1,1\t0\n"),
            ]),
            open: None,
        },
        Sample {
            name: "actor",
            files: text(&[
                ("out1_graph_edges.txt", "node_id\tnode_id\n0\t1\n1\t2\n2\t0\n"),
                ("out1_node_feature_label.txt", "node_id\tfeature(feature_amount:9)\tlabel\n0\t1,9\t0\n2\t3\t1\n1\t5,2\t0\n"),
            ]),
            open: None,
        },
        Sample {
            name: "ogb",
            files: packed(&[
                ("raw/edge.csv.gz", "0,1\n1,2\n2,3\n3,4\n"),
                ("raw/num-node-list.csv.gz", "5\n"),
                ("raw/node-feat.csv.gz", "1,0\n0.5,1\n1,2\n0,0\n1,1\n"),
                ("raw/node-label.csv.gz", "0\n1\nnan\n1\n0\n"),
            ]),
            open: None,
        },
        Sample {
            name: "ogb split",
            files: [
                packed(&[("raw/edge.csv.gz", "0,1\n1,2\n2,3\n3,4\n"), ("raw/num-node-list.csv.gz", "5\n")]),
                vec![("split/time/valid.pt".into(), torch), ("split/time/test.pt".into(), chained)],
            ]
            .concat(),
            open: None,
        },
        Sample {
            name: "own split",
            files: text(&[("graph", "0 1\n1 2\n2 3\n3 4\n4 0\n"), ("train", "0 1\n1 2\n"), ("valid", "2 3 1\n0 2 0\n"), ("test", "3 4 1\n1 3 0\n")]),
            open: Some("graph"),
        },
    ]
}

fn write(folder: &Path, files: &[(String, Vec<u8>)]) {
    for (name, bytes) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
}

/// Everything that reads of these files.
fn read(folder: &Path, sample: &Sample) -> netinfof::Result<()> {
    let exec = Exec::new(1)?;
    let source = sample.open.map_or(folder.to_path_buf(), |file| folder.join(file));
    let nodes = Some(folder.join("nodes")).filter(|nodes| nodes.is_file());
    let mut params = nodes.map_or(LoadParams::default(), |nodes| LoadParams::default().nodes(nodes));
    if sample.name == "user lists" {
        (params.format, params.bipartite) = (Some(Format::Neighbours), Some(true));
    }
    // Standard input is copied like every other stream.
    #[cfg(unix)]
    let (source, _open) = if sample.name == "standard input" {
        let (reader, mut writer) = std::io::pipe().unwrap();
        let bytes = std::fs::read(&source).unwrap();
        std::thread::spawn(move || writer.write_all(&bytes));
        let number = std::os::fd::AsRawFd::as_raw_fd(&reader);
        (PathBuf::from(format!("/dev/fd/{number}")), Some(reader))
    } else {
        (source, None)
    };
    let graph = load::graph(source.to_str().unwrap(), &params, Seed(0), &exec)?;
    assert!(graph.facts().nodes > 0);
    match sample.name {
        "ogb split" => load::link_split(folder, &graph).map(|_| ()),
        "own split" => {
            let files = SplitFiles::new(folder.join("train"), folder.join("valid"), folder.join("test"));
            let _ = load::node_split_files(&files, &graph, &exec);
            load::link_split_files(&files, &graph, &exec).map(|_| ())
        }
        _ => Ok(()),
    }
}

fn fresh(name: &str) -> PathBuf {
    // Of its own process, so that a long hunt and a usual run of the tests can go side by side.
    let own = format!("{}-{}", std::process::id(), name.replace(' ', "-"));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz").join(own);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn sound_samples_are_read() {
    for sample in samples() {
        let folder = fresh(&format!("sound {}", sample.name));
        write(&folder, &sample.files);
        read(&folder, &sample).unwrap_or_else(|error| panic!("{}: {error}", sample.name));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

#[test]
#[allow(clippy::print_stdout, reason = "a long run reports how many files it tried")]
fn damaged_files_never_panic() {
    let seconds: f64 =
        std::env::var("NETINFOF_FUZZ_SECONDS").ok().and_then(|s| s.parse().ok()).unwrap_or(0.3);
    let first: u64 = std::env::var("NETINFOF_FUZZ_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(0);
    let only = std::env::var("NETINFOF_FUZZ_ONLY").unwrap_or_default();
    let meant = |sample: &Sample| only.is_empty() || only.split(',').any(|name| name == sample.name);
    for sample in samples().into_iter().filter(meant) {
        let folder = fresh(sample.name);
        write(&folder, &sample.files);
        let end = Instant::now() + Duration::from_secs_f64(seconds);
        let mut seed = first;
        let mut read_well = 0;
        // A busy machine may try too few files in the time, or too few for one of them to be read.
        while Instant::now() < end || (read_well == 0 || seed - first <= 20) && seed - first < 10_000 {
            let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ sample.name.len() as u64);
            let at = dice.below(sample.files.len());
            let (name, mut bytes) = sample.files[at].clone();
            dice.damage(&mut bytes);
            std::fs::write(folder.join(&name), &bytes).unwrap();
            let outcome = catch_unwind(AssertUnwindSafe(|| read(&folder, &sample)));
            let Ok(result) = outcome else {
                panic!(
                    "{} panicked on {name} with seed {seed}; the files are in {}",
                    sample.name,
                    folder.display()
                );
            };
            read_well += usize::from(result.is_ok());
            std::fs::write(folder.join(&name), &sample.files[at].1).unwrap();
            seed += 1;
        }
        let tried = seed - first;
        assert!(tried > 20 && read_well > 0, "{}: {tried} tries, {read_well} read", sample.name);
        if seconds > 1.0 {
            let line = format!("{}: {tried} damaged files, {read_well} of them still read", sample.name);
            std::io::Write::write_all(&mut std::io::stdout(), (line + "\n").as_bytes()).unwrap();
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

/// What damaged files were found to do before it was mended: ask for memory by what a number claims.
#[test]
fn earlier_findings_stay_mended() {
    let edges = npy("<i4", "(5, 2)", &ints(&[0, 1, 1, 2, 2, 3, 3, 4, 4, 0]));
    let with = |name: &str, bytes: Vec<u8>| zip(&[("edge_index.npy", edges.clone()), (name, bytes)]);
    let market = |sizes: &str| {
        format!("%%MatrixMarket matrix coordinate pattern symmetric\n{sizes}\n2 1\n").into_bytes()
    };
    let labels = npy("<i8", "(5,)", &longs(&[0, 1, 2_000_000_000, 0, 1]));
    for (what, bytes) in [
        ("four billion nodes", with("num_nodes.npy", npy("<i8", "()", &longs(&[4_000_000_000])))),
        ("fewer nodes than none", with("num_nodes.npy", npy("<i8", "()", &longs(&[-1])))),
        ("rows without end", with("x.npy", npy("<f4", "(1000000000000000, 1)", &[]))),
        ("a shape that overflows", with("x.npy", npy("<f4", "(4294967296, 4294967296)", &[]))),
        ("two billion classes", with("y.npy", labels)),
        ("a square of four billion", market("4000000000 4000000000 1")),
        ("entries without end", market("3 3 1000000000000000")),
        ("a matrix of a million in two rows", b"*Vertices 1000000\n*Matrix\n0 1\n1 0\n".to_vec()),
        ("a matrix of more than there are", b"*Vertices 99999999999999\n*matrix\n0 1\n1 0\n".to_vec()),
    ] {
        let folder = fresh(&format!("earlier {}", what.replace(' ', "-")));
        std::fs::write(folder.join("graph"), bytes).unwrap();
        let exec = Exec::new(1).unwrap();
        let source = folder.join("graph");
        let found = load::graph(source.to_str().unwrap(), &LoadParams::default(), Seed(0), &exec);
        assert!(found.is_err(), "{what}");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
