import { expect, setDefaultTimeout, test } from "bun:test";
import { systemClock } from "../../../../server/platform/clock.ts";
import { launchBrowser } from "../../../../server/run/browsers/launch.ts";
import { createDeadline } from "../../../../server/run/runner/environment.ts";
import { findElement } from "../../../../server/run/runner/find.ts";
import { createValues } from "../../../../server/run/runner/values.ts";

setDefaultTimeout(60_000);

test("an element that comes later is found although a frame of the page hangs", async () => {
  const site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ url }) => {
      const { pathname, port } = new URL(url);
      const html =
        pathname === "/hangs"
          ? "<script>setTimeout(() => { for (;;); }, 100)</script>"
          : `<iframe src="http://127.0.0.1:${port}/hangs"></iframe>
             <script>setTimeout(() => document.body.append(document.createElement("button")), 1000)</script>`;
      return new Response(html, { headers: { "content-type": "text/html" } });
    },
  });
  const owned = await launchBrowser({ executable: null });
  try {
    const page = await owned.browser.newPage();
    // A frame that hangs before it has loaded would keep its page from having loaded.
    await page.goto(`http://localhost:${site.port}/`, { waitUntil: "domcontentloaded" });
    const values = createValues({
      secrets: {},
      synthetic: { email: "a@example.invalid", name: "A", region: "r", shard: "1" },
      clones: {},
    });
    const deadline = createDeadline(systemClock, 20_000, new AbortController().signal);
    const found = await findElement(page, { by: "role", role: "button" }, { values, deadline });
    expect(found.seen).toMatchObject({ count: 1, isOne: true });
    expect(deadline.isOver()).toBe(false);
  } finally {
    owned.kill();
    await site.stop(true);
  }
});
