//! Generated graphs with planted information, named as `synth:NAME` or `synth:NAME?key=value&key=value`.

mod communities;
mod large;
mod scenario;

use crate::csr::NodeId;
use crate::error::{Error, Result};
use crate::exec::Exec;
use crate::graph::{Graph, Truth};
use crate::seed::Seed;
use crate::spec::{ComponentKind, TaskKind};

pub use communities::{Communities, communities};
pub use large::{Large, large};
pub use scenario::{Content, Scenario, Structure, scenario};

/// A generator with its parameters.
///
/// ```
/// use netinfof::{Exec, Seed, synth::Generator};
/// let generator = Generator::parse("random-diagonal?nodes=400&density=0.04")?;
/// let graph = generator.graph(Seed(0), &Exec::new(1)?)?;
/// assert_eq!((graph.nodes(), graph.truth().unwrap().informative.len()), (400, 4));
/// # Ok::<(), netinfof::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Generator {
    name: String,
    recipe: Recipe,
    seed: Option<Seed>,
}

#[derive(Clone, Debug, PartialEq)]
enum Recipe {
    Demo(Communities),
    Scenario(Scenario),
    Large(Large),
}

impl Generator {
    /// The names of all generators.
    pub fn names() -> impl Iterator<Item = &'static str> {
        std::iter::once("demo").chain(scenario::SCENARIOS.iter().map(|s| s.name)).chain(["large"])
    }

    /// Reads a name with parameters, such as `local-offdiagonal` or `large?nodes=1000000&degree=20`.
    pub fn parse(spec: &str) -> Result<Self> {
        let (name, query) = spec.split_once('?').unwrap_or((spec, ""));
        let mut generator = Generator::named(name)?;
        for setting in query.split('&').filter(|setting| !setting.is_empty()) {
            let Some((key, value)) = setting.split_once('=') else {
                let need = format!("key=value; {} has {}", name, generator.keys().join(", "));
                return Err(Error::param("GRAPH", format!("`{setting}` in synth:{spec}"), need));
            };
            generator.set(key, value)?;
        }
        Ok(generator)
    }

    fn named(name: &str) -> Result<Self> {
        let recipe = match name {
            "demo" => Recipe::Demo(Communities::default()),
            "large" => Recipe::Large(Large::default()),
            _ => Recipe::Scenario(Scenario::named(name).ok_or_else(|| {
                let need = format!("one of {}", Generator::names().collect::<Vec<_>>().join(", "));
                Error::param("GRAPH", format!("synth:{name}"), need)
            })?),
        };
        Ok(Generator { name: name.into(), recipe, seed: None })
    }

    /// The parameters that can be set.
    pub fn keys(&self) -> Vec<&'static str> {
        let own: &[&'static str] = match &self.recipe {
            Recipe::Demo(_) => &["nodes", "features", "classes", "edge_noise"],
            Recipe::Scenario(scenario) => scenario.keys(),
            Recipe::Large(_) => &["nodes", "degree", "communities", "mixing", "features", "words", "signal"],
        };
        own.iter().copied().chain(["seed"]).collect()
    }

    /// Sets one parameter by its name.
    pub fn set(&mut self, key: &str, value: &str) -> Result<()> {
        let key = key.replace('-', "_");
        let Some(name) = self.keys().into_iter().find(|known| *known == key) else {
            let need = format!("one of {}", self.keys().join(", "));
            return Err(Error::param("GRAPH", format!("parameter `{key}` of synth:{}", self.name), need));
        };
        let number = || match value.parse::<f64>() {
            Ok(number) if number.is_finite() && number >= 0.0 => Ok(number),
            _ => Err(Error::param(name, format!("`{value}`"), "a number of at least 0")),
        };
        let count = || match number()? {
            number if number.fract() == 0.0 && number <= f64::from(NodeId::MAX) => Ok(number as usize),
            _ => Err(Error::param(name, format!("`{value}`"), "a whole number, at most 4294967295")),
        };
        match (&mut self.recipe, name) {
            (_, "seed") => {
                let seed =
                    value.parse().map_err(|_| Error::param(name, value, "a whole number of at least 0"))?;
                self.seed = Some(Seed(seed));
            }
            (Recipe::Demo(shape), "nodes") => shape.nodes = count()?,
            (Recipe::Demo(shape), "features") => shape.features = count()?,
            (Recipe::Demo(shape), "classes") => shape.classes = count()?,
            (Recipe::Demo(shape), _) => shape.noise = number()?,
            (Recipe::Scenario(shape), "nodes") => shape.nodes = count()?,
            (Recipe::Scenario(shape), "features") => shape.features = count()?,
            (Recipe::Scenario(shape), "classes") => shape.classes = count()?,
            (Recipe::Scenario(shape), "density") => shape.density = number()?,
            (Recipe::Scenario(shape), "edge_noise") => shape.edge_noise = number()?,
            (Recipe::Scenario(shape), _) => shape.feature_noise = number()?,
            (Recipe::Large(shape), "nodes") => shape.nodes = count()?,
            (Recipe::Large(shape), "degree") => shape.degree = number()?,
            (Recipe::Large(shape), "communities") => shape.communities = count()?,
            (Recipe::Large(shape), "mixing") => shape.mixing = number()?,
            (Recipe::Large(shape), "features") => shape.features = count()?,
            (Recipe::Large(shape), "words") => shape.words = count()?,
            (Recipe::Large(shape), _) => shape.signal = number()?,
        }
        Ok(())
    }

    /// Generates the graph. Node ids carry no meaning: they are shuffled.
    pub fn graph(&self, seed: Seed, exec: &Exec) -> Result<Graph> {
        let seed = self.seed.unwrap_or(seed);
        let (graph, task, informative) = match &self.recipe {
            Recipe::Demo(shape) => {
                (communities(shape, seed)?, TaskKind::Links, ComponentKind::PAPER.to_vec())
            }
            Recipe::Scenario(shape) => (scenario(shape, seed, exec)?, shape.task(), shape.informative()),
            Recipe::Large(shape) => (large(shape, seed, exec)?, TaskKind::Links, shape.informative()),
        };
        let truth = Truth { scenario: self.name.clone(), task, informative, seed: seed.0 };
        Ok(graph.with_name(&self.name).with_truth(truth))
    }
}

/// Generates a graph by its name and parameters; see [`Generator`].
pub fn named(spec: &str, seed: Seed, exec: &Exec) -> Result<Graph> {
    Generator::parse(spec)?.graph(seed, exec)
}

/// A number of nodes, features or classes as a node's number.
fn count(n: usize) -> u32 {
    u32::try_from(n).expect("generated graphs have fewer than 2^32 nodes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn demo_is_what_it_says_and_repeats() {
        let exec = Exec::new(1).unwrap();
        let demo = |seed| named("demo", Seed(seed), &exec).unwrap();
        let a = demo(0);
        let facts = a.facts();
        assert_eq!((facts.nodes, facts.features, facts.classes), (1200, 400, 4));
        assert!(facts.edge_homophily.unwrap() > 0.85, "{facts:?}");
        let b = demo(0);
        assert_eq!((a.edges(), a.features()), (b.edges(), b.features()));
        assert_ne!(a.edges(), demo(1).edges());
        assert_eq!(named("demo?seed=1", Seed(0), &exec).unwrap().edges(), demo(1).edges());
    }

    #[test]
    fn wrong_names_and_parameters_are_named() {
        let fault = |spec: &str| Generator::parse(spec).unwrap_err().to_string();
        assert!(fault("nosuch").contains("synth:nosuch") && fault("nosuch").contains("local-offdiagonal"));
        assert!(fault("demo?nodes").contains("key=value"));
        assert!(fault("demo?degree=3").contains("nodes, features, classes, edge_noise, seed"));
        assert!(fault("large?nodes=-4").contains("a number of at least 0"));
        assert!(fault("large?nodes=1.5").contains("a whole number"));
        assert!(fault("random-diagonal?feature_noise=1").contains("feature_noise"));
        assert!(fault("demo?seed=x").contains("whole number"));
    }
}
