//! Configuration files.

use expect_test::{Expect, expect};
use lockstep_semantic::config::{Config, ConfigValue, ConstantTarget};
use lockstep_semantic::{parse_config, parse_config_section};
use lockstep_syntax::render::render;
use lockstep_syntax::{SourceFile, SourceMap};

fn parse(text: &str) -> (Config, String) {
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new("Test.cfg", text));
    let (config, diagnostics) = parse_config(file, sources.file(file));
    (config, render(&sources, &diagnostics, false))
}

fn show_value(value: &ConfigValue) -> String {
    match value {
        ConfigValue::Integer(value) => value.to_string(),
        ConfigValue::String(text) => format!("{text:?}"),
        ConfigValue::Boolean(value) => value.to_string().to_uppercase(),
        ConfigValue::Set(items) => {
            format!("{{{}}}", items.iter().map(show_value).collect::<Vec<_>>().join(", "))
        }
        ConfigValue::ModelValue(name) => name.to_string(),
    }
}

fn constants(text: &str, expected: &Expect) {
    let (config, shown) = parse(text);
    assert_eq!(shown, "", "must be accepted");
    let lines: Vec<String> = config
        .constants
        .iter()
        .map(|it| {
            let args = it.args.as_ref().map_or(String::new(), |args| {
                format!("({})", args.iter().map(show_value).collect::<Vec<_>>().join(", "))
            });
            let module = it.module.as_ref().map_or(String::new(), |it| format!("[{}] ", it.name));
            match &it.to {
                ConstantTarget::Value(value) => {
                    format!("{}{args} = {module}{}", it.name.name, show_value(value))
                }
                ConstantTarget::Definition(name) => {
                    format!("{}{args} <- {module}{}", it.name.name, name.name)
                }
            }
        })
        .collect();
    expected.assert_eq(&lines.join("\n"));
}

fn rejected(text: &str, expected: &Expect) {
    expected.assert_eq(&parse(text).1);
}

#[test]
fn constants_of_every_kind() {
    constants(
        "\\* a comment (* with another\nCONSTANTS N = 3 s = \"a \\\"b\\\"\" t = TRUE\n(* block (* nested *) *)\nCONSTANT p1 = p1 S = {1, {x, \"y\"}, {}} T={}",
        &expect![[r#"
            N = 3
            s = "a \"b\""
            t = TRUE
            p1 = p1
            S = {1, {x, "y"}, {}}
            T = {}"#]],
    );
}

#[test]
fn replacements_points_and_modules() {
    constants(
        "CONSTANT Nat <- MyNat Op(1, {a}) = 4 c <- [Mod] Def d = [Mod] 5 A!B!c = 6 + <- Plus =< <- Less x = INIT",
        &expect![[r#"
            Nat <- MyNat
            Op(1, {a}) = 4
            c <- [Mod] Def
            d = [Mod] 5
            A!B!c = 6
            + <- Plus
            \leq <- Less
            x = INIT"#]],
    );
}

#[test]
fn every_statement() {
    let (config, shown) = parse(
        "SPECIFICATION Spec INIT Init NEXT Next INVARIANT A B INVARIANTS C PROPERTY P PROPERTIES Q
CONSTRAINT E CONSTRAINTS F ACTION_CONSTRAINT G ACTION_CONSTRAINTS H SYMMETRY I VIEW J ALIAS K
POSTCONDITION L POSTCONDITIONS M CHECK_DEADLOCK FALSE _PERIODIC N _RL_REWARD O _POSSIBLE R T",
    );
    assert_eq!(shown, "");
    let name = |it: &Option<lockstep_semantic::config::ConfigName>| {
        it.as_ref().map_or(String::new(), |it| it.name.to_string())
    };
    let names = |it: &[lockstep_semantic::config::ConfigName]| {
        it.iter().map(|it| it.name.as_str()).collect::<Vec<_>>().join(",")
    };
    assert_eq!(
        [
            name(&config.specification),
            name(&config.init),
            name(&config.next),
            names(&config.invariants),
            names(&config.properties),
            names(&config.constraints),
            names(&config.action_constraints),
            name(&config.symmetry),
            name(&config.view),
            name(&config.alias),
            names(&config.postconditions),
            name(&config.periodic),
            name(&config.rl_reward),
            names(&config.possible),
        ],
        [
            "Spec", "Init", "Next", "A,B,C", "P,Q", "E,F", "G,H", "I", "J", "K", "L,M", "N", "O",
            "R,T"
        ]
    );
    assert_eq!(config.check_deadlock, Some(false));
}

#[test]
fn symbols_in_order() {
    let (config, _) = parse("CONSTANT b = \"z\" a = y b2 = \"a\" \\* word\n");
    let symbols: Vec<&str> = config.symbols.iter().map(|it| it.as_str()).collect();
    assert_eq!(symbols, ["CONSTANT", "b", "z", "a", "y", "b2"]);
}

#[test]
fn a_section_of_a_module() {
    let text = "---- MODULE M ----\nA == 1\n====\n---- CONFIG M ----\nINIT Init\nNEXT\n====\n";
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new("M.tla", text));
    let (config, diagnostics) =
        parse_config_section(file, sources.file(file), "M").expect("there is a section");
    assert_eq!(config.init.map(|it| it.name.to_string()).as_deref(), Some("Init"));
    let at = sources.location(diagnostics[0].primary.as_ref().expect("a place").span);
    assert_eq!((at.line, at.col, diagnostics[0].code), (6, 1, "E5003"));
    assert!(parse_config_section(file, sources.file(file), "N").is_none());
}

#[test]
fn several_mistakes_are_reported() {
    rejected(
        "INVARIANTS Inv,\n  Other\nINIT\nNEXT Next NEXT Again\nINVARIENT Inv\nCONSTANT c = -1 d = 2\nCHECK_DEADLOCK MAYBE\n",
        &expect![[r#"
            error[E2229]: expected the name of a definition or a keyword, found `,`
             --> Test.cfg:1:15
              |
            1 | INVARIANTS Inv,
              |               ^
              |
              = help: names are separated by blanks

            error[E5003]: INIT is not followed by a name
             --> Test.cfg:3:1
              |
            3 | INIT
              | ^^^^ a name is missing after it

            error[E5004]: NEXT appears twice
             --> Test.cfg:4:11
              |
            4 | NEXT Next NEXT Again
              | ----      ^^^^ the second time
              | |
              | the first time

            error[E5006]: expected a keyword, found `INVARIENT`
             --> Test.cfg:5:1
              |
            5 | INVARIENT Inv
              | ^^^^^^^^^
              |
              = help: did you mean `INVARIANT`?

            error[E5006]: expected a value, found `-`
             --> Test.cfg:6:14
              |
            6 | CONSTANT c = -1 d = 2
              |              ^
              |
              = help: a configuration has no negative numbers; define one in the module and write `c <- Definition`

            error[E5006]: expected TRUE or FALSE, found `MAYBE`
             --> Test.cfg:7:16
              |
            7 | CHECK_DEADLOCK MAYBE
              |                ^^^^^

        "#]],
    );
}

#[test]
fn mistakes_in_constants() {
    rejected(
        "CONSTANT c = {1 2}\n",
        &expect![[r#"
        error[E5006]: expected `,` or `}`, found `2`
         --> Test.cfg:1:17
          |
        1 | CONSTANT c = {1 2}
          |                 ^

    "#]],
    );
    rejected(
        "CONSTANT c, d = 1\n",
        &expect![[r#"
        error[E5006]: expected `=` or `<-`, found `,`
         --> Test.cfg:1:11
          |
        1 | CONSTANT c, d = 1
          |          -^
          |          |
          |          after `c`
          |
          = help: constants are separated by blanks

    "#]],
    );
    rejected(
        "CONSTANT c <- {1}\n",
        &expect![[r#"
        error[E5006]: expected a name, found `{`
         --> Test.cfg:1:15
          |
        1 | CONSTANT c <- {1}
          |               ^

    "#]],
    );
    rejected(
        "CONSTANT c = 99999999999999999999\n",
        &expect![[r#"
        error[E5002]: the number 99999999999999999999 is too large
         --> Test.cfg:1:14
          |
        1 | CONSTANT c = 99999999999999999999
          |              ^^^^^^^^^^^^^^^^^^^^

    "#]],
    );
    rejected(
        "CONSTANT c = \"open\nINIT Init\n",
        &expect![[r#"
        error[E5002]: this string is not closed
         --> Test.cfg:1:14
          |
        1 | CONSTANT c = "open
          |              ^ opened here
          |
          = help: close it with `"` on the same line

    "#]],
    );
    rejected(
        "CONSTANT Op(1, 2 = 3\n",
        &expect![[r#"
        error[E5006]: expected `,` or `)`, found `=`
         --> Test.cfg:1:18
          |
        1 | CONSTANT Op(1, 2 = 3
          |                  ^

    "#]],
    );
    rejected(
        "CONSTANT c = 1.5\n",
        &expect![[r#"
            error[E5006]: expected a name, found `.`
             --> Test.cfg:1:15
              |
            1 | CONSTANT c = 1.5
              |               ^

        "#]],
    );
    rejected(
        "INIT Init (* open\n",
        &expect![[r#"
        warning[W5002]: this comment is not closed
         --> Test.cfg:1:11
          |
        1 | INIT Init (* open
          |           ^^ it goes on to the end
          |
          = help: close it with `*)`

    "#]],
    );
    rejected(
        "SPECIFICATION Init /\\ [][Next]_x\n",
        &expect![[r#"
        error[E5006]: expected a keyword, found `/\`
         --> Test.cfg:1:20
          |
        1 | SPECIFICATION Init /\ [][Next]_x
          |                    ^^
          |
          = help: SPECIFICATION takes the name of one definition; define an operator for anything longer

    "#]],
    );
}

#[test]
fn deep_sets_do_not_overflow() {
    let depth = 100_000;
    let text = format!("CONSTANT c = {}1{}", "{".repeat(depth), "}".repeat(depth));
    let (config, shown) = parse(&text);
    assert_eq!((config.constants.len(), shown.as_str()), (1, ""));
    std::mem::forget(config);
}
