//! Python pickles as data: their contents are listed, their calls are recorded by name, and nothing is ever
//! executed.
//!
//! A pickle is a program for a stack machine. This machine implements the opcodes without Python: if a pickle
//! calls a function, the request itself becomes a value ([`Object::Made`]), and the few that graphs are
//! stored with (NumPy arrays, SciPy's sparse matrices, Torch tensors) are recognised by their names. Every
//! opcode creates at most one object, and lengths are limited to the bytes in the file, so memory is bounded
//! by the size of the file.

use std::collections::HashMap;

use crate::npz::Array;

/// The index of an object.
pub(crate) type Id = usize;

/// An object in a pickle.
#[derive(Clone, Debug)]
pub(crate) enum Object {
    None,
    Bool(bool),
    Int(i64),
    /// A float, or an integer that does not fit in 64 bits; its value is not needed.
    Float,
    /// Bytes, and the text of Python 2.
    Bytes(Vec<u8>),
    Text(String),
    Tuple(Vec<Id>),
    List(Vec<Id>),
    Dict(Vec<(Id, Id)>),
    /// A function or class by name.
    Global(String),
    /// The object that a function or class would have created, and its later contents.
    Made {
        by: Id,
        with: Id,
        state: Option<Id>,
        items: Vec<(Id, Id)>,
    },
    /// A reference to an object outside of the pickle.
    Outside(Id),
}

/// A parsed pickle.
#[derive(Debug)]
pub(crate) struct Pickle {
    objects: Vec<Object>,
    /// The top-level object.
    pub(crate) root: Id,
    /// Number of bytes read.
    pub(crate) length: usize,
}

/// Reads bytes from the front.
struct Bytes<'a> {
    all: &'a [u8],
    at: usize,
}

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], String> {
        let end = self.at.checked_add(count).filter(|&end| end <= self.all.len());
        let end = end.ok_or_else(|| format!("ends early, at byte {}", self.at))?;
        let taken = &self.all[self.at..end];
        self.at = end;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, String> {
        Ok(self.take(1)?[0])
    }

    /// A little-endian whole number of this many bytes.
    fn number(&mut self, count: usize) -> Result<usize, String> {
        let bytes = self.take(count)?;
        let value = bytes.iter().rev().fold(0u64, |value, &byte| value << 8 | u64::from(byte));
        usize::try_from(value).map_err(|_| "a number too large for this machine".into())
    }

    fn line(&mut self) -> Result<&'a str, String> {
        let length = self.all[self.at..].iter().position(|&b| b == b'\n').ok_or("ends within a line")?;
        let line = &self.take(length + 1)?[..length];
        std::str::from_utf8(line).map_err(|_| "a line that is not text".into())
    }
}

/// The machine.
struct Machine {
    objects: Vec<Object>,
    stack: Vec<Id>,
    marks: Vec<usize>,
    memo: HashMap<usize, Id>,
}

impl Machine {
    fn push(&mut self, object: Object) {
        self.stack.push(self.objects.len());
        self.objects.push(object);
    }

    fn pop(&mut self) -> Result<Id, String> {
        // Opcodes that take single values must not read below a mark.
        let floor = self.marks.last().copied().unwrap_or(0);
        if self.stack.len() <= floor {
            return Err("reads from an empty stack".into());
        }
        Ok(self.stack.pop().expect("not empty"))
    }

    fn top(&self) -> Result<Id, String> {
        self.stack.last().copied().ok_or_else(|| "reads from an empty stack".into())
    }

    /// Removes and returns everything above the last mark.
    fn marked(&mut self) -> Result<Vec<Id>, String> {
        let mark = self.marks.pop().ok_or("no mark")?;
        Ok(self.stack.split_off(mark))
    }

    fn pairs(values: &[Id]) -> Result<Vec<(Id, Id)>, String> {
        if !values.len().is_multiple_of(2) {
            return Err("a key without a value".into());
        }
        Ok(values.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect())
    }

    fn add_items(&mut self, to: Id, pairs: Vec<(Id, Id)>) -> Result<(), String> {
        match &mut self.objects[to] {
            Object::Dict(items) | Object::Made { items, .. } => items.extend(pairs),
            _ => return Err("adds items to an object that is not a dictionary".into()),
        }
        Ok(())
    }

    fn append(&mut self, to: Id, values: Vec<Id>) -> Result<(), String> {
        match &mut self.objects[to] {
            Object::List(list) => list.extend(values),
            Object::Made { items, .. } => items.extend(values.into_iter().map(|value| (value, value))),
            _ => return Err("appends to an object that is not a list".into()),
        }
        Ok(())
    }

    fn recall(&mut self, key: usize) -> Result<(), String> {
        let id =
            *self.memo.get(&key).ok_or_else(|| format!("reads memo entry {key}, which does not exist"))?;
        self.stack.push(id);
        Ok(())
    }

    fn keep(&mut self, key: usize) -> Result<(), String> {
        let id = self.top()?;
        self.memo.insert(key, id);
        Ok(())
    }

    fn made(&mut self, by: Id, with: Id) {
        self.push(Object::Made { by, with, state: None, items: Vec::new() });
    }
}

/// Reads one pickle from the front of the bytes.
pub(crate) fn read(bytes: &[u8]) -> Result<Pickle, String> {
    let mut input = Bytes { all: bytes, at: 0 };
    let mut m = Machine { objects: Vec::new(), stack: Vec::new(), marks: Vec::new(), memo: HashMap::new() };
    loop {
        let at = input.at;
        let word = input.byte()?;
        step(word, &mut input, &mut m).map_err(|why| format!("byte {at}: {why}"))?;
        if word == b'.' {
            let root = m.pop()?;
            return Ok(Pickle { objects: m.objects, root, length: input.at });
        }
    }
}

fn text(bytes: &[u8]) -> Result<String, String> {
    // Lone surrogates, which Python escapes in its own way, are not supported.
    String::from_utf8(bytes.to_vec()).map_err(|_| "text that is not UTF-8".into())
}

/// A whole number of any length.
fn long(bytes: &[u8]) -> Object {
    if bytes.len() <= 8 {
        let negative = bytes.last().is_some_and(|&top| top >= 0x80);
        let mut full = [if negative { 0xff } else { 0 }; 8];
        full[..bytes.len()].copy_from_slice(bytes);
        return Object::Int(i64::from_le_bytes(full));
    }
    Object::Float
}

fn whole(line: &str) -> Result<Object, String> {
    let digits = line.trim_end_matches('L');
    digits
        .parse()
        .map(Object::Int)
        .map_err(|_| format!("`{}` is not a whole number", &line[..line.len().min(20)]))
}

#[expect(clippy::too_many_lines, reason = "one arm per opcode; splitting them would only hide the list")]
fn step(word: u8, input: &mut Bytes<'_>, m: &mut Machine) -> Result<(), String> {
    match word {
        // Framing.
        0x80 => {
            let version = input.byte()?;
            if version > 5 {
                return Err(format!("pickle protocol {version}; 0 to 5 are supported"));
            }
        }
        0x95 => {
            input.take(8)?;
        }
        b'.' => {}
        // Constants.
        b'N' => m.push(Object::None),
        0x88 => m.push(Object::Bool(true)),
        0x89 => m.push(Object::Bool(false)),
        b'I' => {
            let object = match input.line()? {
                "01" => Object::Bool(true),
                "00" => Object::Bool(false),
                line => whole(line)?,
            };
            m.push(object);
        }
        b'L' => {
            let object = whole(input.line()?)?;
            m.push(object);
        }
        b'J' => {
            let value = i32::from_le_bytes(input.take(4)?.try_into().expect("four bytes"));
            m.push(Object::Int(i64::from(value)));
        }
        b'K' => {
            let value = input.number(1)?;
            m.push(Object::Int(value as i64));
        }
        b'M' => {
            let value = input.number(2)?;
            m.push(Object::Int(value as i64));
        }
        0x8a | 0x8b => {
            let length = input.number(if word == 0x8a { 1 } else { 4 })?;
            let object = long(input.take(length)?);
            m.push(object);
        }
        b'F' => {
            input.line()?;
            m.push(Object::Float);
        }
        b'G' => {
            input.take(8)?;
            m.push(Object::Float);
        }
        // Bytes and text, with lengths of one, four or eight bytes.
        b'U' | b'C' | b'T' | b'B' | 0x8e | 0x96 => {
            let length = input.number(match word {
                b'U' | b'C' => 1,
                b'T' | b'B' => 4,
                _ => 8,
            })?;
            let bytes = input.take(length)?.to_vec();
            m.push(Object::Bytes(bytes));
        }
        0x8c | b'X' | 0x8d => {
            let length = input.number(match word {
                0x8c => 1,
                b'X' => 4,
                _ => 8,
            })?;
            let object = Object::Text(text(input.take(length)?)?);
            m.push(object);
        }
        b'S' => {
            let line = input.line()?.trim();
            let inside = line.get(1..line.len().saturating_sub(1)).unwrap_or("");
            m.push(Object::Bytes(inside.as_bytes().to_vec()));
        }
        b'V' => {
            let line = input.line()?.to_string();
            m.push(Object::Text(line));
        }
        // Containers.
        b'(' => m.marks.push(m.stack.len()),
        b')' => m.push(Object::Tuple(Vec::new())),
        b']' | 0x8f => m.push(Object::List(Vec::new())),
        b'}' => m.push(Object::Dict(Vec::new())),
        b't' | b'l' | 0x91 => {
            let values = m.marked()?;
            m.push(if word == b't' { Object::Tuple(values) } else { Object::List(values) });
        }
        b'd' => {
            let values = m.marked()?;
            m.push(Object::Dict(Machine::pairs(&values)?));
        }
        0x85..=0x87 => {
            let mut values: Vec<Id> = (0..word - 0x84).map(|_| m.pop()).collect::<Result<_, _>>()?;
            values.reverse();
            m.push(Object::Tuple(values));
        }
        b'a' => {
            let value = m.pop()?;
            let to = m.top()?;
            m.append(to, vec![value])?;
        }
        b'e' | 0x90 => {
            let values = m.marked()?;
            let to = m.top()?;
            m.append(to, values)?;
        }
        b's' => {
            let (value, key) = (m.pop()?, m.pop()?);
            let to = m.top()?;
            m.add_items(to, vec![(key, value)])?;
        }
        b'u' => {
            let values = m.marked()?;
            let to = m.top()?;
            m.add_items(to, Machine::pairs(&values)?)?;
        }
        // The stack and the memo.
        b'0' => {
            m.pop()?;
        }
        b'1' => {
            m.marked()?;
        }
        b'2' => {
            let top = m.top()?;
            m.stack.push(top);
        }
        b'p' | b'g' => {
            let key = input.line()?.parse().map_err(|_| "a memo key that is not a number")?;
            if word == b'p' { m.keep(key)? } else { m.recall(key)? }
        }
        b'q' | b'h' | b'r' | b'j' => {
            let key = input.number(if matches!(word, b'q' | b'h') { 1 } else { 4 })?;
            if matches!(word, b'q' | b'r') { m.keep(key)? } else { m.recall(key)? }
        }
        0x94 => {
            let key = m.memo.len();
            m.keep(key)?;
        }
        // Calls: recorded by name, never executed.
        b'c' => {
            let name = format!("{}.{}", input.line()?, input.line()?);
            m.push(Object::Global(name));
        }
        0x93 => {
            let (name, module) = (m.pop()?, m.pop()?);
            let word = |id: Id| match &m.objects[id] {
                Object::Text(text) => Ok(text.clone()),
                _ => Err("a name that is not text"),
            };
            let name = format!("{}.{}", word(module)?, word(name)?);
            m.push(Object::Global(name));
        }
        b'R' | 0x81 => {
            let (with, by) = (m.pop()?, m.pop()?);
            m.made(by, with);
        }
        0x92 => {
            let (_, with, by) = (m.pop()?, m.pop()?, m.pop()?);
            m.made(by, with);
        }
        b'b' => {
            let state = m.pop()?;
            let to = m.top()?;
            let Object::Made { state: slot, .. } = &mut m.objects[to] else {
                return Err("sets the state of an object that was not created".into());
            };
            *slot = Some(state);
        }
        b'P' => {
            let line = input.line()?.to_string();
            m.push(Object::Text(line));
            let id = m.pop()?;
            m.push(Object::Outside(id));
        }
        b'Q' => {
            let id = m.pop()?;
            m.push(Object::Outside(id));
        }
        word => return Err(format!("opcode 0x{word:02x} is not supported")),
    }
    Ok(())
}

impl Pickle {
    /// All objects.
    pub(crate) fn ids(&self) -> std::ops::Range<Id> {
        0..self.objects.len()
    }

    pub(crate) fn get(&self, id: Id) -> &Object {
        &self.objects[id]
    }

    /// A whole number.
    pub(crate) fn int(&self, id: Id) -> Option<i64> {
        match self.get(id) {
            Object::Int(value) => Some(*value),
            Object::Bool(value) => Some(i64::from(*value)),
            _ => None,
        }
    }

    /// Text, as stored by Python 2 or 3.
    pub(crate) fn text(&self, id: Id) -> Option<&str> {
        match self.get(id) {
            Object::Text(text) => Some(text),
            Object::Bytes(bytes) => std::str::from_utf8(bytes).ok(),
            _ => None,
        }
    }

    /// The values of a list or tuple.
    pub(crate) fn values(&self, id: Id) -> Option<&[Id]> {
        match self.get(id) {
            Object::List(values) | Object::Tuple(values) => Some(values),
            _ => None,
        }
    }

    /// The items of a dictionary of any kind.
    pub(crate) fn items(&self, id: Id) -> Option<&[(Id, Id)]> {
        match self.get(id) {
            Object::Dict(items) => Some(items),
            Object::Made { by, items, .. } => {
                let known = ["collections.defaultdict", "collections.OrderedDict"];
                matches!(self.get(*by), Object::Global(name) if known.contains(&name.as_str()))
                    .then_some(items)
            }
            _ => None,
        }
    }

    /// The value of a text key.
    pub(crate) fn entry(&self, id: Id, key: &str) -> Option<Id> {
        self.items(id)?.iter().find(|(own, _)| self.text(*own) == Some(key)).map(|(_, value)| *value)
    }

    /// The arguments of a recorded call, and its state, if its name has this ending.
    pub(crate) fn made(&self, id: Id, ending: &str) -> Option<(&[Id], Option<Id>)> {
        let Object::Made { by, with, state, .. } = self.get(id) else { return None };
        let Object::Global(name) = self.get(*by) else { return None };
        name.ends_with(ending).then_some(())?;
        Some((self.values(*with)?, *state))
    }

    /// Bytes, also as Python 3 writes them into old pickles: text in Latin 1.
    fn bytes(&self, id: Id) -> Option<Vec<u8>> {
        if let Object::Bytes(bytes) = self.get(id) {
            return Some(bytes.clone());
        }
        let (with, _) = self.made(id, "_codecs.encode")?;
        let text = self.text(*with.first()?)?;
        text.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect()
    }

    fn shape(&self, id: Id) -> Option<Vec<usize>> {
        self.values(id)?.iter().map(|&n| usize::try_from(self.int(n)?).ok()).collect()
    }

    /// A NumPy array of numbers.
    pub(crate) fn array(&self, id: Id) -> Option<Array> {
        let (_, state) = self.made(id, "multiarray._reconstruct")?;
        let [_, shape, dtype, by_columns, data] = self.values(state?)?[..] else { return None };
        let (with, state) = self.made(dtype, "numpy.dtype")?;
        // The byte order is in the state: `<`, `>`, or `|` where it makes no difference.
        let order = self.values(state?)?.get(1).and_then(|&order| self.text(order))?;
        let kind = self.text(*with.first()?)?;
        let by_columns = self.int(by_columns)? != 0;
        Array::new(&format!("{order}{kind}"), self.shape(shape)?, by_columns, self.bytes(data)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_values() {
        // pickle.dumps({"a": [1, -2, 300, 2.5, None, True], "b": (b"x", "ü")}, protocol=4)
        let bytes = b"\x80\x04\x95-\x00\x00\x00\x00\x00\x00\x00}\x94(\x8c\x01a\x94]\x94(K\x01J\xfe\xff\xff\xffM,\x01G@\x04\x00\x00\x00\x00\x00\x00N\x88e\x8c\x01b\x94C\x01x\x94\x8c\x02\xc3\xbc\x94\x86\x94u.";
        let p = read(bytes).unwrap();
        assert_eq!(p.length, bytes.len());
        let list = p.values(p.entry(p.root, "a").unwrap()).unwrap();
        assert_eq!(list[..3].iter().map(|&v| p.int(v).unwrap()).collect::<Vec<_>>(), [1, -2, 300]);
        assert!(matches!(p.get(list[3]), Object::Float) && matches!(p.get(list[4]), Object::None));
        let pair = p.values(p.entry(p.root, "b").unwrap()).unwrap();
        assert_eq!((p.text(pair[0]), p.text(pair[1])), (Some("x"), Some("ü")));
    }

    #[test]
    fn nothing_is_called() {
        // os.system("touch /tmp/owned"), as an attacker would write it.
        let p = read(b"cos\nsystem\n(S'touch /tmp/owned'\ntR.").unwrap();
        let (with, _) = p.made(p.root, "os.system").unwrap();
        assert_eq!(p.text(with[0]), Some("touch /tmp/owned"));
        assert!(p.array(p.root).is_none() && p.items(p.root).is_none());
    }

    #[test]
    fn broken_pickles_are_refused() {
        for bytes in [
            &b""[..],
            b".",
            b"K",
            b"(",
            b"t.",
            b"\x80\x09.",
            b"h\x05.",
            b"N(0.",
            b"T\xff\xff\xff\x7fabc.",
            b"\x8e\xff\xff\xff\xff\xff\xff\xff\xffabc.",
            b"}K\x01a.",
            b"(K\x01d.",
            b"\xff.",
            b"Lx\n.",
            b"Nb.",
        ] {
            assert!(read(bytes).is_err(), "{bytes:?}");
        }
        assert!(read(b"\x8b\x09\x00\x00\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09.").is_ok());
    }
}
