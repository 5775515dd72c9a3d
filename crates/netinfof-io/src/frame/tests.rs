use super::*;
use FeatureKind::{Boolean, Category, Date, Number};

fn numbers_column(name: &str, values: &[f64]) -> FrameColumn {
    FrameColumn { name: name.into(), values: ColumnValues::Numbers(values.to_vec()), stated: None }
}

fn texts(name: &str, values: &[&str]) -> FrameColumn {
    let values = ColumnValues::from_texts(values.iter().map(|text| Some(*text)));
    FrameColumn { name: name.into(), values, stated: None }
}

fn typed(columns: Vec<FrameColumn>, choices: &ColumnChoices) -> Result<TypedFeatures, String> {
    let rows = columns[0].values.len();
    Frame { columns }.typed(rows, choices, None, None).map_err(|fault| fault.what)
}

fn dense(found: &TypedFeatures) -> Vec<f32> {
    match &found.features {
        Features::Dense(x) => x.as_slice().to_vec(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn columns_have_kinds() {
    let found = typed(
        vec![
            numbers_column("age", &[30.0, 41.5, 7.0, 7.0]),
            texts("member", &["True", "false", "TRUE", "?"]),
            texts("town", &["Rome", "Bern", "Rome", ""]),
            texts("since", &["2020-01-01", "2020-01-02", "2020-01-11", "NA"]),
            texts("price", &["1,5", "2,25", "3,75", "0,5"]),
        ],
        &ColumnChoices::default(),
    )
    .unwrap();
    let kinds: Vec<FeatureKind> = found.columns.iter().map(|column| column.kind).collect();
    assert_eq!(kinds, [Number, Boolean, Category, Date, Number]);
    assert_eq!(found.columns[2].levels, ["Bern", "Rome"]);
    let x = dense(&found);
    assert_eq!(&x[..5], &[30.0, 1.0, 1.0, 18_262.0, 1.5]);
    assert_eq!(&x[5..10], &[41.5, 0.0, 0.0, 18_263.0, 2.25]);
    assert!(x[16].is_nan() && x[17].is_nan() && x[18].is_nan() && x[19] == 0.5);
}

#[test]
fn choices_and_refusals() {
    let columns = || vec![numbers_column("zip", &[1000.0, 2000.0, 1000.0]), texts("code", &["a", "b", "a"])];
    let list = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    let choices =
        ColumnChoices { categorical: list(&["z*"]), drop: list(&["code"]), ..ColumnChoices::default() };
    let found = typed(columns(), &choices).unwrap();
    assert_eq!((found.columns.len(), &found.columns[0].levels[..]), (1, &list(&["1000", "2000"])[..]));
    assert_eq!(found.dropped, [Dropped::new("code", "as asked")]);
    let choices = ColumnChoices { features: list(&["zip"]), ..ColumnChoices::default() };
    assert_eq!(typed(columns(), &choices).unwrap().columns.len(), 1);
    for (choices, what) in [
        (ColumnChoices { drop: list(&["none"]), ..ColumnChoices::default() }, "no feature column `none`"),
        (ColumnChoices { numeric: list(&["code"]), ..ColumnChoices::default() }, "`a` is not a number"),
    ] {
        let error = typed(columns(), &choices).unwrap_err();
        assert!(error.contains(what), "{error}");
    }
    let error = typed(vec![texts("h", &["1", "2", "3", "tall"])], &ColumnChoices::default()).unwrap_err();
    assert!(error.contains("`tall` is not a finite number"), "{error}");
    let reviews: Vec<String> = (0..40).map(|at| format!("this is the long review number {at}")).collect();
    let reviews: Vec<&str> = reviews.iter().map(String::as_str).collect();
    let error = typed(vec![texts("review", &reviews)], &ColumnChoices::default()).unwrap_err();
    assert!(error.contains("free text") && error.contains("`component`"), "{error}");
    let mixed: Vec<String> = (0..100).map(|at| format!("n{}", at * 3 / 4)).collect();
    let mixed: Vec<&str> = mixed.iter().map(String::as_str).collect();
    let error = typed(vec![texts("n", &mixed)], &ColumnChoices::default()).unwrap_err();
    assert!(error.contains("75 different texts in 100 rows"), "{error}");
}

#[test]
fn ids_and_indices_are_no_features_and_copies_of_the_label_are_reported() {
    let count = |scale: f64| (0..40).map(|at| scale * f64::from(at)).collect::<Vec<_>>();
    let labels: Vec<String> = (0..40).map(|at| (at % 2).to_string()).collect();
    let names: Vec<String> = (0..40).map(|at| format!("n{at}")).collect();
    let columns = vec![
        numbers_column("", &count(1.0)),
        numbers_column("order", &count(1.0)),
        numbers_column("customer_id", &count(7.0)),
        numbers_column("copy", &(0..40).map(|at| f64::from(5 * (at % 2))).collect::<Vec<_>>()),
        numbers_column("x", &count(7.0)),
        texts("name", &names.iter().map(String::as_str).collect::<Vec<_>>()),
    ];
    let frame = Frame { columns };
    let found = frame.clone().typed(40, &ColumnChoices::default(), None, Some(&labels)).unwrap();
    assert_eq!(found.columns.iter().map(|column| &column.name[..]).collect::<Vec<_>>(), ["copy", "x"]);
    assert_eq!(found.dropped.len(), 4);
    assert!(
        found.notices.iter().any(|text| text.contains("`copy` is a copy of the label")),
        "{:?}",
        found.notices
    );
    // What is asked for is used.
    let choices = ColumnChoices { numeric: vec!["order".into()], ..ColumnChoices::default() };
    assert_eq!(frame.typed(40, &choices, None, Some(&labels)).unwrap().columns.len(), 3);
}

#[test]
fn rare_levels_share_one() {
    let many: Vec<String> = (0..400).map(|at| format!("t{:02}", at * at % 97 % 60)).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let found = typed(vec![texts("town", &many)], &ColumnChoices::default()).unwrap();
    let column = &found.columns[0];
    assert_eq!((column.levels.len(), column.has_other), (32, true));
    assert!(found.notices[0].contains("the 31 commonest"));
    // A newer table has the same numbers for the same levels.
    let like = Schema::new("edges");
    let mut like = like;
    like.columns = found.columns.clone();
    let choices = ColumnChoices { like: Some(like), ..ColumnChoices::default() };
    let newer = typed(vec![texts("town", &[column.levels[3].as_str(), "elsewhere"])], &choices).unwrap();
    assert_eq!(dense(&newer), [3.0, 31.0]);
}

#[test]
fn wide_tables_have_a_column_per_level() {
    let mut columns: Vec<FrameColumn> =
        (0..70).map(|at| numbers_column(&format!("x{at}"), &[f64::from(at), 1.5, 2.0])).collect();
    columns.push(texts("town", &["Rome", "Bern", "Rome"]));
    let found = typed(columns, &ColumnChoices::default()).unwrap();
    assert_eq!(found.columns.len(), 72);
    assert_eq!(found.columns[70].name, "town=Bern");
}

#[test]
fn patterns() {
    for (pattern, name, expected) in [
        ("a", "a", true),
        ("a", "ab", false),
        ("a*", "ab", true),
        ("*b", "ab", true),
        ("a*c", "abbc", true),
        ("a*c", "abb", false),
        ("*", "", true),
    ] {
        assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
    }
}

#[test]
fn dates_that_follow_each_other_are_dates() {
    let days: Vec<f64> = (0..30).map(|day| 18_262.0 + f64::from(day)).collect();
    let stated = |stated| vec![FrameColumn { stated, ..numbers_column("joined", &days) }];
    let found = typed(stated(Some(Date)), &ColumnChoices::default()).unwrap();
    assert_eq!((found.columns.len(), found.columns[0].kind), (1, Date));
    // Plain numbers that do so number the rows.
    assert!(typed(stated(None), &ColumnChoices::default()).unwrap().columns.is_empty());
    // A model does not take dates for numbers, nor numbers for dates.
    let like = |kind| {
        let mut schema = Schema::new("a table");
        schema.columns = vec![FeatureColumn::new("joined", kind)];
        ColumnChoices { like: Some(schema), ..ColumnChoices::default() }
    };
    assert!(typed(stated(Some(Date)), &like(Date)).is_ok() && typed(stated(None), &like(Number)).is_ok());
    let error = typed(stated(Some(Date)), &like(Number)).unwrap_err();
    assert!(error.contains("holds dates, but the model was fitted on numbers"), "{error}");
    assert!(typed(stated(None), &like(Date)).unwrap_err().contains("holds no dates"));
    assert!(typed(vec![texts("joined", &["20200101", "20200103"])], &like(Date)).is_err());
    assert!(typed(vec![texts("joined", &["2020-01-01", ""])], &like(Date)).is_ok());
}

#[test]
fn numbers_of_nines_far_outside_are_missing() {
    let columns = || {
        let values: Vec<f64> = (0..20).map(|at| if at < 3 { -999.0 } else { f64::from(at % 7) }).collect();
        let commas: Vec<String> =
            (0..20).map(|at| if at < 3 { "9999,0".into() } else { format!("{at},5") }).collect();
        let commas: Vec<&str> = commas.iter().map(String::as_str).collect();
        let codes: Vec<f64> = (0..20).map(|at| if at < 3 { -99.0 } else { f64::from(at % 2) }).collect();
        vec![numbers_column("a", &values), texts("b", &commas), numbers_column("c", &codes)]
    };
    let found = typed(columns(), &ColumnChoices::default()).unwrap();
    let codes: Vec<&[i64]> = found.columns.iter().map(|column| &column.missing_codes[..]).collect();
    assert_eq!(codes, [&[-999][..], &[9999], &[-99]]);
    assert_eq!(found.columns[2].kind, Boolean);
    let x = dense(&found);
    assert!(x[..9].iter().all(|value| value.is_nan()) && x[9..].iter().all(|value| !value.is_nan()));
    let said =
        "-999 in 3 rows of `a`, 9999 in 3 rows of `b`, -99 in 3 rows of `c`; give a column as `numeric`";
    assert!(found.notices.iter().any(|notice| notice.contains(said)), "{:?}", found.notices);
    // As asked, or as the model has it.
    let choices = ColumnChoices { numeric: vec!["*".into()], ..ColumnChoices::default() };
    assert_eq!(dense(&typed(columns(), &choices).unwrap())[0], -999.0);
    let mut like = Schema::new("a table");
    like.columns = found.columns.clone();
    like.columns[0].missing_codes = vec![5];
    let choices = ColumnChoices { like: Some(like), ..ColumnChoices::default() };
    let x = dense(&typed(columns(), &choices).unwrap());
    assert!(x[0] == -999.0 && x[2].is_nan() && x[3 * 5].is_nan() && x[3 * 6] == 6.0);
}

#[test]
fn days_written_as_numbers_are_named() {
    let days: Vec<f64> = (0..14).map(|at| 20_200_101.0 + f64::from(2 * at)).collect();
    let found = typed(vec![numbers_column("d", &days)], &ColumnChoices::default()).unwrap();
    assert!(
        found.notices[0].contains("they look like dates: write them as 2020-01-31"),
        "{:?}",
        found.notices
    );
}
