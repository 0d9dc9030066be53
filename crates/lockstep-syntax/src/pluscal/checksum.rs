//! The checksums of a translation.
//!
//! `chksum(tla)` is the CRC-32 (IEEE 802.3) of the lines between `BEGIN TRANSLATION` and
//! `END TRANSLATION`, joined without line ends. `chksum(pcal)` is that of the algorithm's tree as
//! text (see `tree_text`), so that comments and white space do not count; for a `--fair algorithm`
//! it is that of the word `fair` alone, which cannot tell one fair algorithm from another. Both were
//! found by comparing outputs of the translator of the TLA+ tools and agree with it.

/// CRC-32 of `bytes`.
fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = !0u32;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 };
        }
    }
    !crc
}

/// The checksum as it is written: hexadecimal without leading zeros.
pub(super) fn checksum(text: &str) -> String {
    format!("{:x}", crc32(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::checksum;

    #[test]
    fn agrees_with_the_check_value_of_crc_32() {
        assert_eq!(checksum("123456789"), "cbf43926");
        assert_eq!(checksum(""), "0");
    }
}
