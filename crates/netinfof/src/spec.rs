//! Specifications as data: the components with their properties, their groups, and the
//! tasks.
//!
//! A new component is a new row of [`ComponentKind::spec`]; no other code compares kinds or names. A
//! user-supplied component is [`ComponentKind::Custom`]: the same row for every name.

use std::collections::BTreeSet;
use std::sync::Mutex;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::{Error, Result};

/// The components: the paper's five, those beyond the paper, and user-supplied ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ComponentKind {
    /// Structure: the adjacency matrix.
    U,
    /// Structure: random walks.
    R,
    /// Features alone.
    F,
    /// Features propagated by row-normalised adjacency.
    P,
    /// Features propagated by symmetric adjacency with self loops.
    S,
    /// As P, one step; rare features have more weight, as in all that follow.
    P1,
    /// As S, one step.
    S1,
    /// As S, three steps.
    S3,
    /// As S, five steps.
    S5,
    /// Features minus their average over the neighbours: a high-pass filter.
    D,
    /// Common neighbours, short paths, cosines of features: statistics of pairs. Links only.
    X,
    /// Structural roles: degree, core number, clustering, PageRank, degrees of neighbours. Nodes only.
    C,
    /// Amounts: how many features a node has, and their mean size. Nodes only.
    L,
    /// User-supplied rows with this name ([`crate::Graph::with_component`]).
    Custom(CustomName),
}

/// The name of a user-supplied component.
///
/// Names are interned, so that a kind stays a small `Copy` value; a program uses few of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CustomName(&'static str);

impl CustomName {
    /// Checks a name: 1 to 32 letters, digits, `-`, `_` or `.`, beginning with a letter, and different from
    /// the built-in names.
    pub fn new(name: &str) -> Result<Self> {
        static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
        const NEED: &str = "a name of 1 to 32 letters, digits, -, _ or ., beginning with a letter";
        let allowed = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let begins = name.starts_with(|c: char| c.is_ascii_alphabetic());
        if !begins || name.len() > 32 || !name.chars().all(allowed) {
            return Err(Error::param("component", format!("`{name}`"), NEED));
        }
        let taken = Subject::BUILT_IN.iter().find(|own| own.name().eq_ignore_ascii_case(name));
        if taken.is_some() || RESERVED.contains(&name.to_ascii_lowercase().as_str()) {
            return Err(Error::param("component", format!("`{name}`"), "a name that is not built in"));
        }
        let mut names = NAMES.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let known = names.get(name).copied();
        Ok(CustomName(known.unwrap_or_else(|| {
            let name: &'static str = String::leak(name.into());
            names.insert(name);
            name
        })))
    }
}

impl CustomName {
    /// The name as text.
    pub fn as_str(self) -> &'static str {
        self.0
    }
}

/// Names that reports use for groups and for evidence other than components.
const RESERVED: [&str; 7] =
    ["all", "control", "communities", "features", "propagation", "roles", "structure"];

/// The group of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Group {
    /// Structure alone.
    Structure,
    /// Features alone.
    Features,
    /// Features propagated over the structure.
    Propagation,
    /// None of these.
    Other,
}

/// What a component is computed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ComponentSource {
    /// The adjacency matrix.
    Adjacency,
    /// Counts of random walks.
    Walks,
    /// The graph's features, filtered through its edges.
    Features(FilterSpec),
    /// A table of structural roles.
    Roles,
    /// A table of the number of each node's features and their mean size.
    Amounts,
    /// Pairs of nodes.
    Pairs,
    /// User-supplied rows with this name.
    Custom(CustomName),
}

/// How features are filtered through the edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FilterSpec {
    /// Not at all.
    None,
    /// Averaged over the neighbours.
    Neighbours(Depth),
    /// Averaged over the neighbours and the node itself.
    SelfLoops(Depth),
    /// The difference from the average over the neighbours.
    HighPass,
}

/// How many steps a component propagates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// The number in [`crate::ComponentParams::steps`].
    Parameter,
    /// This many.
    Fixed(usize),
}

/// How columns of words are weighted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weighting {
    /// Equally, as in the paper.
    Equal,
    /// Rare ones have more weight.
    Rare,
}

impl Weighting {
    /// Both, in the order of [`Weighting::index`].
    pub(crate) const ALL: [Weighting; 2] = [Weighting::Equal, Weighting::Rare];

    /// The position among features that were prepared both ways.
    pub(crate) fn index(self) -> usize {
        self as usize
    }
}

/// The properties of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ComponentSpec {
    /// The name in `--components` and in results.
    pub name: &'static str,
    /// A short description.
    pub long_name: &'static str,
    /// Its group in the verdict.
    pub group: Group,
    /// What it is computed from.
    pub source: ComponentSource,
    /// How columns of words are weighted.
    pub weighting: Weighting,
    /// Number of its random stream. Fixed: a change would change results.
    pub(crate) stream: u64,
}

impl ComponentKind {
    /// The paper's components, in its order.
    pub const PAPER: [ComponentKind; 5] =
        [ComponentKind::U, ComponentKind::R, ComponentKind::F, ComponentKind::P, ComponentKind::S];

    /// All built-in components: the paper's, then those beyond it.
    pub const ALL: [ComponentKind; 13] = [
        ComponentKind::U,
        ComponentKind::R,
        ComponentKind::F,
        ComponentKind::P,
        ComponentKind::S,
        ComponentKind::P1,
        ComponentKind::S1,
        ComponentKind::S3,
        ComponentKind::S5,
        ComponentKind::D,
        ComponentKind::X,
        ComponentKind::C,
        ComponentKind::L,
    ];

    /// The properties of this component.
    pub fn spec(self) -> ComponentSpec {
        use ComponentKind as Kind;
        use ComponentSource::{Adjacency, Amounts, Custom, Features, Pairs, Roles, Walks};
        use Depth::{Fixed, Parameter};
        use FilterSpec::{HighPass, Neighbours, None, SelfLoops};
        use Group::{Other, Propagation, Structure};
        use Weighting::{Equal, Rare};
        let (name, long_name, group, source, weighting, stream) = match self {
            Kind::U => ("U", "structure", Structure, Adjacency, Equal, 0),
            Kind::R => ("R", "random walks", Structure, Walks, Equal, 1),
            Kind::F => ("F", "features", Group::Features, Features(None), Equal, 2),
            Kind::P => ("P", "propagated", Propagation, Features(Neighbours(Parameter)), Equal, 3),
            Kind::S => ("S", "prop. with self", Propagation, Features(SelfLoops(Parameter)), Equal, 4),
            Kind::P1 => ("P1", "propagated once", Propagation, Features(Neighbours(Fixed(1))), Rare, 5),
            Kind::S1 => ("S1", "with self, once", Propagation, Features(SelfLoops(Fixed(1))), Rare, 6),
            Kind::S3 => ("S3", "with self, 3 times", Propagation, Features(SelfLoops(Fixed(3))), Rare, 7),
            Kind::S5 => ("S5", "with self, 5 times", Propagation, Features(SelfLoops(Fixed(5))), Rare, 8),
            Kind::D => ("D", "minus neighbours", Other, Features(HighPass), Rare, 9),
            Kind::X => ("X", "pair's neighbours", Other, Pairs, Rare, 10),
            Kind::C => ("C", "structural roles", Structure, Roles, Equal, 11),
            Kind::L => ("L", "amount of features", Group::Features, Amounts, Equal, 12),
            Kind::Custom(name) => {
                (name.0, "user-supplied", Other, Custom(name), Equal, custom_stream(name.0))
            }
        };
        ComponentSpec { name, long_name, group, source, weighting, stream }
    }

    /// The name in `--components` and in results.
    pub fn name(self) -> &'static str {
        self.spec().name
    }

    /// Whether it is computed from the graph's features.
    pub fn uses_features(self) -> bool {
        matches!(self.spec().source, ComponentSource::Features(_))
    }

    /// Whether it is an embedding of structure only: one row of axes per node of the graph it was computed
    /// from.
    pub fn is_structural(self) -> bool {
        matches!(self.spec().source, ComponentSource::Adjacency | ComponentSource::Walks)
    }

    /// Whether it is a user-supplied component.
    pub fn is_custom(self) -> bool {
        matches!(self, ComponentKind::Custom(_))
    }

    /// Whether it is a table of numbers about nodes that the library computes.
    pub(crate) fn is_computed_table(self) -> bool {
        matches!(self.spec().source, ComponentSource::Roles | ComponentSource::Amounts)
    }

    /// Whether it is computed for pairs instead of nodes.
    pub fn is_pairwise(self) -> bool {
        self.spec().source == ComponentSource::Pairs
    }

    /// The component of this name, which may be user-supplied; names of groups are not components.
    pub fn named(name: &str) -> Option<ComponentKind> {
        match Subject::of(name)? {
            Subject::Component(kind) => Some(kind),
            Subject::Degrees | Subject::PairColumns(_) => None,
        }
    }

    /// Reads a comma-separated list of names such as `U,R,F`.
    pub fn parse_list(text: &str) -> Result<Vec<ComponentKind>> {
        let mut kinds = Vec::new();
        for name in text.split(',').map(str::trim) {
            let built_in = ComponentKind::ALL.into_iter().find(|kind| kind.name().eq_ignore_ascii_case(name));
            let kind = built_in.ok_or_else(|| {
                Error::param(
                    "components",
                    name,
                    format!("names of {}, separated by commas", ComponentKind::names()),
                )
            })?;
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        Ok(kinds)
    }

    /// The names of all built-in components.
    pub(crate) fn names() -> String {
        ComponentKind::ALL.map(ComponentKind::name).join(", ")
    }
}

/// A stream per name, different from those of the built-in components.
fn custom_stream(name: &str) -> u64 {
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (1 << 40) | (hash & ((1 << 32) - 1))
}

impl Serialize for ComponentKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for ComponentKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        match ComponentKind::ALL.into_iter().find(|kind| kind.name() == name) {
            Some(kind) => Ok(kind),
            None => CustomName::new(&name).map(ComponentKind::Custom).map_err(serde::de::Error::custom),
        }
    }
}

/// The subject of a score: a component, or other evidence on pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    Component(ComponentKind),
    /// Degrees alone.
    Degrees,
    /// The columns of X that belong to a group.
    PairColumns(Group),
}

impl Subject {
    const BUILT_IN: [Subject; ComponentKind::ALL.len() + 4] = {
        let count = ComponentKind::ALL.len();
        let mut all = [Subject::Degrees; ComponentKind::ALL.len() + 4];
        let mut at = 0;
        while at < count {
            all[at] = Subject::Component(ComponentKind::ALL[at]);
            at += 1;
        }
        all[count] = Subject::PairColumns(Group::Structure);
        all[count + 1] = Subject::PairColumns(Group::Features);
        all[count + 2] = Subject::PairColumns(Group::Propagation);
        all
    };

    /// Whether it is a user-supplied component.
    pub(crate) fn is_custom(self) -> bool {
        matches!(self, Subject::Component(kind) if kind.is_custom())
    }

    /// The key in reports.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Subject::Component(kind) => kind.name(),
            Subject::Degrees => "degrees",
            Subject::PairColumns(Group::Structure) => "X-structure",
            Subject::PairColumns(Group::Features) => "X-features",
            Subject::PairColumns(Group::Propagation) => "X-propagation",
            Subject::PairColumns(Group::Other) => "X-other",
        }
    }

    /// The subject of a key.
    pub(crate) fn of(key: &str) -> Option<Subject> {
        let built_in = Subject::BUILT_IN.into_iter().find(|own| own.name() == key);
        built_in.or_else(|| Some(Subject::Component(ComponentKind::Custom(CustomName::new(key).ok()?))))
    }

    /// Its group. Without features F holds degrees.
    pub(crate) fn group(self, featureless: bool) -> Group {
        match self {
            Subject::Component(kind) => match kind.spec().group {
                Group::Features if featureless => Group::Structure,
                group => group,
            },
            Subject::Degrees => Group::Other,
            Subject::PairColumns(group) => group,
        }
    }
}

/// A task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum TaskKind {
    /// Link prediction.
    Links,
    /// Node classification.
    Nodes,
}

impl TaskKind {
    /// The name in `--task` and in results.
    pub fn name(self) -> &'static str {
        match self {
            TaskKind::Links => "links",
            TaskKind::Nodes => "nodes",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_and_names_stay() {
        for (at, kind) in ComponentKind::ALL.into_iter().enumerate() {
            assert_eq!(kind.spec().stream, at as u64, "a component keeps its random stream");
            assert_eq!(Subject::of(kind.name()), Some(Subject::Component(kind)));
            let text = serde_json::to_string(&kind).unwrap();
            assert_eq!(serde_json::from_str::<ComponentKind>(&text).unwrap(), kind);
        }
        assert_eq!(Subject::of("degrees"), Some(Subject::Degrees));
        assert_eq!(Subject::of("X-features").unwrap().group(false), Group::Features);
        assert_eq!(Subject::of("F").unwrap().group(true), Group::Structure);
    }

    #[test]
    fn own_names_are_checked_and_kept() {
        let own = ComponentKind::Custom(CustomName::new("node2vec").unwrap());
        assert_eq!((own.name(), Subject::of("node2vec")), ("node2vec", Some(Subject::Component(own))));
        assert_eq!(serde_json::from_str::<ComponentKind>("\"node2vec\"").unwrap(), own);
        assert_ne!(own.spec().stream, ComponentKind::Custom(CustomName::new("text").unwrap()).spec().stream);
        for bad in ["", "u", "X-features", "degrees", "all", "two words", "9lives", &"n".repeat(33)] {
            assert!(CustomName::new(bad).is_err(), "{bad}");
        }
    }
}
