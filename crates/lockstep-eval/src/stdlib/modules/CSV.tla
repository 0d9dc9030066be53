-------------------------------- MODULE CSV ---------------------------------
\* Lines of separated values in files. Evaluated natively.
LOCAL INSTANCE TLC
LOCAL INSTANCE Integers

CSVWrite(template, val, file) == TRUE
CSVWriteRecord(record, delim, headers, file) == TRUE
CSVRead(columns, delimiter, file) == CHOOSE rows : TRUE
CSVRecords(file) == CHOOSE n \in Nat : TRUE
=============================================================================
