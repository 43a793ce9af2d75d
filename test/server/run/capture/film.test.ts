import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type RunLab, runLab } from "../../../helpers/runs.ts";

setDefaultTimeout(120_000);

let lab: RunLab;
beforeAll(async () => {
  lab = await runLab();
});
afterAll(() => lab.close());

test("the film of a run goes on when pages give way to others, and each picture is another than the one before", async () => {
  // So often that the film begins anew while one page gives way to the next.
  const visit = ['click link "Cart"', 'go to "/"'];
  const visits = Array.from({ length: 10 }, () => visit).flat();
  // The last page is one that was not seen before: else its picture may be the last one that was taken.
  const steps = ['go to "/"', ...visits, 'go to "/signin"', "wait 1s"];
  const { traceId } = await lab.run(steps);
  // The last picture of all is taken when the run is over.
  const film = (await lab.events(traceId, "&kind=screenshot")).slice(0, -1);
  expect(Number(String(film.at(-1)?.step_id).slice(1))).toBeGreaterThanOrEqual(steps.length - 1);
  const blobs = film.map(({ blob }) => String(blob));
  expect(blobs.filter((blob, at) => blob === blobs[at - 1])).toEqual([]);
});

test("the first picture is one of the first page's, and every step that changed something has one", async () => {
  const { traceId, status } = await lab.run([
    'go to "/"',
    "wait 300ms",
    'click link "Cart"',
    'expect url "/cart"',
  ]);
  expect(status).toBe("passed");
  const film = await lab.events(traceId, "&kind=screenshot");
  expect(film[0]?.step_id).toBe("s1");
  expect(film.at(-1)?.step_id).toBe("s4");
  expect(film.every(({ step_id }) => step_id !== undefined)).toBe(true);
});
