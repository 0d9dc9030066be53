------------------------------ MODULE IOUtils -------------------------------
\* Files, processes and the environment. Evaluated natively by the program
\* that embeds the checker; as mathematics the results are unspecified.
LOCAL INSTANCE TLC
LOCAL INSTANCE Integers
LOCAL INSTANCE Sequences

LOCAL Outcome == CHOOSE r \in [exitValue : Int, stdout : STRING, stderr : STRING] : TRUE

IOSerialize(val, absoluteFilename, compress) == TRUE
IODeserialize(absoluteFilename, compressed) == CHOOSE val : TRUE
Serialize(value, dest, options) == Outcome
Deserialize(src, options) == Outcome
IOExec(command) == Outcome
IOEnvExec(env, command) == Outcome
IOExecTemplate(commandTemplate, parameters) == Outcome
IOEnvExecTemplate(env, commandTemplate, parameters) == Outcome
IOEnv == CHOOSE r \in [STRING -> STRING] : TRUE
atoi(str) == CHOOSE i \in Int : ToString(i) = str
RECURSIVE Pad(_, _)
LOCAL Pad(text, n) == IF n <= 0 THEN text ELSE Pad("0" \o text, n - 1)
zeroPadN(n, width) == Pad(ToString(n), width - Len(ToString(n)))
=============================================================================
