//! Ids of nodes: names or numbers in any notation.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use crate::whole::{Written, written};
use netinfof::{Error, Exec, Pair, Result};

/// Names of nodes in order of first appearance. Each is stored once; a hash table with open addressing finds
/// them.
#[derive(Default)]
pub(super) struct Ids {
    pub(super) names: Vec<String>,
    /// Numbers of names, plus one, at or after the position of their hash; 0 means empty. The length is a
    /// power of two.
    slots: Vec<u32>,
    hasher: RandomState,
    pub(super) notation: Notation,
}

/// The notation of the names.
pub(super) struct Notation {
    pub(super) all_numbers: bool,
    some_floats: bool,
    /// The line of the first float that is not a valid id, and the reason. In a list of names it may be
    /// valid.
    pub(super) fault: Option<(usize, String)>,
}

impl Default for Notation {
    fn default() -> Self {
        Notation { all_numbers: true, some_floats: false, fault: None }
    }
}

impl Ids {
    /// The number of a name, which is added if it is new; `line` is its line.
    pub(super) fn number(&mut self, name: &str, line: usize) -> Result<u32> {
        // At most half full, so that probe sequences stay short.
        if 2 * self.names.len() >= self.slots.len() {
            self.slots = vec![0; (2 * self.slots.len()).max(1024)];
            for (at, name) in self.names.iter().enumerate() {
                let slot = self.slot(name);
                self.slots[slot] = at as u32 + 1;
            }
        }
        let slot = self.slot(name);
        if self.slots[slot] > 0 {
            return Ok(self.slots[slot] - 1);
        }
        let number = u32::try_from(self.names.len())
            .ok()
            .filter(|&number| number < u32::MAX)
            .ok_or_else(|| Error::InvalidGraph { what: format!("more than {} different ids", u32::MAX) })?;
        if self.notation.all_numbers {
            match written(name) {
                Written::Name => self.notation.all_numbers = false,
                Written::Whole => {}
                Written::Float(id) => {
                    self.notation.some_floats = true;
                    if let (Err(why), None) = (id, &self.notation.fault) {
                        self.notation.fault = Some((line, format!("id `{name}` {why}")));
                    }
                }
            }
        }
        self.names.push(name.into());
        self.slots[slot] = number + 1;
        Ok(number)
    }

    /// The number of a known name.
    pub(super) fn find(&self, name: &str) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        self.slots[self.slot(name)].checked_sub(1)
    }

    /// Where all ids are numbers and some are written as floats, such as `4.0`, they become the whole numbers
    /// that they represent. Returns whether different ids are still different.
    pub(super) fn make_whole(&mut self, edges: &mut [Pair]) -> Result<bool> {
        if !(self.notation.all_numbers && self.notation.some_floats) {
            return Ok(true);
        }
        let mut whole = Ids::default();
        let mut numbers = Vec::with_capacity(self.names.len());
        for name in std::mem::take(&mut self.names) {
            let name = match written(&name) {
                Written::Float(Ok(value)) => value.to_string(),
                _ => name,
            };
            numbers.push(whole.number(&name, 0)?);
        }
        for edge in edges {
            *edge = edge.map(|end| numbers[end as usize]);
        }
        let distinct = whole.names.len() == numbers.len();
        *self = whole;
        Ok(distinct)
    }

    /// Says which ids may be others that are written differently, or no ids.
    pub(super) fn notice_doubts(&self, list: &str, exec: &Exec) {
        const NO_IDS: [&str; 16] = [
            "nan", "NaN", "NAN", "null", "Null", "NULL", "none", "None", "NONE", "NaT", "N/A", "n/a", "NA",
            "?", "\\N", "<NA>",
        ];
        if let Some((count, [a, b])) = self.alike() {
            let (many, verb) =
                if count == 1 { ("1 id".into(), "differs") } else { (format!("{count} ids"), "differ") };
            exec.notice(format!(
                "{list}: {many} {verb} from another one in case or leading zeros only, such as `{a}` and `{b}`: they are different nodes"
            ));
        }
        if let Some(id) = NO_IDS.into_iter().find(|id| self.find(id).is_some()) {
            exec.notice(format!(
                "{list}: `{id}` is read as the id of a node; leave its rows out if it means a missing value"
            ));
        }
    }

    /// Ids that differ from another one in case or, if they consist of digits, in leading zeros only: how many, and an
    /// example.
    fn alike(&self) -> Option<(usize, [&str; 2])> {
        let mut seen: HashMap<String, &str> = HashMap::new();
        let (mut count, mut example) = (0, None);
        for id in &self.names {
            let digits = id.bytes().all(|byte| byte.is_ascii_digit());
            let plain = if digits && id.len() > 1 && id.starts_with('0') {
                let short = id.trim_start_matches('0');
                if short.is_empty() { "0".to_string() } else { short.to_string() }
            } else if id.contains(char::is_uppercase) {
                id.to_lowercase()
            } else {
                continue;
            };
            let other = self.find(&plain).map(|at| self.names[at as usize].as_str());
            if let Some(other) = other.or_else(|| seen.get(&plain).copied()) {
                count += 1;
                example.get_or_insert([other, id.as_str()]);
            } else {
                seen.insert(plain, id);
            }
        }
        example.map(|example| (count, example))
    }

    /// The position of a name, or the empty position for it.
    fn slot(&self, name: &str) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = self.hasher.hash_one(name) as usize & mask;
        while self.slots[slot] > 0 && self.names[self.slots[slot] as usize - 1] != name {
            slot = (slot + 1) & mask;
        }
        slot
    }

    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// If all ids are numbers: the line of one that is not a valid id, and the reason.
    pub(super) fn number_fault(&mut self) -> Option<(usize, String)> {
        self.notation.fault.take().filter(|_| self.notation.all_numbers)
    }

    pub(super) fn into_names(self) -> Vec<String> {
        self.names
    }

    /// If all names are whole numbers, nodes are sorted by them, so that ids 0, 1, … equal the row numbers.
    pub(super) fn sort_numeric(&mut self, edges: &mut [Pair]) {
        let Some(values) =
            self.names.iter().map(|name| name.parse::<i128>().ok()).collect::<Option<Vec<_>>>()
        else {
            return;
        };
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by_key(|&at| values[at]);
        let mut rank = vec![0u32; order.len()];
        for (new, &old) in order.iter().enumerate() {
            rank[old] = u32::try_from(new).expect("as many as before");
        }
        for edge in edges {
            *edge = edge.map(|end| rank[end as usize]);
        }
        self.names = order.iter().map(|&old| std::mem::take(&mut self.names[old])).collect();
    }
}
