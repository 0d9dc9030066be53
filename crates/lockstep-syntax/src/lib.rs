//! Sources, spans, diagnostics, lexer, parser, syntax tree and printer for TLA+ and PlusCal.
