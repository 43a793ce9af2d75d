import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Records } from "../../../store/records/db.ts";
import { postgresRecords } from "../../helpers/postgres/records.ts";
import { fillable, sqliteRecords } from "../../helpers/records.ts";
import { BYTES_AND_JOBS } from "./contracts/bytes-and-jobs.ts";
import { CHATS } from "./contracts/chats.ts";
import { CHECKS } from "./contracts/checks.ts";
import { CLOCK_BACK } from "./contracts/clock-back.ts";
import type { Contract } from "./contracts/contract.ts";
import { DIRECTORIES } from "./contracts/directories.ts";
import { GATES } from "./contracts/gates.ts";
import { GRID } from "./contracts/grid.ts";
import { INBOUND } from "./contracts/inbound.ts";
import { INCIDENTS } from "./contracts/incidents.ts";
import { LISTS } from "./contracts/lists.ts";
import { MENDER } from "./contracts/mender.ts";
import { NOTIFICATIONS } from "./contracts/notifications.ts";
import { OAUTH } from "./contracts/oauth.ts";
import { ONBOARDING } from "./contracts/onboarding.ts";
import { ORGS } from "./contracts/orgs.ts";
import { PEOPLE } from "./contracts/people.ts";
import { RETENTION } from "./contracts/retention.ts";
import { RUNS } from "./contracts/runs.ts";
import { SIGN_IN } from "./contracts/sign-in.ts";
import { TEST_RUNS } from "./contracts/test-runs.ts";
import { TOKENS } from "./contracts/tokens.ts";
import { TRACES } from "./contracts/traces.ts";

setDefaultTimeout(120_000);

const CONTRACTS: Contract[] = [
  ...PEOPLE,
  ...ORGS,
  ...SIGN_IN,
  ...RUNS,
  ...CHATS,
  ...CHECKS,
  ...CLOCK_BACK,
  ...NOTIFICATIONS,
  ...INBOUND,
  ...ONBOARDING,
  ...INCIDENTS,
  ...MENDER,
  ...GRID,
  ...GATES,
  ...TEST_RUNS,
  ...TRACES,
  ...BYTES_AND_JOBS,
  ...LISTS,
  ...RETENTION,
  ...TOKENS,
  ...OAUTH,
  ...DIRECTORIES,
];
const NOUNS = CONTRACTS.map(({ noun }) => noun);

interface Engine {
  records: Records;
  empty(): Promise<void>;
  close(): Promise<void>;
}

let engine: Engine;

async function keep(sentence: Contract["keeps"][string]): Promise<void> {
  await engine.empty();
  await sentence(await fillable(engine.records));
}

test("every file of the records that asks has a contract", () => {
  const folder = join(import.meta.dir, "../../../store/records");
  const asking = /\b(selectFrom|insertInto|updateTable|deleteFrom|rowsOf|executeQuery)\b/;
  const nouns = readdirSync(folder)
    .filter((name) => name.endsWith(".ts") && asking.test(readFileSync(join(folder, name), "utf8")))
    .map((name) => name.slice(0, -".ts".length));
  expect(NOUNS.toSorted()).toEqual(nouns.sort());
});

describe("on SQLite", () => {
  beforeAll(async () => {
    engine = sqliteRecords();
  });
  afterAll(() => engine.close());

  for (const { noun, keeps } of CONTRACTS)
    describe(noun, () => {
      for (const [sentence, check] of Object.entries(keeps)) test(sentence, () => keep(check));
    });
});

describe("on PostgreSQL", () => {
  beforeAll(async () => {
    engine = await postgresRecords();
  });
  afterAll(() => engine.close());

  for (const { noun, keeps } of CONTRACTS)
    describe(noun, () => {
      for (const [sentence, check] of Object.entries(keeps)) test(sentence, () => keep(check));
    });
});
