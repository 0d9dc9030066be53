//! Module CSV: lines of separated values, through the host.

use super::args::{sequence, text};
use super::io_utils::{fill, plain};
use super::json::{host, read};
use super::{Native, V1, V3, V4, strict};
use crate::error::{EvalError, EvalResult};
use crate::value::{Ctx, Value, entries, force, record, to_text};

pub(super) const TABLE: &[Native] = &[
    strict("CSV", "CSVWrite", V3, "Appends a line made from a template.", |ctx, a| {
        let template = text(ctx, "first", "CSVWrite", &a[0])?;
        let values = sequence(ctx, "second", "CSVWrite", &a[1])?;
        // As they print, strings in quotes.
        let texts: Vec<String> = values.iter().map(|it| to_text(ctx, it)).collect();
        let line = fill(&template, &texts, &mut 0);
        append(ctx, "CSVWrite", &a[2], &line)
    })
    .acts(),
    strict("CSV", "CSVWriteRecord", V4, "Appends the fields of a record.", write_record).acts(),
    strict("CSV", "CSVRead", V3, "The lines of a file as records.", read_records).reads(),
    strict("CSV", "CSVRecords", V1, "The number of lines of a file.", |ctx, a| {
        text(ctx, "", "CSVRecords", &a[0])?;
        host(ctx)?;
        let n = read(ctx, "CSVRecords", &a[0]).map_or(0, |text| text.lines().count());
        Ok(Value::Int(n as i32))
    })
    .reads(),
];

fn append(ctx: &mut Ctx, operator: &str, file: &Value, line: &str) -> EvalResult<Value> {
    let path = text(ctx, "third", operator, file)?;
    host(ctx)?
        .write_file(&path, &format!("{line}\n"), true)
        .map_err(|err| EvalError::general(format!("Cannot write {path}: {err}")))?;
    Ok(Value::TRUE)
}

fn write_record(ctx: &mut Ctx, args: &[Value]) -> EvalResult<Value> {
    let delimiter = text(ctx, "second", "CSVWriteRecord", &args[1])?;
    let fields = force(ctx, &args[0])?;
    let Some(list) = entries(&fields) else {
        return Err(EvalError::general("CSVWriteRecord needs a record."));
    };
    let names: Vec<String> = (0..list.len()).map(|idx| plain(ctx, &list.key(idx))).collect();
    let values: Vec<String> = list.values().iter().map(|it| plain(ctx, it)).collect();
    if let Value::Bool(true) = args[2] {
        append(ctx, "CSVWriteRecord", &args[3], &names.join(&delimiter))?;
    }
    append(ctx, "CSVWriteRecord", &args[3], &values.join(&delimiter))
}

fn read_records(ctx: &mut Ctx, args: &[Value]) -> EvalResult<Value> {
    let columns = sequence(ctx, "first", "CSVRead", &args[0])?;
    let delimiter = text(ctx, "second", "CSVRead", &args[1])?;
    let content = read(ctx, "CSVRead", &args[2])?;
    let mut rows = Vec::new();
    for line in content.lines() {
        let mut fields = Vec::with_capacity(columns.len());
        for (column, cell) in columns.iter().zip(line.split(delimiter.as_str())) {
            let name = plain(ctx, column);
            fields.push((ctx.names.intern(&name), ctx.string(cell)));
        }
        rows.push(record(ctx, fields));
    }
    Ok(Value::tuple(rows))
}
