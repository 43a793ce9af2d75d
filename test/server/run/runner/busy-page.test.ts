import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type RunLab, runLab } from "../../../helpers/runs.ts";

setDefaultTimeout(120_000);

let lab: RunLab;
beforeAll(async () => {
  lab = await runLab();
});
afterAll(() => lab.close());

test("what stands on a page that is busy all the time is told, however late the page says it", async () => {
  const busy = `<p>Still <b>adding</b> up</p><script>
    const work = () => {
      for (const end = performance.now() + 400; performance.now() < end; );
      setTimeout(work);
    };
    setTimeout(work);
  </script>`;
  const site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => new Response(busy, { headers: { "content-type": "text/html" } }),
  });
  try {
    const steps = [
      'go to "/" within 30s',
      'expect text "Still adding up" within 1s',
      'expect text "Done" within 1s',
    ];
    const { error } = await lab.run(steps, { baseUrl: site.url.origin });
    expect(error).toMatchObject({
      stepId: "s3",
      message: 'Expected the text "Done", but found "Still adding up".',
    });
  } finally {
    await site.stop(true);
  }
});
