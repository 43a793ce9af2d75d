import { expect, test } from "bun:test";
import { causeOf, exchange, page, passing, run, save, savedInVain } from "./run.ts";

const target = "Click getByRole('button', { name: 'Save draft' })";
const config = (name: string, isOn: boolean) =>
  exchange("/config.json", { ts: 500, body: JSON.stringify({ features: { [name]: isOn, other: true } }) });
const confidenceOf = (name: string) =>
  causeOf(
    run(...config(name, false), savedInVain({ title: target }), page("<button>Send</button>")),
    run(...config(name, true), save({ title: target }), passing(), page("<button>Save draft</button>")),
  ).suspects.find(({ title }) => title.includes(`“false” for “features.${name}”`))!.confidence;

test("a switch that is off is surer where all its words are those of what the step looks for", () => {
  const sure = confidenceOf("savedDrafts");
  expect(sure).toBeGreaterThan(confidenceOf("newReports"));
  expect(sure).toBeGreaterThan(confidenceOf("savedSearches"));
});
