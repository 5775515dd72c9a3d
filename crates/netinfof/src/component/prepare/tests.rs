//! Unit tests, compiled under `#[cfg(test)]` alone.

use super::column::{PARTS, deviation, rank};
use super::*;
use crate::component::features::PreparedRows;
use crate::seed::{Draw, Seed, Stream};

fn draw() -> Draw {
    Seed(3).stream(Stream::Synth, 4)
}

fn learn(features: &Features) -> Preparation {
    let rows = match features {
        Features::Dense(x) => x.rows(),
        Features::Sparse(x) => x.rows(),
        Features::None => 4,
    };
    let graph = Csr::symmetric(rows, &[[0, 1]]);
    let found = Preparation::learn(
        features,
        Weighting::Equal,
        &graph,
        &ComponentParams::default(),
        &Exec::new(1).unwrap(),
    );
    assert!(found.is_sound());
    found
}

fn prepared(x: &Matrix) -> Matrix {
    let how = learn(&Features::Dense(x.clone()));
    PreparedRows::new(Cow::Borrowed(x), Cow::Owned(how), &Exec::new(1).unwrap()).whole(&Exec::new(1).unwrap())
}

#[test]
fn ranks_lie_between_quantiles_and_in_the_middle_of_ties() {
    let quantiles = [0.0, 1.0, 1.0, 1.0, 5.0];
    for (v, expected) in
        [(-3.0, 0.0), (0.0, 0.0), (0.5, 0.125), (1.0, 0.5), (3.0, 0.875), (5.0, 1.0), (9.0, 1.0)]
    {
        assert!((rank(&quantiles, v) - expected).abs() < 1e-6, "{v}: {}", rank(&quantiles, v));
    }
}

#[test]
fn every_column_is_taken_for_what_it_is() {
    let mut draw = draw();
    let n = 500;
    let x = Matrix::from_fn(n, 6, |row, col| match col {
        0 => 1990.0 + draw.below(30) as f32 + draw.unit() as f32,
        1 => f32::from(u8::from(row % 3 == 0)),
        2 => draw.below(7) as f32,
        3 => 4.0,
        4 => (9.0 * draw.normal()).exp() as f32,
        _ => draw.normal() as f32,
    });
    let how = learn(&Features::Dense(x.clone()));
    let kinds: Vec<(Option<ColumnKind>, Vec<usize>)> =
        how.treatments().into_iter().map(|t| (t.kind, t.first)).collect();
    assert_eq!(
        kinds,
        [
            (Some(ColumnKind::Number), vec![0, 4, 5]),
            (Some(ColumnKind::Flag), vec![1]),
            (Some(ColumnKind::Category), vec![2]),
            (Some(ColumnKind::Constant), vec![3]),
        ]
    );
    assert!(how.lengths_matter() && !how.keeps_words());
    // Three numbers with hinges, a flag, a category with its seven levels.
    assert_eq!(how.width(), 3 * (1 + PARTS) + 1 + 8);
    let out = prepared(&x);
    assert!(out.as_slice().iter().all(|v| v.is_finite() && v.abs() < 20.0), "outliers are cut");
}

/// The encoding of a column depends neither on its unit nor on its origin.
#[test]
fn units_do_not_matter() {
    let mut draw = draw();
    let x = Matrix::from_fn(300, 3, |_, _| draw.normal() as f32);
    let moved =
        Matrix::from_fn(300, 3, |row, col| x.row(row)[col] * [1e-5, 3e4, 1.0][col] + [0.0, 7e4, -2.0][col]);
    for (a, b) in prepared(&x).as_slice().iter().zip(prepared(&moved).as_slice()) {
        assert!((a - b).abs() < 2e-3, "{a} {b}");
    }
}

#[test]
fn many_numbers_share_a_scale_where_theirs_are_alike() {
    let mut draw = draw();
    let mut deviations = |sizes: &dyn Fn(usize) -> f64| {
        let x = Matrix::from_fn(400, 80, |_, col| (sizes(col) * draw.normal()) as f32);
        let out = prepared(&x);
        assert_eq!(out.cols(), 80, "no hinges");
        [0, 79].map(|col| deviation(&(0..400).map(|row| out.row(row)[col]).collect::<Vec<_>>()).1)
    };
    // Principal components: their scales are meaningful.
    let [first, last] = deviations(&|col| 5.0 / (1.0 + col as f64 / 10.0));
    assert!(first / last > 5.0, "{first} {last}");
    // Different units: their scales are not meaningful.
    let [first, last] = deviations(&|col| if col == 0 { 1e4 } else { 1.0 });
    assert!((first / last - 1.0).abs() < 0.1, "{first} {last}");
}

/// One negative value neither shifts words nor fills their zeros.
#[test]
fn hashed_words_stay_sparse() {
    let mut draw = draw();
    let rows = (0..200).map(|_| {
        let mut columns: Vec<u32> = (0..30).map(|_| draw.below(100_000)).collect();
        columns.sort_unstable();
        columns.dedup();
        let values = columns.iter().map(|_| if draw.unit() < 0.5 { -1.0 } else { 1.0 }).collect();
        (columns, values)
    });
    let x = Csr::from_rows(100_000, rows);
    let how = learn(&Features::Sparse(x.clone()));
    assert_eq!(how.treatments().last().unwrap().kind, Some(ColumnKind::Hashed));
    let Features::Sparse(out) = how.sparse(&x, &Exec::new(1).unwrap()) else { panic!("they were filled") };
    assert_eq!(out.nnz(), x.nnz());
    let squares = |row: usize| out.row_values(row).unwrap().iter().map(|v| v * v).sum::<f32>();
    assert!((0..200).all(|row| (squares(row) - 1.0).abs() < 1e-5));
}

/// Words and a few numbers together: both are recognised, in dense and in sparse features.
#[test]
fn words_and_numbers_stand_side_by_side() {
    let mut draw = draw();
    let n = 300;
    let x = Matrix::from_fn(n, 102, |_, col| match col {
        0 => 40.0 + 12.0 * draw.normal() as f32,
        101 => (10.0 + draw.normal()).exp() as f32,
        _ => f32::from(u8::from(draw.unit() < 0.05)),
    });
    let how = learn(&Features::Dense(x.clone()));
    let kinds: Vec<_> = how.treatments().into_iter().map(|t| (t.kind.unwrap(), t.columns)).collect();
    assert_eq!(kinds, [(ColumnKind::Number, 2), (ColumnKind::Word, 100)]);
    let dense = prepared(&x);
    let Features::Sparse(sparse) = how.sparse(&Csr::from_dense(&x), &Exec::new(1).unwrap()) else {
        panic!("words stay sparse")
    };
    assert_eq!(sparse.to_dense(), dense);
    let square = |from: usize, to: usize| {
        let row = |row: usize| dense.row(row)[from..to].iter().map(|&v| f64::from(v).powi(2)).sum::<f64>();
        (0..n).map(row).sum::<f64>() / n as f64
    };
    let (words, numbers) = (square(0, 102), square(102, how.width()));
    assert!((words - 1.0).abs() < 1e-3 && numbers > 0.7 && numbers < 2.5, "{words} {numbers}");
}

/// A missing value is marked as missing, and otherwise treated like a typical value.
#[test]
fn missing_values_are_replaced_and_marked() {
    let mut draw = draw();
    let n = 400;
    let gone = |row: usize, col: usize| match col {
        0 => row % 4 == 1,
        1 => row % 10 == 3,
        2 => row % 5 == 2,
        4 => true,
        _ => false,
    };
    let x = Matrix::from_fn(n, 5, |row, col| {
        let v = match col {
            0 => 50.0 + 10.0 * draw.normal() as f32,
            1 => f32::from(u8::from(row % 3 == 0)),
            2 => 7.0,
            _ => draw.normal() as f32,
        };
        if gone(row, col) { f32::NAN } else { v }
    });
    let how = learn(&Features::Dense(x.clone()));
    let found: Vec<_> = how.treatments().into_iter().map(|t| (t.kind.unwrap(), t.first)).collect();
    let expected = [
        (ColumnKind::Number, vec![0]),
        (ColumnKind::Flag, vec![1]),
        (ColumnKind::Constant, vec![2]),
        (ColumnKind::Number, vec![3]),
        (ColumnKind::Constant, vec![4]),
    ];
    assert_eq!(found, expected);
    let out = prepared(&x);
    assert_eq!(out.cols(), (1 + PARTS + 1) + 2 + 2 + (1 + PARTS));
    assert!(out.as_slice().iter().all(|v| v.is_finite()));
    for row in 0..n {
        let value = out.row(row)[0];
        assert!(!gone(row, 0) || value.abs() < 0.1, "the middle stands for a missing number: {value}");
        for (col, mark) in [(0, PARTS + 1), (1, PARTS + 3), (2, PARTS + 5)] {
            assert_eq!(out.row(row)[mark] > 0.0, gone(row, col), "column {col} of node {row}");
        }
    }
    // A graph whose other columns have missing values is also prepared, without a missing-value mark.
    let mut other = x.clone();
    other.row_mut(0)[3] = f32::NAN;
    let rows = PreparedRows::new(Cow::Borrowed(&other), Cow::Borrowed(&how), &Exec::new(1).unwrap());
    assert!(rows.whole(&Exec::new(1).unwrap()).as_slice().iter().all(|v| v.is_finite()));
}

#[test]
fn nothing_but_constants_is_met() {
    let x = Matrix::from_fn(20, 3, |_, col| col as f32);
    let how = learn(&Features::Dense(x.clone()));
    assert!(how.width() > 0 && prepared(&x).as_slice().iter().all(|&v| v == 0.0));
    assert_eq!(how.treatments()[0].treatment, "not used");
}
