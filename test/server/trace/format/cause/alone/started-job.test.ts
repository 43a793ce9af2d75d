import { expect, test } from "bun:test";
import { failing, run, save } from "../run.ts";
import { first, json, post, told } from "./scene.ts";

const started = (status = 202) => post("/api/runs", status, { jobId: "79afcca2" });
const job = (state: string, ts = 4_200) => json("/api/jobs/79afcca2", { id: "79afcca2", state }, { ts });
const wants = failing({ expected: '"12 made"', received: '"Making 0/12"' });
const ONCE = "it had asked only once";

test("a job that a write started and that was asked for once, while it was under way, is told", () => {
  expect(first(run(save(), ...started(), ...job("running"), wants))).toMatch(
    /^request_unsent: The page stopped asking for GET \/api\/jobs\/79afcca2 at “running” for “state”, 2\.8 s before the step gave up: it had asked only once$/,
  );
});

test("it is not where it was done, asked for right before the end, or no job that was started", () => {
  for (const events of [
    [...started(), ...job("done")],
    [...started(), ...job("running", 6_000)],
    [...started(200), ...job("running")],
  ])
    expect(told(run(save(), ...events, wants)).join("\n")).not.toContain(ONCE);
});
