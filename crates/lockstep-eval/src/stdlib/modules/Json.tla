------------------------------- MODULE Json ---------------------------------
\* Values as JSON text and in JSON files. Evaluated natively.
LOCAL INSTANCE TLC

ToJson(value) == ToString(value)
ToJsonArray(value) == ToString(value)
ToJsonObject(value) == ToString(value)
JsonSerialize(absoluteFilename, value) == TRUE
JsonDeserialize(absoluteFilename) == CHOOSE value : TRUE
ndJsonSerialize(absoluteFilename, value) == TRUE
ndJsonDeserialize(absoluteFilename) == CHOOSE value : TRUE
=============================================================================
