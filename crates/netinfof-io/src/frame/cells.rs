//! The kinds of texts in a column: numbers, decimal commas, booleans, dates, or other texts.

/// Whether a text marks a missing value in one of the common ways.
pub(crate) fn is_missing_text(text: &str) -> bool {
    const WAYS: [&str; 13] =
        ["", "?", "na", "n/a", "nan", "null", "none", "nat", "#n/a", "#na", "<na>", "\\n", "-nan"];
    let text = text.trim();
    text.len() <= 4 && WAYS.iter().any(|way| text.eq_ignore_ascii_case(way))
}

/// What all texts of a column are.
#[derive(Debug, PartialEq)]
pub(super) enum TextKind {
    Numbers,
    DecimalCommas,
    /// Numbers with commas whose meaning is unclear, such as this one.
    Ambiguous(String),
    Booleans,
    Dates,
    /// More than half are numbers, but this one is not.
    MostlyNumbers(String),
    Texts,
}

pub(super) fn kind_of_texts(distinct: &[String]) -> TextKind {
    let is_number = |text: &&String| text.parse::<f64>().is_ok_and(f64::is_finite);
    let numbers = distinct.iter().filter(is_number).count();
    if numbers == distinct.len() {
        let mut groups = PointGroups::default();
        for text in distinct {
            groups.add(text);
        }
        let example = distinct.iter().find(|text| groups.are_likely() && text.contains('.'));
        return example.map_or(TextKind::Numbers, |text| TextKind::Ambiguous(text.clone()));
    }
    if distinct.iter().all(|text| boolean(text).is_some()) {
        return TextKind::Booleans;
    }
    if distinct.iter().all(|text| days_of_date(text).is_some()) {
        return TextKind::Dates;
    }
    if distinct.iter().all(|text| decimal_comma(text).is_some()) {
        // `1,234` is a thousand in one country and one and a bit in another; one clear text decides.
        let with_comma = || distinct.iter().filter(|text| text.contains(','));
        let clear = |text: &String| {
            let (whole, decimals) = text.split_once(',').unwrap_or((text, ""));
            decimals.len() != 3 || whole.trim_start_matches(['+', '-']) == "0" || whole.contains('.')
        };
        return if with_comma().any(clear) {
            TextKind::DecimalCommas
        } else {
            TextKind::Ambiguous(with_comma().next().cloned().unwrap_or_default())
        };
    }
    if distinct.iter().all(|text| is_number(&text) || has_thousands(text)) {
        let text = distinct.iter().find(|text| has_thousands(text)).cloned();
        return TextKind::Ambiguous(text.unwrap_or_default());
    }
    if distinct.iter().all(|text| is_number(&text) || is_grouped(text)) {
        let text = distinct.iter().find(|text| is_grouped(text)).cloned();
        return TextKind::Ambiguous(text.unwrap_or_default());
    }
    if 2 * numbers > distinct.len() {
        let other = distinct.iter().find(|text| !is_number(text));
        return TextKind::MostlyNumbers(other.cloned().unwrap_or_default());
    }
    TextKind::Texts
}

/// True and false in the common notations, also mixed with 1 and 0.
pub(super) fn boolean(text: &str) -> Option<bool> {
    const TRUE: [&str; 5] = ["true", "yes", "t", "y", "1"];
    const FALSE: [&str; 5] = ["false", "no", "f", "n", "0"];
    let is = |words: [&str; 5]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
    match (is(TRUE), is(FALSE)) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}

/// A number with a decimal comma, and with points between thousands, such as `1.234,5`.
pub(super) fn decimal_comma(text: &str) -> Option<f64> {
    let (whole, decimals) = text.split_once(',').unwrap_or((text, ""));
    let digits = whole.strip_prefix(['+', '-']).unwrap_or(whole);
    let groups: Vec<&str> = digits.split('.').collect();
    let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let grouped = groups.len() == 1
        || text.contains(',')
            && (1..=3).contains(&groups[0].len())
            && groups[1..].iter().all(|part| part.len() == 3);
    if digits.is_empty() || !grouped || !groups.iter().all(|part| all_digits(part)) || !all_digits(decimals) {
        return None;
    }
    if text.contains(',') && decimals.is_empty() {
        return None;
    }
    format!("{}.{decimals}", whole.replace('.', "")).parse().ok()
}

/// The same numbers with decimal points, if all of these have decimal commas; an error if the commas are unclear.
pub(crate) fn plain_decimals(distinct: &[String]) -> Option<Result<Vec<String>, String>> {
    match kind_of_texts(distinct) {
        TextKind::DecimalCommas => {
            let plain = |text: &String| decimal_comma(text).unwrap_or(f64::NAN).to_string();
            Some(Ok(distinct.iter().map(plain).collect()))
        }
        TextKind::Ambiguous(text) => Some(Err(text)),
        _ => None,
    }
}

/// Whether commas separate groups of three digits, as in `1,234,567.8`.
fn has_thousands(text: &str) -> bool {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let mut groups = whole.strip_prefix(['+', '-']).unwrap_or(whole).split(',');
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    groups.next().is_some_and(|first| digits(first) && first.len() <= 3)
        && groups.all(|part| digits(part) && part.len() == 3)
        && decimals.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether other signs than commas separate groups of three digits, as in `1.234.567`, `1'234` and `1 234,5`.
fn is_grouped(text: &str) -> bool {
    let digits = |part: &str| part.len() == 3 && part.bytes().all(|byte| byte.is_ascii_digit());
    ['.', '\'', '’', ' ', '_', '\u{a0}', '\u{202f}'].into_iter().any(|sign| {
        let mut groups = text.strip_prefix(['+', '-']).unwrap_or(text).split(sign);
        let first = groups.next().unwrap_or_default();
        let mut rest: Vec<&str> = groups.collect();
        // The last group may have decimals.
        if let Some(last) = rest.last_mut() {
            *last = last.split([',', '.']).next().unwrap_or_default();
        }
        (1..=3).contains(&first.len())
            && first.bytes().all(|byte| byte.is_ascii_digit())
            && rest.len() >= if sign == '.' { 2 } else { 1 }
            && rest.iter().all(|part| digits(part))
    })
}

/// Whether points seem to separate thousands in a column of numbers such as `1.234` beside others such as `999`: every
/// point has three digits behind it, and numbers without a point are below 1000.
#[derive(Default)]
pub(crate) struct PointGroups {
    grouped: usize,
    small: usize,
    others: bool,
}

impl PointGroups {
    pub(crate) fn add(&mut self, text: &str) {
        if self.others {
            return;
        }
        let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
        let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        match digits.split_once('.') {
            Some((whole, rest)) if rest.len() == 3 && (1..=3).contains(&whole.len()) => {
                self.grouped += 1;
                self.others = whole.starts_with('0') || !all_digits(whole) || !all_digits(rest);
            }
            None if digits.len() <= 3 && all_digits(digits) => self.small += 1,
            _ => self.others = true,
        }
    }

    pub(crate) fn are_likely(&self) -> bool {
        const ENOUGH: usize = 5;
        !self.others && self.grouped >= ENOUGH && self.small > 0
    }
}

/// A date or time as days since 1970-01-01: `2020-01-31`, `2020/01/31`, `31.01.2020`, each optionally with a
/// time of day. Dates with slashes and the year at the end have two meanings and are not read.
pub(crate) fn days_of_date(text: &str) -> Option<f64> {
    let text = text.trim();
    if !text.is_ascii() || text.len() < 8 {
        return None;
    }
    let (date, time) = text.split_at_checked(text.find(['T', ' ']).unwrap_or(text.len()))?;
    let numbers = |sign: char| -> Option<[u32; 3]> {
        let mut parts = date.split(sign).map(|part| {
            let digits = part.bytes().all(|byte| byte.is_ascii_digit());
            if digits && (1..=4).contains(&part.len()) { part.parse::<u32>().ok() } else { None }
        });
        let found = [parts.next()??, parts.next()??, parts.next()??];
        parts.next().is_none().then_some(found)
    };
    let year_first = |[year, month, day]: [u32; 3]| [year, month, day];
    let [year, month, day] = numbers('-')
        .or_else(|| numbers('/'))
        .map(year_first)
        .or_else(|| numbers('.').map(|[day, month, year]| [year, month, day]))?;
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let lengths = [31, if leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let length = *lengths.get((month as usize).checked_sub(1)?)?;
    if !(1000..=9999).contains(&year) || !(1..=length).contains(&day) {
        return None;
    }
    // Days since 0000-03-01, so that leap days are the last of a year (Hinnant's algorithm).
    let (y, m) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1;
    let seconds =
        if time.len() <= 1 && time.trim().is_empty() { 0.0 } else { seconds_of_day(time[1..].trim())? };
    Some(f64::from(days) - 719_468.0 + seconds / 86_400.0)
}

/// How texts are written that a person reads as dates or numbers, and how they can be given.
pub(crate) fn unread_notation(distinct: &[String]) -> Option<String> {
    if distinct.len() < 2 {
        return None;
    }
    let all = |is: &dyn Fn(&str) -> bool| distinct.iter().all(|text| is(text.trim()));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let first = &distinct[0];
    let date = |sign: char| {
        move |text: &str| {
            let parts: Vec<&str> = text.split([' ', 'T']).next().unwrap_or("").split(sign).collect();
            let month = |part: &str| digits(part) || part.len() >= 3 && part.chars().all(char::is_alphabetic);
            parts.len() == 3 && digits(parts[0]) && digits(parts[2]) && parts[0].len() <= 2 && month(parts[1])
        }
    };
    if all(&date('/')) || all(&date('-')) || all(&date('.')) {
        return Some(format!(
            "dates such as `{first}`, whose notation differs by country; write them as 2020-01-31"
        ));
    }
    let number = |text: &str| text.replace(',', "").trim().parse::<f64>().is_ok_and(f64::is_finite);
    if all(&|text| text.strip_suffix('%').is_some_and(number)) {
        return Some(format!("percentages such as `{first}`; write numbers without the sign"));
    }
    let currency = |text: &str| {
        let bare = text.trim_start_matches('-').trim_matches(['$', '€', '£', '¥', ' ']);
        bare.len() < text.trim_start_matches('-').len() && number(bare)
    };
    if all(&currency) {
        return Some(format!("amounts of money such as `{first}`; write numbers without the currency"));
    }
    None
}

/// A time of day such as `13:05`, `13:05:30.5`, `13:05Z` or `13:05+02:00`, in UTC.
fn seconds_of_day(text: &str) -> Option<f64> {
    let (clock, shift) = match text.find(['Z', '+', '-']) {
        Some(at) if text[at..].starts_with('Z') => {
            (&text[..at], if at + 1 == text.len() { 0.0 } else { return None })
        }
        Some(at) => {
            let sign = if text[at..].starts_with('-') { 1.0 } else { -1.0 };
            let zone = text[at + 1..].replace(':', "");
            let digits = zone.bytes().all(|byte| byte.is_ascii_digit());
            if !digits || ![2, 4].contains(&zone.len()) {
                return None;
            }
            let hours: f64 = zone[..2].parse().ok()?;
            let minutes: f64 = zone.get(2..4).map_or(Some(0.0), |minutes| minutes.parse().ok())?;
            (&text[..at], sign * (3600.0 * hours + 60.0 * minutes))
        }
        None => (text, 0.0),
    };
    let parts: Vec<&str> = clock.split(':').collect();
    let plain =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if !(2..=3).contains(&parts.len()) || !parts.iter().all(|part| plain(part)) {
        return None;
    }
    let [hours, minutes]: [f64; 2] = [parts[0].parse().ok()?, parts[1].parse().ok()?];
    let seconds: f64 = parts.get(2).map_or(Some(0.0), |part| part.parse().ok())?;
    let in_range =
        hours < 24.0 && minutes < 60.0 && seconds < 61.0 && hours.fract() == 0.0 && minutes.fract() == 0.0;
    in_range.then_some(3600.0 * hours + 60.0 * minutes + seconds + shift)
}

#[cfg(test)]
mod tests {
    use netinfof::graph::day_text;

    use super::*;

    #[test]
    fn dates() {
        for (text, days) in [
            ("1970-01-01", 0.0),
            ("2000-03-01", 11_017.0),
            ("2020/02/29", 18_321.0),
            ("31.12.1969", -1.0),
            ("2020-02-29T12:00:00Z", 18_321.5),
            ("2020-02-29 12:00", 18_321.5),
            ("2020-02-29T12:00+02:00", 18_321.5 - 2.0 / 24.0),
        ] {
            assert_eq!(days_of_date(text), Some(days), "{text}");
        }
        for text in [
            "2019-02-29",
            "2020-13-01",
            "12/31/2020",
            "2020-1",
            "20200101",
            "2020-01-01x",
            "1-2-3",
            "10.5.2",
            "",
            "2020-01-01T25:00",
            "2020-01-01T12:00Z+",
            "2020-01-01T-",
            "ü2020-01-01",
        ] {
            assert_eq!(days_of_date(text), None, "{text}");
        }
        for days in [-1, 0, 59, 60, 18_321, 47_846, -300_000] {
            assert_eq!(days_of_date(&day_text(f64::from(days))).unwrap_or(f64::NAN), f64::from(days));
        }
        assert_eq!(day_text(18_321.5), "2020-02-29T12:00:00");
        // In single precision there and back.
        for step in 0..1000 {
            let days = 18_000.0f32 + step as f32 * 0.001_953_125;
            assert_eq!(days_of_date(&day_text(f64::from(days))).map(|days| days as f32), Some(days));
        }
    }

    /// A person reads numbers or dates: they are refused with the right advice, and never taken for words.
    #[test]
    fn notations_that_are_not_read() {
        let way =
            |texts: &[&str]| unread_notation(&texts.iter().map(ToString::to_string).collect::<Vec<_>>());
        for texts in [["01/31/2020", "02/01/2020"], ["01-Jan-20", "02-Feb-21"], ["1/2/20", "3/4/20 12:00"]] {
            assert!(way(&texts).unwrap().contains("dates"), "{texts:?}");
        }
        assert!(way(&["10.5%", "3 %"]).unwrap().contains("percentages"));
        assert!(way(&["$1,200.50", "-$3"]).unwrap().contains("money"));
        assert!(way(&["5 €", "7 €"]).unwrap().contains("money"));
        for texts in [["a/b/c", "d/e/f"], ["low", "high"], ["10%", "high"], ["A-1-2", "B-2-3"], ["$", "5"]] {
            assert_eq!(way(&texts), None, "{texts:?}");
        }
    }

    #[test]
    fn numbers_with_commas() {
        assert_eq!(decimal_comma("3,25"), Some(3.25));
        assert_eq!(decimal_comma("-1.234,5"), Some(-1234.5));
        for text in ["1,2,3", "1.5", "a,5", ",5", "5,", "12.34,5"] {
            assert_eq!(decimal_comma(text), None, "{text}");
        }
        let kind = |texts: &[&str]| kind_of_texts(&texts.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(kind(&["1,5", "2,25"]), TextKind::DecimalCommas);
        assert_eq!(kind(&["1,500", "2,250", "7"]), TextKind::Ambiguous("1,500".into()));
        assert_eq!(kind(&["1,500", "2,25"]), TextKind::DecimalCommas);
        assert_eq!(kind(&["1,500,000", "7"]), TextKind::Ambiguous("1,500,000".into()));
        assert_eq!(kind(&["1", "2", "tall"]), TextKind::MostlyNumbers("tall".into()));
        assert_eq!(kind(&["yes", "No"]), TextKind::Booleans);
        assert_eq!(kind(&["2020-01-01", "2020-05-01"]), TextKind::Dates);
        assert_eq!(kind(&["A1", "B2"]), TextKind::Texts);
    }
}
