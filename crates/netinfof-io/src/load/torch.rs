//! Tensor files of Torch in the old format (consecutive pickles) and the new format (a zip), read without
//! Torch.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Read as _};
use std::path::Path;

use crate::npz::{Array, is_bomb};
use crate::pickle::{self, Id, Object, Pickle};
use netinfof::graph::{NodeId, Pair};
use netinfof::{Error, Result};

/// Maximum size of a part of a file.
const MAX_BYTES: u64 = 1 << 34;

/// A pickled object with the numbers that tensors refer to.
struct Saved {
    pickle: Pickle,
    storages: HashMap<String, Vec<u8>>,
}

/// Edges and negatives of a link split: `edge` and `edge_neg`, or `source_node`, `target_node` and the first column of
/// `target_node_neg`, which has many negatives for every edge.
pub(super) fn pairs(path: &Path) -> Result<(Vec<Pair>, Vec<Pair>)> {
    let broken = |what: String| Error::Format { path: path.into(), what };
    let saved = open(path).map_err(broken)?;
    // Node numbers of an array with one or with two dimensions, and the length of its rows.
    let part = |key: &str, dimensions: usize| -> Result<Option<(usize, Vec<NodeId>)>> {
        let Some(id) = saved.pickle.entry(saved.pickle.root, key) else { return Ok(None) };
        let array = saved.array(id).ok_or_else(|| broken(format!("`{key}` is not an array of numbers")))?;
        let ids = array.integers().and_then(|values| {
            values.into_iter().map(|v| NodeId::try_from(v).ok()).collect::<Option<Vec<NodeId>>>()
        });
        let width = array.shape.get(1).copied().unwrap_or(1);
        match ids {
            Some(ids) if array.shape.len() == dimensions => Ok(Some((width, ids))),
            _ => {
                let (shape, what) = (&array.shape, if dimensions == 2 { "pairs of " } else { "" });
                Err(broken(format!("`{key}` has shape {shape:?}; {what}node numbers were expected")))
            }
        }
    };
    let paired = |key: &str| -> Result<Option<Vec<Pair>>> {
        match part(key, 2)? {
            Some((2, ids)) => Ok(Some(ids.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect())),
            Some((width, _)) => {
                Err(broken(format!("`{key}` has {width} columns; pairs of nodes were expected")))
            }
            None => Ok(None),
        }
    };
    if let Some(edges) = paired("edge")? {
        return Ok((edges, paired("edge_neg")?.unwrap_or_default()));
    }
    let (Some((_, sources)), Some((_, targets))) = (part("source_node", 1)?, part("target_node", 1)?) else {
        let what = "no `edge`; a dictionary with `edge` and optionally `edge_neg`, or with `source_node` and `target_node`, was expected";
        return Err(broken(what.into()));
    };
    let (width, others) = part("target_node_neg", 2)?.unwrap_or((1, Vec::new()));
    if targets.len() != sources.len() || !others.is_empty() && others.len() != width * sources.len() {
        return Err(broken("sources, targets and negatives have different lengths".into()));
    }
    let join = |other: &[NodeId]| -> Vec<Pair> { sources.iter().zip(other).map(|(&i, &j)| [i, j]).collect() };
    let first: Vec<NodeId> = others.chunks_exact(width.max(1)).map(|own| own[0]).collect();
    Ok((join(&targets), join(&first)))
}

fn open(path: &Path) -> std::result::Result<Saved, String> {
    let bytes = std::fs::read(path).map_err(|e| e.to_string())?;
    if bytes.starts_with(b"PK") { zipped(path) } else { chained(&bytes) }
}

fn zipped(path: &Path) -> std::result::Result<Saved, String> {
    let file = File::open(path).map_err(|e| e.to_string())?;
    let mut zip =
        zip::ZipArchive::new(BufReader::new(file)).map_err(|e| format!("not a readable zip: {e}"))?;
    let names: Vec<String> = zip.file_names().flatten().map(String::from).collect();
    let mut bytes_of = |name: &str| -> std::result::Result<Vec<u8>, String> {
        let entry = zip.by_name(name).map_err(|e| format!("`{name}` cannot be read: {e}"))?;
        if entry.size() > MAX_BYTES || is_bomb(entry.size(), entry.compressed_size()) {
            return Err(format!("`{name}` claims {} bytes", entry.size()));
        }
        let mut bytes = Vec::new();
        entry.take(MAX_BYTES).read_to_end(&mut bytes).map_err(|e| format!("`{name}` is damaged ({e})"))?;
        Ok(bytes)
    };
    let main = names
        .iter()
        .find(|name| name.ends_with("/data.pkl") || *name == "data.pkl")
        .ok_or("a zip without data.pkl")?;
    let pickle = pickle::read(&bytes_of(main)?)?;
    let folder = main.trim_end_matches("data.pkl").to_string() + "data/";
    let mut storages = HashMap::new();
    for name in &names {
        if let Some(key) = name.strip_prefix(&folder) {
            storages.insert(key.to_string(), bytes_of(name)?);
        }
    }
    Ok(Saved { pickle, storages })
}

/// Old format: a magic number, a version, facts about the machine, the object, keys of the storages; then the
/// storages.
fn chained(bytes: &[u8]) -> std::result::Result<Saved, String> {
    let mut at = 0;
    let mut next = || {
        let pickle = pickle::read(&bytes[at..])?;
        at += pickle.length;
        Ok::<_, String>((pickle, at))
    };
    for what in ["magic number", "version", "system"] {
        next().map_err(|e| format!("not a Torch file: no {what} ({e})"))?;
    }
    let (pickle, _) = next()?;
    let (keys, mut at) = next()?;
    let keys: Vec<String> = keys
        .values(keys.root)
        .unwrap_or(&[])
        .iter()
        .filter_map(|&key| keys.text(key).map(String::from))
        .collect();
    let sizes = sizes(&pickle);
    let mut storages = HashMap::new();
    for key in keys {
        let count = bytes.get(at..at + 8).ok_or("the file ends within a storage")?;
        let count = u64::from_le_bytes(count.try_into().expect("eight bytes"));
        let length = usize::try_from(count)
            .ok()
            .and_then(|n| n.checked_mul(*sizes.get(&key)?))
            .ok_or("a storage of unknown size")?;
        at += 8;
        let end = at.checked_add(length).ok_or("a storage too large for this machine")?;
        storages.insert(key, bytes.get(at..end).ok_or("the file ends within a storage")?.to_vec());
        at = end;
    }
    Ok(Saved { pickle, storages })
}

/// Bytes per number of each storage in the pickle.
fn sizes(pickle: &Pickle) -> HashMap<String, usize> {
    pickle
        .ids()
        .filter_map(|id| storage(pickle, id))
        .map(|(kind, key)| (key, usize::from(kind.as_bytes()[2] - b'0')))
        .collect()
}

/// NumPy's type name and the key of a storage.
fn storage(pickle: &Pickle, id: Id) -> Option<(&'static str, String)> {
    let Object::Outside(reference) = pickle.get(id) else { return None };
    let [word, class, key, ..] = pickle.values(*reference)?[..] else { return None };
    let Object::Global(class) = pickle.get(class) else { return None };
    if pickle.text(word) != Some("storage") {
        return None;
    }
    let kind = match class.rsplit('.').next()? {
        "LongStorage" => "<i8",
        "IntStorage" => "<i4",
        "ShortStorage" => "<i2",
        "ByteStorage" => "|u1",
        "BoolStorage" => "|b1",
        "FloatStorage" => "<f4",
        "DoubleStorage" => "<f8",
        _ => return None,
    };
    Some((kind, pickle.text(key)?.to_string()))
}

impl Saved {
    /// A NumPy array, or a contiguous tensor.
    fn array(&self, id: Id) -> Option<Array> {
        if let Some(array) = self.pickle.array(id) {
            return Some(array);
        }
        let (with, _) =
            self.pickle.made(id, "_rebuild_tensor_v2").or_else(|| self.pickle.made(id, "_rebuild_tensor"))?;
        let [own, offset, shape, strides, ..] = with[..] else { return None };
        let (kind, key) = storage(&self.pickle, own)?;
        let whole = |id: Id| -> Option<Vec<usize>> {
            self.pickle.values(id)?.iter().map(|&n| usize::try_from(self.pickle.int(n)?).ok()).collect()
        };
        let (shape, strides) = (whole(shape)?, whole(strides)?);
        let size = usize::from(kind.as_bytes()[2] - b'0');
        let count = shape.iter().try_fold(1usize, |product, &n| product.checked_mul(n))?;
        let from = usize::try_from(self.pickle.int(offset)?).ok()?.checked_mul(size)?;
        let bytes = self.storages.get(&key)?.get(from..from.checked_add(count.checked_mul(size)?)?)?.to_vec();
        let by_columns = match (&shape[..], &strides[..]) {
            ([_, cols], [row, 1]) if row == cols => false,
            ([rows, _], [1, col]) if col == rows => true,
            ([_], [1]) | ([], []) => false,
            _ => return None,
        };
        Array::new(kind, shape, by_columns, bytes)
    }
}
