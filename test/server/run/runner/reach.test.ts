import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { createSocket, type Socket } from "node:dgram";
import { launchBrowser, type OwnedBrowser } from "../../../../server/run/browsers/launch.ts";
import { testApp } from "../../../helpers/app.ts";
import { type RunLab, runLab } from "../../../helpers/runs.ts";

setDefaultTimeout(180_000);

let lab: RunLab;
let owned: OwnedBrowser;
let hits: string[] = [];
let datagrams = 0;
let udp: Socket;
const inner = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch(request, server) {
    hits.push(new URL(request.url).pathname);
    if (server.upgrade(request)) return;
    return new Response("<h1>Within</h1>", { headers: { "content-type": "text/html" } });
  },
  websocket: { message() {} },
});
const { port } = inner;

beforeAll(async () => {
  lab = await runLab();
  owned = await launchBrowser({ executable: null, isProxied: true });
  udp = createSocket("udp4");
  udp.on("message", () => {
    datagrams += 1;
  });
  await new Promise<void>((resolve) => udp.bind(0, "127.0.0.1", resolve));
});
beforeEach(() => {
  hits = [];
  datagrams = 0;
});
afterAll(async () => {
  await owned.close();
  await lab.close();
  udp.close();
  await inner.stop(true);
});

const html = (text: string) => ({
  status: 200,
  headers: [{ name: "content-type", value: "text/html" }],
  content: { text },
});

/** A target that a clone stands for: it is reached, wherever it is. */
function onClone(steps: string[], pages: Record<string, object>, options = {}) {
  const entries = Object.entries(pages).map(([path, response]) => ({
    request: { method: "GET", url: `http://shop.test${path}` },
    response,
  }));
  return lab.run(steps, {
    frontmatter: 'clones: [{ service: record, match: "http://shop.test/**", har: shop.har }]',
    clones: { recordings: { "shop.har": JSON.stringify({ log: { entries } }) } },
    allowPrivateTargets: false,
    browser: owned.browser,
    endBrowser: owned.kill,
    ...options,
  });
}

const thoughts = async (traceId: string) =>
  (await lab.events(traceId)).filter(({ kind }) => kind === "agent.thought").map(({ text }) => String(text));

test("a server whose settings say so refuses private targets in the runs that it carries out", async () => {
  const app = await testApp({ settings: { browser: { allow_private_targets: false } } });
  try {
    const text = (slug: string, step: string) =>
      `---\nslug: ${slug}\ntitle: ${slug}\nbase_url: ${inner.url.href}\n---\n1. ${step}`;
    const steps = { goes: 'go to "/there"', asks: 'request GET "/there"' };
    const files = Object.entries(steps).map(([slug, step]) => ({
      path: `${slug}.scenario.md`,
      text: text(slug, step),
    }));
    await app.api("/v1/scenarios/sync", { method: "POST", body: JSON.stringify({ files }) });
    for (const scenarioId of Object.keys(steps)) {
      const headers = { "content-type": "application/json" };
      const body = JSON.stringify({ scenarioId });
      const asked = await app.api("/v1/runs/manual", { method: "POST", headers, body });
      const { id } = (await asked.json()) as { id: string };
      await app.runJobs();
      expect(await (await app.api(`/v1/runs/${id}`)).json()).toMatchObject({
        status: "error",
        error: { reason: "url_not_allowed" },
      });
    }
    expect(hits).toEqual([]);
  } finally {
    await app.close();
  }
});

describe("a run that is to reach public addresses only", () => {
  test("goes to no private one, however it is spelled, and sends it nothing", async () => {
    const hosts = [
      "127.0.0.1",
      "localhost",
      "localhost.",
      "LOCALHOST",
      "2130706433",
      "0x7f.1",
      "[::1]",
      "[::ffff:127.0.0.1]",
    ];
    for (const host of hosts) {
      const address = `http://${host}:${port}/there`;
      const { status, error } = await lab.run([`go to "${address}"`], { allowPrivateTargets: false });
      expect({ address, status, reason: error?.reason }).toEqual({
        address,
        status: "error",
        reason: "url_not_allowed",
      });
      expect(error?.message).toContain(`:${port} is no public address`);
      expect(error?.message).toContain('"browser.allow_private_targets"');
    }
    for (const excludeOrigins of [[], [inner.url.origin]]) {
      const steps = [`request POST "${inner.url.href}" with "{}"`];
      const sent = await lab.run(steps, { allowPrivateTargets: false, excludeOrigins });
      expect(sent).toMatchObject({ status: "error", error: { reason: "url_not_allowed", stepId: "s1" } });
    }
    expect(hits).toEqual([]);
    expect(await lab.run([`go to "${inner.url.href}there"`])).toMatchObject({ status: "passed" });
    expect(hits).toContain("/there");
  });

  test("is led to none by a page: by requests, frames, windows, sockets, workers, forms, prefetches or datagrams", async () => {
    // Each way has a name of its own, so that the trace tells that it was tried.
    const to = (way: string) => `${way}.localhost:${port}`;
    const datagramsTo = `127.0.0.1:${udp.address().port}`;
    const page = `<link rel=prefetch href="http://${to("prefetch")}"><link rel=stylesheet href="http://${to("style")}">
      <img src="http://${to("image")}"><iframe src="http://${to("frame")}"></iframe><iframe name=posted></iframe><p id=told>Ready</p>
      <form action="http://${to("form")}" target=posted method=post></form>
      <script type=speculationrules>{"prefetch":[{"source":"list","urls":["http://${to("speculated")}"],"eagerness":"immediate"}]}</script>
      <script>
        const tried = [];
        tried.push(fetch("http://${to("fetch")}", { mode: "no-cors" }).catch(() => {}));
        tried.push(new Promise((done) => { new WebSocket("ws://${to("socket")}").onerror = done; }));
        tried.push(new Promise((done) => { new EventSource("http://${to("events")}").onerror = done; }));
        navigator.sendBeacon("http://${to("beacon")}");
        document.forms[0].submit();
        const code = "fetch('http://${to("worker")}').catch(() => {}).then(() => postMessage(1))";
        const worker = new Worker(URL.createObjectURL(new Blob([code])));
        tried.push(new Promise((done) => { worker.onmessage = done; }));
        tried.push(new Promise(async (done) => {
          const peer = new RTCPeerConnection({ iceServers: [{ urls: "stun:${datagramsTo}" }, { urls: "turn:127.0.0.1:${port}?transport=tcp", username: "a", credential: "b" }] });
          peer.onicegatheringstatechange = () => peer.iceGatheringState === "complete" && done();
          peer.createDataChannel("x");
          await peer.setLocalDescription(await peer.createOffer());
        }));
        Promise.all(tried).then(() => { told.textContent = "Nothing answered"; });
      </script>`;
    const opener = `<button onclick="window.open('http://${to("window")}')">Open</button> <a href="http://${to("link")}">Link</a>`;
    const { status, error, traceId } = await onClone(
      [
        'go to "http://shop.test/"',
        'expect text "Nothing answered" within 30s',
        'go to "http://shop.test/opener"',
        'click button "Open"',
        "wait 1s",
      ],
      { "/": html(page), "/opener": html(opener) },
    );
    expect({ status, error }).toEqual({ status: "passed", error: null });
    const linked = await onClone(
      ['go to "http://shop.test/opener"', 'click link "Link"', 'expect text "Within" within 1s'],
      {
        "/opener": html(opener),
      },
    );
    expect(linked.status).toBe("failed");
    const led = {
      status: 302,
      headers: [{ name: "location", value: `http://${to("redirected")}` }],
      content: { text: "" },
    };
    const redirected = await onClone(['go to "http://shop.test/away"'], { "/away": led });
    expect(redirected).toMatchObject({ status: "error", error: { reason: "url_not_allowed" } });
    expect(hits).toEqual([]);
    expect(datagrams).toBe(0);
    const told = (await thoughts(traceId)).join("\n");
    const ways = [
      "style",
      "image",
      "frame",
      "form",
      "fetch",
      "socket",
      "events",
      "beacon",
      "worker",
      "window",
    ];
    for (const way of ways) expect(told).toContain(`${to(way)} is no public address`);
    // Who may send datagrams does so from the same page.
    await onClone(
      ['go to "http://shop.test/"', "wait 1s"],
      { "/": html(page) },
      {
        allowPrivateTargets: true,
        browser: lab.owned.browser,
        endBrowser: lab.owned.kill,
      },
    );
    expect(datagrams).toBeGreaterThan(0);
  });

  test("reaches its clones, at their own addresses too", async () => {
    const page = `<p id=told>Ready</p><script>
      const socket = new WebSocket(location.hash.slice(1).replace("http", "ws") + "/by-socket");
      socket.onerror = () => { told.textContent = "Answered"; };
    </script>`;
    const { status, traceId } = await onClone(
      [
        'go to "http://shop.test/#${clones.record.url}"',
        'expect text "Answered"',
        'request GET "${clones.record.url}/plain" status 200',
      ],
      { "/": html(page), "/plain": html("plain") },
    );
    expect(status).toBe("passed");
    const heard = (await lab.events(traceId)).filter(({ resource_type }) => resource_type === "server");
    expect(heard.map(({ url }) => new URL(String(url)).pathname)).toContain("/by-socket");
    expect((await thoughts(traceId)).filter((text) => text.includes("no public address"))).toEqual([]);
  });

  test("tells of a name that nobody knows as before: the target was not reached", async () => {
    const run = (isOnline: boolean) =>
      lab.run(['go to "http://nobody.invalid/"'], {
        allowPrivateTargets: false,
        isOnline: async () => isOnline,
      });
    expect(await run(true)).toMatchObject({ status: "failed", error: { reason: null } });
    expect(await run(false)).toMatchObject({ status: "error", error: { reason: "offline" } });
  });
});
