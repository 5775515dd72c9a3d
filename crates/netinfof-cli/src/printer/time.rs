//! How a split lies in time, in sentences for the terminal and the page.

use netinfof::Report;
use netinfof::report::TimeOrder;

use super::plural;

/// The periods of the first split and what is special about its test edges; empty unless edges have times.
pub(crate) fn time_lines(report: &Report) -> Vec<String> {
    let Some(split) = report.splits.first() else { return Vec::new() };
    let Some(order) = &split.time else { return Vec::new() };
    let mut lines = vec![periods(order)];
    let [_, _, tested] = order.edges;
    let [_, unseen] = order.unseen;
    let by_ends = split.act.as_ref().and_then(|act| act.by_ends);
    let auc = by_ends.map_or(String::new(), |parts| {
        let [seen, unseen] = parts.map(|part| part.auc.map_or("–".into(), |auc| format!("{auc:.4}")));
        format!("; AUC {seen} with both ends known from training, {unseen} with an unknown end")
    });
    lines.push(format!(
        "{unseen} of {} {} an end without a training edge{auc}.",
        plural(tested, "test edge"),
        if tested == 1 { "has" } else { "have" }
    ));
    lines
}

fn periods(order: &TimeOrder) -> String {
    let [[first, train_end], [valid_start, valid_end], [test_start, last]] = &order.texts;
    let [train, valid, test] = order.edges;
    let how = match (order.own, order.misplaced) {
        (false, _) => format!("Split by time (`{}`)", order.column),
        (true, 0) => format!("User-supplied split, in order of time (`{}`)", order.column),
        (true, count) => format!(
            "User-supplied split that does not respect time (`{}`; {} too late)",
            order.column,
            plural(count, "edge")
        ),
    };
    format!(
        "{how}: {train} training edges from {first} to {train_end}, {valid} validation edges from {valid_start} to {valid_end}, \
         {test} test edges from {test_start} to {last}."
    )
}
