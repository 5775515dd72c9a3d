//! Enough of XML to read GraphML: tags with attributes, and text. Nothing outside the file is ever read.

/// A part of an XML text.
#[derive(Debug, PartialEq)]
pub(super) enum Part {
    /// The start of an element: its name without a prefix, and its attributes.
    Start(String, Vec<(String, String)>),
    /// The end of an element.
    End(String),
    /// Text between tags.
    Text(String),
}

/// Passes every part of a text in order. An error is a line number and what is wrong.
pub(super) fn each(
    text: &str,
    mut take: impl FnMut(Part) -> Result<(), String>,
) -> Result<(), (usize, String)> {
    let mut at = 0;
    let line = |at: usize| text[..at].bytes().filter(|&byte| byte == b'\n').count() + 1;
    while at < text.len() {
        let rest = &text[at..];
        let skipped = [("<!--", "-->"), ("<?", "?>")].into_iter().find(|(open, _)| rest.starts_with(open));
        if let Some((_, close)) = skipped {
            let end = rest.find(close).ok_or_else(|| (line(at), format!("`{close}` is missing")))?;
            at += end + close.len();
        } else if let Some(data) = rest.strip_prefix("<![CDATA[") {
            let end = data.find("]]>").ok_or_else(|| (line(at), "`]]>` is missing".to_string()))?;
            take(Part::Text(data[..end].to_string())).map_err(|what| (line(at), what))?;
            at += "<![CDATA[".len() + end + "]]>".len();
        } else if rest.starts_with('<') {
            let end = end_of_tag(rest).ok_or_else(|| (line(at), "`>` is missing".to_string()))?;
            tag(&rest[1..end], &mut take).map_err(|what| (line(at), what))?;
            at += end + 1;
        } else {
            let end = rest.find('<').unwrap_or(rest.len());
            if !rest[..end].trim().is_empty() {
                take(Part::Text(decoded(rest[..end].trim()))).map_err(|what| (line(at), what))?;
            }
            at += end;
        }
    }
    Ok(())
}

/// The position of the `>` that ends a tag; one in quotes does not.
fn end_of_tag(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate() {
        match (byte, quote) {
            (b'>', None) => return Some(at),
            (b'"' | b'\'', None) => quote = Some(byte),
            (_, Some(open)) if byte == open => quote = None,
            _ => {}
        }
    }
    None
}

fn tag(inside: &str, take: &mut impl FnMut(Part) -> Result<(), String>) -> Result<(), String> {
    if inside.starts_with('!') {
        return Ok(());
    }
    let plain = |name: &str| name.rsplit(':').next().unwrap_or(name).to_string();
    if let Some(name) = inside.strip_prefix('/') {
        return take(Part::End(plain(name.trim())));
    }
    let (inside, closed) = inside.strip_suffix('/').map_or((inside, false), |inside| (inside, true));
    let end = inside.find(char::is_whitespace).unwrap_or(inside.len());
    let name = plain(&inside[..end]);
    let (mut rest, mut attributes) = (inside[end..].trim_start(), Vec::new());
    while !rest.is_empty() {
        let (key, after) =
            rest.split_once('=').ok_or_else(|| format!("an attribute of <{name}> has no value"))?;
        let after = after.trim_start();
        let quote = after.chars().next().filter(|c| ['"', '\''].contains(c));
        let quote = quote.ok_or_else(|| format!("an attribute of <{name}> is not in quotes"))?;
        let (value, further) =
            after[1..].split_once(quote).ok_or_else(|| format!("an attribute of <{name}> does not end"))?;
        attributes.push((key.trim().to_string(), decoded(value)));
        rest = further.trim_start();
    }
    take(Part::Start(name.clone(), attributes))?;
    if closed { take(Part::End(name)) } else { Ok(()) }
}

/// A text with its entities replaced; unknown ones stay as they are.
pub(super) fn decoded(text: &str) -> String {
    if !text.contains('&') {
        return text.to_string();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let known =
            rest[1..].split_once(';').filter(|(name, _)| name.len() <= 8).and_then(|(name, after)| {
                let code =
                    |digits: &str, base| u32::from_str_radix(digits, base).ok().and_then(char::from_u32);
                let c = match name {
                    "lt" => Some('<'),
                    "gt" => Some('>'),
                    "amp" => Some('&'),
                    "quot" => Some('"'),
                    "apos" => Some('\''),
                    _ => match name.strip_prefix("#x") {
                        Some(digits) => code(digits, 16),
                        None => name.strip_prefix('#').and_then(|digits| code(digits, 10)),
                    },
                };
                c.map(|c| (c, after))
            });
        if let Some((c, after)) = known {
            out.push(c);
            rest = after;
        } else {
            out.push('&');
            rest = &rest[1..];
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts() {
        let text = "<?xml version='1.0'?><!-- <a> --><!DOCTYPE x>\n<g:a x=\"1 &gt; 0\" y='2'><b/>t&amp;u<![CDATA[<c>]]></g:a>";
        let mut found = Vec::new();
        each(text, |part| {
            found.push(part);
            Ok(())
        })
        .unwrap();
        let pairs = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect::<Vec<_>>()
        };
        assert_eq!(
            found,
            [
                Part::Start("a".into(), pairs(&[("x", "1 > 0"), ("y", "2")])),
                Part::Start("b".into(), pairs(&[])),
                Part::End("b".into()),
                Part::Text("t&u".into()),
                Part::Text("<c>".into()),
                Part::End("a".into()),
            ]
        );
        for bad in ["<a", "<a x>", "<a x=1>", "<a x='1>", "<!-- x", "<![CDATA[ x"] {
            assert!(each(bad, |_| Ok(())).is_err(), "{bad}");
        }
        assert_eq!(decoded("&#65;&#x42;&copy;&"), "AB&copy;&");
    }
}
