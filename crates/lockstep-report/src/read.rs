//! Reading behaviours back: TLC's JSON, ITF, our summary, and TLC's text (plain or framed).
//!
//! What goes in: the text of a file. What comes out: an [`Outcome`] that has the behaviour and, as
//! far as the file says, the verdict. JSON does not tell sets from tuples; what was a set reads as
//! a tuple there.

use serde_json::Value as Json;

use crate::model::{
    ActionRef, Binding, Lasso, Location, Outcome, Trace, TraceStep, Verdict, Violation,
};
use crate::value::Value;

/// Reads a behaviour; `Err` says what is wrong with the text.
pub fn read(text: &str) -> Result<Outcome, String> {
    let trimmed = text.trim_start_matches('\u{feff}').trim_start();
    if trimmed.starts_with('{') {
        // The summary is the last line of what was printed before it.
        let json: Json = serde_json::from_str(trimmed)
            .or_else(|error| {
                let last = trimmed.lines().last().unwrap_or("");
                serde_json::from_str(last).map_err(|_| error)
            })
            .map_err(|error| format!("not JSON: {error}"))?;
        return read_json(&json);
    }
    if let Some(last) = trimmed.lines().last()
        && last.starts_with("{\"schema\":\"lockstep.check/")
    {
        let json: Json =
            serde_json::from_str(last).map_err(|error| format!("not JSON: {error}"))?;
        return read_json(&json);
    }
    read_tlc(text)
}

fn read_json(json: &Json) -> Result<Outcome, String> {
    if json.get("counterexample").is_some() {
        read_tlc_json(json)
    } else if json.pointer("/#meta/format").and_then(Json::as_str) == Some("ITF")
        || json.get("states").is_some()
    {
        read_itf(json)
    } else if json.get("schema").is_some() {
        read_summary(json)
    } else {
        Err("none of the formats known: TLC's JSON, ITF, lockstep's summary".to_owned())
    }
}

fn outcome(verdict: Verdict, name: &str, property: Option<String>, trace: Trace) -> Outcome {
    let mut out = Outcome::new(name, "");
    out.verdict = verdict;
    if let Some(first) = trace.steps.first() {
        out.variables = first.state.iter().map(|it| it.name.clone()).collect();
    }
    if verdict != Verdict::Ok {
        let mut violation = Violation::new(verdict);
        violation.property = property;
        violation.trace = trace;
        out.violations.push(violation);
    }
    out
}

fn bindings(state: &Json, value: fn(&Json) -> Value) -> Vec<Binding> {
    let Some(fields) = state.as_object() else { return Vec::new() };
    let visible = fields.iter().filter(|(name, _)| !name.starts_with('#'));
    visible.map(|(name, it)| Binding::new(name, value(it))).collect()
}

/// A value of plain JSON.
fn plain(json: &Json) -> Value {
    match json {
        Json::Null => Value::Symbolic("null".to_owned()),
        Json::Bool(it) => Value::Bool(*it),
        Json::Number(it) => match it.as_i64() {
            Some(it) => Value::Int(it),
            None => Value::BigInt(it.to_string()),
        },
        Json::String(it) => Value::Str(it.clone()),
        Json::Array(items) => Value::Tuple(items.iter().map(plain).collect()),
        Json::Object(fields) => {
            Value::Record(fields.iter().map(|(name, it)| (name.clone(), plain(it))).collect())
        }
    }
}

/// A value of ITF.
fn itf(json: &Json) -> Value {
    let items = |it: &Json| it.as_array().map_or_else(Vec::new, |it| it.iter().map(itf).collect());
    match json {
        Json::Object(fields) => {
            if let Some(it) = fields.get("#bigint") {
                let text = it.as_str().map_or_else(|| it.to_string(), str::to_owned);
                text.parse().map_or(Value::BigInt(text), Value::Int)
            } else if let Some(it) = fields.get("#set") {
                Value::Set(items(it))
            } else if let Some(it) = fields.get("#tup") {
                Value::Tuple(items(it))
            } else if let Some(it) = fields.get("#map") {
                let pairs = it.as_array().map_or(&[][..], Vec::as_slice);
                let pairs = pairs.iter().filter_map(|pair| Some((pair.get(0)?, pair.get(1)?)));
                Value::Function(pairs.map(|(key, it)| (itf(key), itf(it))).collect())
            } else if let Some(it) = fields.get("#unserializable") {
                Value::Symbolic(it.as_str().unwrap_or("").to_owned())
            } else {
                Value::Record(fields.iter().map(|(name, it)| (name.clone(), itf(it))).collect())
            }
        }
        Json::Array(it) => Value::Tuple(it.iter().map(itf).collect()),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => plain(json),
    }
}

fn read_itf(json: &Json) -> Result<Outcome, String> {
    let states = json.get("states").and_then(Json::as_array).ok_or("ITF without states")?;
    let steps: Vec<TraceStep> = (states.iter().enumerate())
        .map(|(idx, it)| TraceStep {
            n: idx + 1,
            action: it
                .pointer("/#meta/action")
                .and_then(Json::as_str)
                .map(|name| ActionRef { name: name.to_owned(), ..ActionRef::default() }),
            state: bindings(it, itf),
            fingerprint: None,
        })
        .collect();
    let lasso = json.get("loop").and_then(Json::as_u64).map(|at| {
        if at as usize + 1 == steps.len() {
            Lasso::Stuttering
        } else {
            Lasso::BackTo { n: at as usize + 1, action: None }
        }
    });
    let source = json.pointer("/#meta/source").and_then(Json::as_str).unwrap_or("trace");
    let name = source.rsplit('/').next().unwrap_or(source).trim_end_matches(".tla");
    let verdict = if lasso.is_some() { Verdict::Liveness } else { Verdict::Invariant };
    Ok(outcome(verdict, name, None, Trace { steps, lasso }))
}

fn read_action(json: &Json) -> Option<ActionRef> {
    let name = json.get("name")?.as_str()?.to_owned();
    let number = |key: &str| json.pointer(key).and_then(Json::as_u64).map(|it| it as u32);
    let location = number("/location/beginLine").map(|line| Location {
        line,
        col: number("/location/beginColumn").unwrap_or(1),
        end_line: number("/location/endLine").unwrap_or(line),
        end_col: number("/location/endColumn").unwrap_or(1),
        module: json.pointer("/location/module").and_then(Json::as_str).unwrap_or("").to_owned(),
        file: String::new(),
    });
    let names = json.get("parameters").and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
    let context: Vec<(String, Value)> = names
        .iter()
        .filter_map(|name| {
            let name = name.as_str()?;
            Some((name.to_owned(), plain(json.get("context")?.get(name)?)))
        })
        .collect();
    let arguments = context.iter().map(|(_, it)| it.text()).collect();
    Some(ActionRef { name, arguments, context, location })
}

fn read_tlc_json(json: &Json) -> Result<Outcome, String> {
    let list = |key: &str| json.pointer(key).and_then(Json::as_array);
    let states = list("/counterexample/state").ok_or("a counterexample without states")?;
    let number = |it: &Json| it.get(0).and_then(Json::as_u64).map(|it| it as usize);
    let mut steps: Vec<TraceStep> = states
        .iter()
        .filter_map(|it| {
            let state = bindings(it.get(1)?, plain);
            Some(TraceStep { n: number(it)?, action: None, state, fingerprint: None })
        })
        .collect();
    steps.sort_by_key(|it| it.n);
    let mut lasso = None;
    for it in list("/counterexample/action").map_or(&[][..], Vec::as_slice) {
        let (Some(from), Some(action), Some(to)) = (it.get(0), it.get(1), it.get(2)) else {
            continue;
        };
        let (Some(from), Some(to)) = (number(from), number(to)) else { continue };
        let action = read_action(action);
        if from == to {
            lasso = Some(Lasso::Stuttering);
        } else if to < from {
            lasso = Some(Lasso::BackTo { n: to, action });
        } else if let Some(step) = steps.iter_mut().find(|it| it.n == to) {
            step.action = action;
        }
    }
    let verdict = if lasso.is_some() { Verdict::Liveness } else { Verdict::Invariant };
    let module = steps.iter().find_map(|it| it.action.as_ref()?.location.as_ref());
    let name = module.map_or_else(|| "trace".to_owned(), |it| it.module.clone());
    Ok(outcome(verdict, &name, None, Trace { steps, lasso }))
}

fn read_summary(json: &Json) -> Result<Outcome, String> {
    let text = |key: &str| json.get(key).and_then(Json::as_str);
    let verdict = (Verdict::ALL.iter())
        .find(|it| Some(it.1) == text("verdict"))
        .map(|it| it.0)
        .ok_or("a summary without a verdict")?;
    let place = |it: &Json| -> Option<Location> {
        let number = |key: &str| it.get(key).and_then(Json::as_u64).map(|it| it as u32);
        let word = |key: &str| it.get(key).and_then(Json::as_str).unwrap_or("").to_owned();
        Some(Location {
            line: number("line")?,
            col: number("col")?,
            end_line: number("end_line")?,
            end_col: number("end_col")?,
            module: word("module"),
            file: word("file"),
        })
    };
    let action = |it: &Json| -> Option<ActionRef> {
        let name = it.get("action")?.as_str().filter(|it| *it != "Init")?.to_owned();
        let location = it.get("location").and_then(place);
        Some(ActionRef { name, location, ..ActionRef::default() })
    };
    let steps: Vec<TraceStep> = json
        .get("trace")
        .and_then(Json::as_array)
        .map_or(&[][..], Vec::as_slice)
        .iter()
        .enumerate()
        .map(|(idx, it)| TraceStep {
            n: idx + 1,
            action: action(it),
            state: it.get("state").map_or_else(Vec::new, |it| bindings(it, plain)),
            fingerprint: None,
        })
        .collect();
    let lasso = json.get("lasso").and_then(|it| match it.get("back_to").and_then(Json::as_u64) {
        Some(n) => Some(Lasso::BackTo { n: n as usize, action: action(it) }),
        None => (it.as_str() == Some("stuttering")).then_some(Lasso::Stuttering),
    });
    let property = text("property").map(str::to_owned);
    let spec = text("spec").unwrap_or("trace");
    let mut out = outcome(verdict, spec, property, Trace { steps, lasso });
    let number = |key: &str| json.get(key).and_then(Json::as_u64).unwrap_or(0);
    out.counts.generated = number("generated");
    out.counts.distinct = number("distinct");
    out.counts.queue = number("queue");
    out.counts.depth = number("depth");
    out.searched = out.counts.generated > 0;
    if let Some(first) = out.violations.first_mut() {
        first.message = text("message").map(str::to_owned);
    }
    Ok(out)
}

/// `<A(2) line 5, col 9 to line 7, col 22 of module S>`.
fn tlc_action(text: &str) -> Option<ActionRef> {
    let inside = text.trim().strip_prefix('<')?.strip_suffix('>')?;
    if inside == "Initial predicate" {
        return None;
    }
    let (head, location) = match inside.rfind(" line ").and_then(|_| inside.find(" line ")) {
        Some(at) => (&inside[..at], tlc_location(&inside[at + 1..])),
        None => (inside, None),
    };
    let (name, arguments) = match head.split_once('(') {
        Some((name, rest)) => (name, split_arguments(rest.strip_suffix(')').unwrap_or(rest))),
        None => (head, Vec::new()),
    };
    Some(ActionRef { name: name.to_owned(), arguments, context: Vec::new(), location })
}

/// Arguments between commas that stand in no bracket and no string.
fn split_arguments(text: &str) -> Vec<String> {
    let (mut out, mut depth, mut quoted, mut from) = (Vec::new(), 0i32, false, 0);
    for (at, ch) in text.char_indices() {
        match ch {
            '"' => quoted = !quoted,
            '(' | '[' | '{' | '<' if !quoted => depth += 1,
            ')' | ']' | '}' | '>' if !quoted => depth -= 1,
            ',' if !quoted && depth == 0 => {
                out.push(text[from..at].trim().to_owned());
                from = at + 1;
            }
            _ => {}
        }
    }
    out.push(text[from..].trim().to_owned());
    out
}

/// `line 5, col 9 to line 7, col 22 of module S`.
fn tlc_location(text: &str) -> Option<Location> {
    let (place, module) = text.split_once(" of module ")?;
    let numbers: Vec<u32> = place
        .split(|it: char| !it.is_ascii_digit())
        .filter(|it| !it.is_empty())
        .filter_map(|it| it.parse().ok())
        .collect();
    let [line, col, end_line, end_col] = numbers[..] else { return None };
    let module = module.trim().to_owned();
    Some(Location { line, col, end_line, end_col, module, file: String::new() })
}

/// The first behaviour in what TLC printed.
fn read_tlc(text: &str) -> Result<Outcome, String> {
    let lines: Vec<&str> =
        text.lines().map(str::trim_end).filter(|it| !it.starts_with("@!@!@")).collect();
    let mut steps: Vec<TraceStep> = Vec::new();
    let mut lasso = None;
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        at += 1;
        let head = line.strip_prefix("State ").unwrap_or(line);
        if let Some(back) = line.strip_prefix("Back to state ") {
            let (n, action) = back.split_once(':').unwrap_or((back, ""));
            let n = n.trim().parse().map_err(|_| format!("no number of a state: {line}"))?;
            lasso = Some(Lasso::BackTo { n, action: tlc_action(action) });
            break;
        }
        let Some((number, rest)) = head.split_once(':') else { continue };
        let Ok(n) = number.parse::<usize>() else { continue };
        let rest = rest.trim();
        if rest == "Stuttering" {
            lasso = Some(Lasso::Stuttering);
            break;
        }
        if let Some(action) = rest.strip_prefix("Back to state:") {
            lasso = Some(Lasso::BackTo { n, action: tlc_action(action) });
            break;
        }
        let is_state = rest.starts_with('<') || (rest.is_empty() && line.starts_with("State "));
        if !is_state {
            continue;
        }
        if n == 1 && !steps.is_empty() {
            // Another behaviour, of a run that went on after the first.
            break;
        }
        let from = at;
        while at < lines.len() && !lines[at].is_empty() {
            at += 1;
        }
        let state = tlc_state(&lines[from..at]);
        steps.push(TraceStep { n, action: tlc_action(rest), state, fingerprint: None });
    }
    if steps.is_empty() {
        return Err("no state of a behaviour in this text".to_owned());
    }
    let find = |before: &str, after: &str| {
        lines.iter().find_map(|it| {
            let it = it.strip_prefix("Error: ").unwrap_or(it);
            Some(it.strip_prefix(before)?.strip_suffix(after)?.to_owned())
        })
    };
    let module = steps.iter().find_map(|it| it.action.as_ref()?.location.as_ref());
    let name = module.map_or_else(|| "trace".to_owned(), |it| it.module.clone());
    let (verdict, property) = if let Some(it) = find("Invariant ", " is violated.") {
        (Verdict::Invariant, Some(it))
    } else if let Some(it) = find("Action property ", " is violated.") {
        (Verdict::ActionProperty, Some(it))
    } else if let Some(it) = find("Temporal property ", " was violated.") {
        (Verdict::Liveness, Some(it))
    } else if find("Deadlock reached", ".").is_some() {
        (Verdict::Deadlock, None)
    } else if lasso.is_some() {
        (Verdict::Liveness, None)
    } else {
        (Verdict::EvalError, None)
    };
    Ok(outcome(verdict, &name, property, Trace { steps, lasso }))
}

/// The conjuncts of a state; values may take several lines.
fn tlc_state(lines: &[&str]) -> Vec<Binding> {
    let mut out = Vec::new();
    let mut texts: Vec<String> = Vec::new();
    for line in lines {
        match line.strip_prefix("/\\ ") {
            Some(rest) => texts.push(rest.to_owned()),
            None => match texts.last_mut() {
                Some(last) => {
                    last.push(' ');
                    last.push_str(line.trim());
                }
                None => texts.push((*line).to_owned()),
            },
        }
    }
    for text in texts {
        if let Some((name, value)) = text.split_once(" = ") {
            out.push(Binding::new(name, Value::parse(value)));
        }
    }
    out
}

impl Binding {
    /// A variable with a value, printed as TLC prints it.
    pub fn new(name: impl Into<String>, value: Value) -> Self {
        Self { name: name.into(), text: value.text(), value }
    }
}

#[cfg(test)]
mod tests {
    use super::read;
    use crate::model::Lasso;

    const PLAIN: &str = "\
Error: Temporal property Live was violated.

State 1: <Initial predicate>
/\\ x = 0
/\\ y = {}

State 2: <A(2, \"a, b\") line 5, col 9 to line 7, col 22 of module S>
/\\ x = 2
/\\ y = { 1,
  2,
  [k |-> <<TRUE, m>>] }

Back to state 1: <B line 8, col 6 to line 8, col 50 of module S>
";

    #[test]
    fn text_of_tlc() {
        let outcome = read(PLAIN).expect("a behaviour");
        assert_eq!(outcome.property(), Some("Live"));
        let trace = outcome.trace().expect("a behaviour");
        assert_eq!(trace.steps[1].state[1].text, "{1, 2, [k |-> <<TRUE, m>>]}");
        let action = trace.steps[1].action.as_ref().expect("an action");
        assert_eq!(action.arguments, ["2", "\"a, b\""]);
        assert_eq!(action.location.as_ref().map(|it| it.end_col), Some(22));
        assert!(matches!(trace.lasso, Some(Lasso::BackTo { n: 1, .. })));
    }

    #[test]
    fn what_is_written_can_be_read() {
        let outcome = read(PLAIN).expect("a behaviour");
        for format in ["trace-json", "itf", "json", "tlc", "tlc-tool"] {
            let format = crate::format(format).expect("a format");
            let again = read(&(format.render)(&outcome)).expect(format.name);
            let (one, two) = (outcome.trace(), again.trace());
            assert_eq!(
                one.map(|it| it.steps.len()),
                two.map(|it| it.steps.len()),
                "{}",
                format.name
            );
            assert_eq!(
                one.map(|it| it.lasso.is_some()),
                two.map(|it| it.lasso.is_some()),
                "{}",
                format.name
            );
        }
    }

    #[test]
    fn what_is_no_behaviour_is_said_to_be_none() {
        assert!(read("").is_err());
        assert!(read("{").is_err());
        assert!(read("{\"a\": 1}").is_err());
        assert!(read("hello").is_err());
    }
}
