//! Names of columns that say what the columns hold.

use crate::load::two_sides::{are_sides, is_kind, kind};

/// Pairs of names for the two id columns of an edge list, in lower case and without punctuation.
const END_PAIRS: [[&str; 2]; 50] = [
    ["source", "target"],
    ["src", "dst"],
    ["src", "dest"],
    ["source", "destination"],
    ["origin", "destination"],
    ["origin", "dest"],
    ["from", "to"],
    ["fromid", "toid"],
    ["fromnode", "tonode"],
    ["fromnodeid", "tonodeid"],
    ["sourceid", "targetid"],
    ["srcid", "dstid"],
    ["node1", "node2"],
    ["id1", "id2"],
    ["nodeid1", "nodeid2"],
    ["vertex1", "vertex2"],
    ["user1", "user2"],
    ["person1", "person2"],
    ["author1", "author2"],
    ["protein1", "protein2"],
    ["gene1", "gene2"],
    ["startid", "endid"],
    ["fromaddress", "toaddress"],
    ["subject", "object"],
    ["head", "tail"],
    ["quelle", "ziel"],
    ["von", "nach"],
    ["user", "item"],
    ["userid", "itemid"],
    ["user", "movie"],
    ["userid", "movieid"],
    ["userid", "artistid"],
    ["customer", "product"],
    ["customerid", "productid"],
    ["follower", "followee"],
    ["follower", "followed"],
    ["follower", "following"],
    ["citing", "cited"],
    ["sender", "receiver"],
    ["sender", "recipient"],
    ["caller", "callee"],
    ["buyer", "seller"],
    ["payer", "payee"],
    ["payer", "receiver"],
    ["debtor", "creditor"],
    ["giver", "receiver"],
    ["parent", "child"],
    ["child", "parent"],
    ["node", "neighbor"],
    ["node", "neighbour"],
];

/// Endings of names of id columns: `sender_id` and `senderNo` name the same end as `sender`.
const ID_ENDINGS: [&str; 7] = ["id", "no", "nr", "number", "key", "code", "name"];

/// Names of columns that number the edges.
const EDGE_NUMBERS: [&str; 8] =
    ["", "index", "unnamed0", "rowid", "rownumber", "edgeid", "linkid", "relationid"];

/// Pairs that may also be the names of two nodes.
const SHORT_PAIRS: [[&str; 2]; 2] = [["u", "v"], ["i", "j"]];

/// Other names of id columns, in lower case and without punctuation.
const ID_NAMES: [&str; 5] = ["id", "node", "nodeid", "name", "vertex"];

/// Names of columns that describe a node.
pub(super) const ATTRIBUTES: [&str; 7] = ["label", "labels", "y", "class", "target", "community", "category"];

/// Names of columns that describe an edge: without known names of ends, these are not ends.
pub(super) const EDGE_ATTRIBUTES: [&str; 16] = [
    "timestamp",
    "time",
    "datetime",
    "date",
    "ts",
    "when",
    "created",
    "createdat",
    "year",
    "weight",
    "rating",
    "score",
    "amount",
    "value",
    "count",
    "type",
];

/// A table with a header and at least this many columns, none of them named like an end of an edge, is not an
/// edge list.
pub(super) const MANY_NAMED: usize = 5;
/// The same without a header.
pub(super) const MANY_UNNAMED: usize = 6;

pub(in crate::load) const UNUSED: &str = "the graph is treated as undirected and unweighted";

/// A column's name in lower case and without punctuation: `User ID`, `userId` and `user_id` are one. The type that
/// RecBole and Neo4j write after a name is no part of it: `user_id:token`.
pub(in crate::load) fn plain(name: &str) -> String {
    let name = name.split_once(':').map_or(name, |(name, kind)| if name.is_empty() { kind } else { name });
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// A column's plain name without an ending that means an id.
pub(in crate::load) fn stem(plain: &str) -> Option<&str> {
    ID_ENDINGS.iter().find_map(|ending| plain.strip_suffix(ending)).filter(|stem| !stem.is_empty())
}

/// Whether a column of this name holds ids.
pub(in crate::load) fn is_id_name(name: &str) -> bool {
    let name = plain(name);
    ID_NAMES.contains(&name.as_str())
        || END_PAIRS.iter().chain(&SHORT_PAIRS).flatten().any(|known| *known == name)
}

/// Whether a column of a file of pairs with this name marks edges and negatives.
pub(in crate::load) fn is_label_name(name: &str) -> bool {
    ["label", "y", "class", "edge", "isedge"].contains(&plain(name).as_str())
}

/// The id column of nodes, by its name.
pub(in crate::load) fn id_column(names: &[String]) -> Option<usize> {
    names.iter().position(|name| ["id", "node", "nodeid", "name"].contains(&plain(name).as_str()))
}

/// The label column of nodes, by its name.
pub(in crate::load) fn label_column(names: &[String]) -> Option<usize> {
    names.iter().position(|name| ["label", "y", "class", "target"].contains(&name.to_lowercase().as_str()))
}

/// The columns of a known pair of names in a header, and whether the pair may also be the names of two nodes.
pub(super) fn known_pair(names: &[String]) -> Option<([usize; 2], bool)> {
    let names: Vec<String> = names.iter().map(|name| plain(name)).collect();
    let place = |wanted: &str| names.iter().position(|name| name == wanted);
    let places = |[a, b]: &[&str; 2]| Some([place(a)?, place(b)?]);
    let ending = |ending: &&str| {
        END_PAIRS.iter().find_map(|pair| {
            let [a, b] = pair.map(|name| place(&format!("{name}{ending}")));
            Some([a?, b?])
        })
    };
    if let Some(ends) = END_PAIRS.iter().find_map(places).or_else(|| ID_ENDINGS.iter().find_map(ending)) {
        return Some((ends, false));
    }
    // Ids of two kinds of nodes, in a table of any width. Without `id`, an author may be an attribute of a book.
    let mut ids = (0..names.len()).filter(|&at| names[at].ends_with("id") && is_kind(&kind(&names[at])));
    if let (Some(a), Some(b), None) = (ids.next(), ids.next(), ids.next())
        && are_sides(&[kind(&names[a]), kind(&names[b])])
    {
        return Some(([a, b], false));
    }
    // In a wide table letters name features.
    let short = SHORT_PAIRS.iter().find_map(places).filter(|_| names.len() <= 4);
    short.map(|ends| (ends, true))
}

/// The columns of a known pair of names in a header.
pub(in crate::load) fn known_ends(names: &[String]) -> Option<[usize; 2]> {
    known_pair(names).map(|(ends, _)| ends)
}

pub(super) fn both<T>([a, b]: [Option<T>; 2]) -> Option<[T; 2]> {
    Some([a?, b?])
}

/// The column with a name or, if there is none, with this number, counted from 1.
pub(in crate::load) fn named_or_numbered(
    wanted: &str,
    names: Option<&[String]>,
    width: usize,
) -> Option<usize> {
    let named = names.and_then(|names| names.iter().position(|name| name == wanted));
    named.or_else(|| wanted.parse::<usize>().ok()?.checked_sub(1).filter(|&at| at < width))
}

/// The two ends by their names, otherwise the first two columns that are not named like a time, a weight or the
/// number of an edge. `time` is the column of times, if it is known.
pub(super) fn default_ends(names: &[String], time: Option<usize>) -> [usize; 2] {
    if let Some(ends) = known_ends(names) {
        return ends;
    }
    let named = |at: &usize, list: &[&str]| list.contains(&plain(&names[*at]).as_str());
    let others = || (0..names.len()).filter(|at| Some(*at) != time && !named(at, &EDGE_ATTRIBUTES));
    let mut ends = others().filter(|at| !named(at, &EDGE_NUMBERS));
    let mut others = others();
    match ((ends.next(), ends.next()), (others.next(), others.next())) {
        ((Some(a), Some(b)), _) | (_, (Some(a), Some(b))) => [a, b],
        _ => [0, 1],
    }
}
