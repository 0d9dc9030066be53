//! The wall clock as TLC writes it: `2026-11-30 20:48:59`, in UTC.

use std::time::{SystemTime, UNIX_EPOCH};

/// Seconds since 1970.
pub(crate) fn seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |it| it.as_secs())
}

/// Nanoseconds since 1970, the lower 64 bits: a number that differs from run to run.
pub(crate) fn nanoseconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |it| it.as_nanos() as u64)
}

/// Now.
pub(crate) fn now() -> String {
    format(seconds())
}

/// A name for a folder of this run, as TLC forms it: `26-11-30-20-48-59.123`.
pub(crate) fn folder_name() -> String {
    let now = nanoseconds();
    let text = format(now / 1_000_000_000).replace([' ', ':'], "-");
    format!("{}.{:03}", &text[2..], now / 1_000_000 % 1000)
}

/// The date of a day counted from 1970-01-01, by the Gregorian calendar's cycle of 400 years.
fn date(days: u64) -> (u64, u64, u64) {
    // Years begin in March here, so that the leap day is the last of its year.
    let shifted = days + 719_468;
    let era = shifted / 146_097;
    let day_of_era = shifted % 146_097;
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    (year, month, day)
}

fn format(seconds: u64) -> String {
    let (year, month, day) = date(seconds / 86_400);
    let rest = seconds % 86_400;
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
}

#[cfg(test)]
mod tests {
    use super::format;

    #[test]
    fn known_dates() {
        assert_eq!(format(0), "1970-01-01 00:00:00");
        assert_eq!(format(951_782_399), "2000-02-28 23:59:59");
        assert_eq!(format(951_782_400), "2000-02-29 00:00:00");
        assert_eq!(format(4_107_542_400), "2100-03-01 00:00:00");
    }
}
