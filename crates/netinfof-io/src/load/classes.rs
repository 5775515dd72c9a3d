//! Classes from the texts of a label column.

use std::collections::HashMap;

use crate::frame::sentinels;

/// What a label column holds.
#[derive(Debug)]
pub(super) enum LabelColumn {
    Classes {
        /// Class numbers, -1 where unknown.
        labels: Vec<i32>,
        /// The names of the classes, unless they are the numbers themselves.
        names: Option<Vec<String>>,
        /// Number of labels -1 that are read as unknown.
        minus_ones: usize,
    },
    /// So many different numbers that they are the target of a regression.
    Numbers { distinct: usize },
    /// So many different texts that they are not classes.
    Texts { distinct: usize },
}

/// Fewer different labels are always classes.
const FEW: usize = 20;

/// The classes of a column. Empty cells and the usual marks of missing values are unknown, and so is -1, unless
/// it is one of only two labels besides 1.
pub(super) fn of(labels: &[String]) -> LabelColumn {
    read(labels, false)
}

/// The same for a column that holds classes however many they are.
pub(super) fn forced(labels: &[String]) -> LabelColumn {
    read(labels, true)
}

fn read(labels: &[String], forced: bool) -> LabelColumn {
    let numbers: Option<Vec<Option<f64>>> = labels
        .iter()
        .map(|label| if is_unknown(label) { Some(None) } else { label.parse().ok().map(Some) })
        .collect();
    // `1.0` is the class 1: a column with a missing value is often written as floats.
    let texts: Vec<String> = if let Some(numbers) = &numbers {
        let text = |(number, label): (&Option<f64>, &String)| match number {
            None => String::new(),
            Some(value) if value.fract() == 0.0 && value.abs() < 1e15 => (*value as i64).to_string(),
            // `0.5` and `0.50` are one class.
            Some(value) if value.is_finite() => value.to_string(),
            Some(_) => label.clone(),
        };
        numbers.iter().zip(labels).map(text).collect()
    } else {
        // `True` and `true` are one class.
        let truth =
            |label: &str| ["True", "False"].into_iter().find(|truth| truth.eq_ignore_ascii_case(label));
        let truths = labels.iter().all(|label| is_unknown(label) || truth(label).is_some());
        let text = |label: &String| match truth(label) {
            Some(truth) if truths => truth.to_string(),
            _ if is_unknown(label) => String::new(),
            _ => label.clone(),
        };
        labels.iter().map(text).collect()
    };

    let mut names: Vec<&str> = texts.iter().map(String::as_str).filter(|text| !text.is_empty()).collect();
    let known = names.len();
    names.sort_unstable();
    names.dedup();
    let two_sided = names == ["-1", "1"];
    let minus_ones = if two_sided { 0 } else { texts.iter().filter(|text| *text == "-1").count() };
    if !two_sided {
        names.retain(|name| *name != "-1");
    }
    let distinct = names.len();
    if let Some(numbers) = &numbers {
        let fractions = numbers.iter().flatten().any(|value| value.fract() != 0.0);
        if !forced && distinct > FEW && (fractions || distinct > known / 5) {
            return LabelColumn::Numbers { distinct };
        }
    } else if !forced && distinct > FEW && distinct > known / 2 {
        return LabelColumn::Texts { distinct };
    }
    if numbers.is_some() {
        let value = |name: &str| name.parse::<f64>().unwrap_or(f64::NAN);
        names.sort_by(|a, b| value(a).total_cmp(&value(b)));
    }
    let number: HashMap<&str, i32> = names.iter().copied().zip(0..).collect();
    let plain = names.iter().zip(0..).all(|(name, number): (_, i32)| *name == number.to_string());
    let classes = (!plain).then(|| names.iter().map(|name| (*name).to_string()).collect());
    let labels = texts.iter().map(|text| number.get(text.as_str()).copied().unwrap_or(-1)).collect();
    LabelColumn::Classes { labels, names: classes, minus_ones }
}

/// Two classes whose names differ in case or spaces only: most likely one class.
pub(super) fn nearly_equal(names: &[String]) -> Option<[&str; 2]> {
    let plain = |name: &str| -> String { name.to_lowercase().split_whitespace().collect() };
    let mut seen: HashMap<String, &str> = HashMap::new();
    names.iter().find_map(|name| seen.insert(plain(name), name).map(|other| [other, name]))
}

/// A class whose name may mean that the class is unknown: a word, or a number far outside of the others.
pub(super) fn like_unknown(names: &[String]) -> Option<&str> {
    const WORDS: [&str; 8] =
        ["none", "unknown", "unlabeled", "unlabelled", "undefined", "missing", "notavailable", "unk"];
    let plain =
        |name: &str| -> String { name.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect() };
    if let Some(name) = names.iter().find(|name| WORDS.contains(&plain(name).as_str())) {
        return Some(name);
    }
    let numbers: Option<Vec<f64>> = names.iter().map(|name| name.parse().ok()).collect();
    // Every class counts as repeated.
    let twice: Vec<f64> = numbers?.into_iter().flat_map(|number| [number; 2]).collect();
    let value = sentinels(&twice).first()?.value.to_string();
    names.iter().find(|name| **name == value).map(String::as_str)
}

/// Whether a label is missing. `none` may be a class.
pub(super) fn is_unknown(label: &str) -> bool {
    const WAYS: [&str; 6] = ["", "?", "na", "n/a", "nan", "null"];
    WAYS.iter().any(|way| label.eq_ignore_ascii_case(way))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes_of(labels: &[&str]) -> (Vec<i32>, Option<Vec<String>>) {
        match of(&labels.iter().map(ToString::to_string).collect::<Vec<_>>()) {
            LabelColumn::Classes { labels, names, .. } => (labels, names),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn names_and_numbers() {
        assert_eq!(classes_of(&["1", "0", "", "nan"]), (vec![1, 0, -1, -1], None));
        assert_eq!(classes_of(&["1.0", "0.0", "2.0"]), (vec![1, 0, 2], None));
        let names = |names: &[&str]| Some(names.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(classes_of(&["b", "a", "NA", "none"]), (vec![1, 0, -1, 2], names(&["a", "b", "none"])));
        assert_eq!(classes_of(&["10", "9", "9"]), (vec![1, 0, 0], names(&["9", "10"])));
        // A fraud label; with a third label, -1 is unknown.
        assert_eq!(classes_of(&["-1", "1", "1"]), (vec![0, 1, 1], names(&["-1", "1"])));
        assert_eq!(classes_of(&["-1", "1", "0"]), (vec![-1, 1, 0], None));
        assert_eq!(classes_of(&["0.5", "1", "0.50"]), (vec![0, 1, 0], names(&["0.5", "1"])));
        assert_eq!(classes_of(&["True", "false", "true"]), (vec![1, 0, 1], names(&["False", "True"])));
        assert_eq!(classes_of(&["True", "true", "x"]), (vec![0, 1, 2], names(&["True", "true", "x"])));
        assert_eq!(nearly_equal(&names(&["No", "Yes", "yes"]).unwrap()), Some(["Yes", "yes"]));
        assert_eq!(nearly_equal(&names(&["A", "B", "A 1"]).unwrap()), None);
        for (list, odd) in [
            (["a", "None", "b"], Some("None")),
            (["0", "1", "-9"], Some("-9")),
            (["0", "1", "999"], Some("999")),
            (["0", "1", "unlabelled"], Some("unlabelled")),
            (["1", "2", "3"], None),
            (["7", "8", "9"], None),
        ] {
            assert_eq!(like_unknown(&names(&list).unwrap()), odd, "{list:?}");
        }
    }

    #[test]
    fn many_different_values_are_no_classes() {
        let visits: Vec<String> = (0..200).map(|at| (at * at % 9973).to_string()).collect();
        assert!(matches!(of(&visits), LabelColumn::Numbers { distinct } if distinct > 190));
        let ratings: Vec<String> = (0..500).map(|at| format!("{}.5", at % 40)).collect();
        assert!(matches!(of(&ratings), LabelColumn::Numbers { distinct: 40 }));
        let names: Vec<String> = (0..200).map(|at| format!("n{at}")).collect();
        assert!(matches!(of(&names), LabelColumn::Texts { distinct: 200 }));
        // 42 departments of 1005 people are classes.
        let departments: Vec<String> = (0..1005).map(|at| (at % 42).to_string()).collect();
        assert!(matches!(of(&departments), LabelColumn::Classes { .. }));
    }
}
