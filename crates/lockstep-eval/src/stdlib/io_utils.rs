//! Module IOUtils: files, processes and the environment, through the host.

use super::args::{sequence, text, wrong};
use super::json::{host, read};
use super::{Native, V0, V1, V2, V3, strict};
use crate::error::{EvalError, EvalResult};
use crate::value::{
    Ctx, ProcessOutput, SetIter, Value, apply, decode, domain, encode, record, select_field, sets,
    to_text,
};

pub(super) const TABLE: &[Native] = &[
    strict("IOUtils", "IOSerialize", V3, "Writes a value to a file.", |ctx, a| {
        let path = text(ctx, "second", "IOSerialize", &a[1])?;
        let mut bytes = Vec::new();
        encode(ctx, &a[0], &mut bytes)?;
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        host(ctx)?
            .write_file(&path, &hex, false)
            .map_err(|err| EvalError::general(format!("Cannot write {path}: {err}")))?;
        Ok(Value::TRUE)
    })
    .acts(),
    strict("IOUtils", "IODeserialize", V2, "The value that IOSerialize wrote.", |ctx, a| {
        let hex = read(ctx, "IODeserialize", &a[0])?;
        let bytes: Option<Vec<u8>> = (0..hex.len() / 2)
            .map(|idx| hex.get(2 * idx..2 * idx + 2))
            .map(|pair| pair.and_then(|pair| u8::from_str_radix(pair, 16).ok()))
            .collect();
        match bytes {
            Some(bytes) => decode(&mut &bytes[..], ctx),
            None => Err(EvalError::general("The file does not hold a value of IOSerialize.")),
        }
    }),
    strict("IOUtils", "Serialize", V3, "Writes a string to a file.", serialize).acts(),
    strict("IOUtils", "Deserialize", V2, "The text of a file.", |ctx, a| {
        let out = match read(ctx, "Deserialize", &a[0]) {
            Ok(text) => ProcessOutput { status: 0, stdout: text, stderr: String::new() },
            Err(err) => {
                ProcessOutput { status: 1, stdout: String::new(), stderr: err.message.clone() }
            }
        };
        Ok(outcome(ctx, &out))
    })
    .reads(),
    strict("IOUtils", "IOExec", V1, "Runs a command.", |ctx, a| exec(ctx, None, &a[0], None))
        .acts(),
    strict("IOUtils", "IOEnvExec", V2, "Runs a command with more environment.", |ctx, a| {
        exec(ctx, Some(&a[0]), &a[1], None)
    })
    .acts(),
    strict("IOUtils", "IOExecTemplate", V2, "Runs a command with parameters.", |ctx, a| {
        exec(ctx, None, &a[0], Some(&a[1]))
    })
    .acts(),
    strict("IOUtils", "IOEnvExecTemplate", V3, "Both.", |ctx, a| {
        exec(ctx, Some(&a[0]), &a[1], Some(&a[2]))
    })
    .acts(),
    strict("IOUtils", "IOEnv", V0, "The environment as a record.", |ctx, _| {
        let env = host(ctx)?.env();
        let fields = env
            .into_iter()
            .map(|(name, value)| (ctx.names.intern(&name), ctx.string(&value)))
            .collect();
        Ok(record(ctx, fields))
    }),
    strict("IOUtils", "atoi", V1, "The number that a string spells.", |ctx, a| {
        let digits = text(ctx, "", "atoi", &a[0])?;
        digits.trim().parse().map(Value::Int).map_err(|_| {
            EvalError::general(format!("The argument of atoi is not a number: {digits}"))
        })
    }),
    strict("IOUtils", "zeroPadN", V2, "A number with leading zeros.", |ctx, a| {
        let (Value::Int(n), Value::Int(width)) = (&a[0], &a[1]) else {
            return Err(wrong(ctx, "first", "zeroPadN", "an integer", &a[0]));
        };
        let digits = n.to_string();
        let zeros =
            "0".repeat((*width).max(0) as usize - digits.len().min((*width).max(0) as usize));
        Ok(ctx.string(&format!("{zeros}{digits}")))
    }),
];

/// The text of a value for people: a string without quotes.
pub(super) fn plain(ctx: &mut Ctx, value: &Value) -> String {
    match value {
        Value::Str(sym) => ctx.text(*sym).to_string(),
        other => to_text(ctx, other),
    }
}

/// The record that a process leaves.
fn outcome(ctx: &mut Ctx, out: &ProcessOutput) -> Value {
    let fields = vec![
        (ctx.names.intern("exitValue"), Value::Int(out.status)),
        (ctx.names.intern("stdout"), ctx.string(&out.stdout)),
        (ctx.names.intern("stderr"), ctx.string(&out.stderr)),
    ];
    record(ctx, fields)
}

fn serialize(ctx: &mut Ctx, args: &[Value]) -> EvalResult<Value> {
    let content = plain(ctx, &args[0]);
    let path = text(ctx, "second", "Serialize", &args[1])?;
    let name = ctx.names.intern("openOptions");
    let mut append = false;
    if let Ok(options) = select_field(ctx, &args[2], name) {
        let word = ctx.string("APPEND");
        let list = match sequence(ctx, "third", "Serialize", &options) {
            Ok(list) => sets::set_from_vec(ctx, list),
            Err(_) => options,
        };
        append = sets::member(ctx, &word, &list).unwrap_or(false);
    }
    let out = match host(ctx)?.write_file(&path, &content, append) {
        Ok(()) => ProcessOutput::default(),
        Err(err) => ProcessOutput { status: 1, stdout: String::new(), stderr: err },
    };
    Ok(outcome(ctx, &out))
}

fn exec(
    ctx: &mut Ctx,
    env: Option<&Value>,
    command: &Value,
    parameters: Option<&Value>,
) -> EvalResult<Value> {
    let words = sequence(ctx, "", "IOExec", command)?;
    let mut words: Vec<String> = words.iter().map(|word| plain(ctx, word)).collect();
    if let Some(parameters) = parameters {
        let list = sequence(ctx, "second", "IOExecTemplate", parameters)?;
        let texts: Vec<String> = list.iter().map(|it| plain(ctx, it)).collect();
        let mut used = 0;
        for word in &mut words {
            *word = fill(word, &texts, &mut used);
        }
    }
    let mut variables = Vec::new();
    if let Some(env) = env {
        // A record, or a set of pairs.
        let (names, is_record) =
            if env.is_function() { (domain(ctx, env)?, true) } else { (env.clone(), false) };
        let mut iter = SetIter::new(ctx, &names)?;
        while let Some(it) = iter.next(ctx)? {
            let (name, value) = if is_record {
                let value = apply(ctx, env, &it)?;
                (it, value)
            } else {
                (apply(ctx, &it, &Value::Int(1))?, apply(ctx, &it, &Value::Int(2))?)
            };
            variables.push((plain(ctx, &name), plain(ctx, &value)));
        }
    }
    let out = host(ctx)?
        .exec(&words, &variables)
        .map_err(|err| EvalError::general(format!("Cannot run {}: {err}", words.join(" "))))?;
    Ok(outcome(ctx, &out))
}

/// Fills a template: `%s` takes the next parameter, `%2$s` the second, `%%` is a percent sign.
pub(super) fn fill(template: &str, parameters: &[String], used: &mut usize) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        if rest.starts_with('%') {
            out.push('%');
            rest = &rest[1..];
        } else if rest.starts_with(['s', 'd']) {
            out.push_str(parameters.get(*used).map_or("null", |it| it));
            *used += 1;
            rest = &rest[1..];
        } else if !digits.is_empty() && rest[digits.len()..].starts_with("$s") {
            let nth = digits.parse::<usize>().unwrap_or(0).wrapping_sub(1);
            out.push_str(parameters.get(nth).map_or("null", |it| it));
            rest = &rest[digits.len() + 2..];
        } else {
            out.push('%');
        }
    }
    out.push_str(rest);
    out
}
