import { createQueryId, RawNode } from "kysely";
import type { Engine } from "../types.ts";
import { catalog } from "./catalog.ts";
import { claim } from "./claim.ts";
import { faultOf } from "./failures.ts";
import { fullText } from "./full-text.ts";
import { json } from "./json.ts";
import { letters } from "./letters.ts";
import { listHints } from "./list-hints.ts";
import { room } from "./room.ts";

/** What is SQLite's own, each in its file. */
export const sqliteEngine: Engine = {
  hints: listHints,
  fullText,
  claim,
  // One statement that writes is alone as it is.
  alone: async () => {},
  json,
  letters,
  catalog,
  room,
  // As `CompiledQuery.raw` makes it, which would freeze every list of parameters: an eighth of the time of a fire of many checks.
  statement: ({ sql, parameters }) => ({
    sql,
    parameters,
    query: RawNode.createWithSql(sql),
    queryId: createQueryId(),
  }),
  faultOf,
};
