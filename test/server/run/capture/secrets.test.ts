import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { CaptureSink } from "../../../../server/run/capture/sink.ts";
import { describe as describeProgress } from "../../../../server/run/pool/log-lines.ts";
import { openZip } from "../../../../store/archives/zip.ts";
import { holds } from "../../../helpers/meanings.ts";
import { scratchFolder } from "../../../helpers/program.ts";
import { type RunLab, runLab } from "../../../helpers/runs.ts";

setDefaultTimeout(120_000);

const scratch = scratchFolder();
let lab: RunLab;
beforeAll(async () => {
  lab = await runLab();
});
afterAll(async () => {
  await lab.close();
  scratch.remove();
});

const SECRET = "P@ss(1)!~x'y>z";

/** Sends what is typed into its field, and what the server tells it, in every way that pages have. */
const SENDER = `<!doctype html><meta charset="utf-8"><title>Sender</title>
<form id="post" method="post" action="/form"><label>Value <input name="v"></label><button>Post</button></form>
<form id="get" action="/form"><input name="w" hidden><button>Get</button></form>
<button id="all">All</button><output></output>
<script>
const $ = (css) => document.querySelector(css);
$("[name=v]").oninput = () => { $("[name=w]").value = $("[name=v]").value; };
const hex = (text) => [...new TextEncoder().encode(text)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const wide = (text, isLittle) => {
  const bytes = new DataView(new ArrayBuffer(text.length * 2));
  [...text].forEach((character, at) => bytes.setUint16(at * 2, character.charCodeAt(0), isLittle));
  return new Uint8Array(bytes.buffer);
};
const escaped = (text) => [...text].map((c, at) => "\\\\" + (at % 2 ? "u00" : "x") + c.charCodeAt(0).toString(16)).join("");
$("#all").onclick = async () => {
  const v = $("[name=v]").value;
  const forms = { plain: v, hex: hex(v), upper: hex(v).toUpperCase(), basic: btoa("user:" + v), basic2: btoa("me:" + v), url: btoa("u" + v).replaceAll("+", "-").replaceAll("=", ""),
    once: encodeURIComponent(v), twice: encodeURIComponent(encodeURIComponent(v)), thrice: encodeURIComponent(encodeURIComponent(encodeURIComponent(v))),
    script: escaped(v), json: JSON.stringify(JSON.stringify({ v })), markup: v.replace(/[^a-z]/gi, (c) => "&#" + c.charCodeAt(0) + ";"), nested: btoa(encodeURIComponent(btoa(v))) };
  const post = (body, type) => fetch("/echo?" + new URLSearchParams({ v: forms.hex }), { method: "POST", body, headers: { "content-type": type } }).then((answer) => answer.arrayBuffer());
  await post(JSON.stringify(forms), "application/json");
  await post(new TextEncoder().encode("\\u0000\\u0001" + v), "application/octet-stream");
  await post(wide(v, true), "application/octet-stream");
  await post(wide(v, false), "application/octet-stream");
  await post(await new Response(new Blob([v]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer(), "application/octet-stream");
  await fetch("/redirect?v=" + encodeURIComponent(v), { headers: { "x-basic": forms.basic } });
  await new Promise((resolve) => {
    const socket = new WebSocket(location.href.replace("http", "ws") + "socket?v=" + forms.twice);
    socket.binaryType = "arraybuffer";
    let left = 3;
    socket.onopen = () => { socket.send(v); socket.send(new TextEncoder().encode(v)); socket.send(JSON.stringify(forms)); };
    socket.onmessage = () => { left -= 1; if (left === 0) { socket.close(); resolve(); } };
  });
  for (const [name, text] of Object.entries(forms)) {
    console.log("made", name, text);
    localStorage.setItem("kept-" + name, text);
    document.cookie = name + "=" + encodeURIComponent(text);
    const mark = document.createElement("i");
    mark.setAttribute("data-" + name, text);
    mark.textContent = text;
    document.body.append(mark);
  }
  localStorage.setItem(forms.hex, "1");
  setTimeout(() => { throw new Error("cannot use " + forms.twice); });
  $("output").textContent = "All was sent";
};
</script>`;

function startSender() {
  return Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request, server) {
      const { pathname, search } = new URL(request.url);
      if (pathname === "/socket" && server.upgrade(request)) return;
      const html = { headers: { "content-type": "text/html" } };
      if (pathname === "/") return new Response(SENDER, html);
      if (pathname === "/redirect") return Response.redirect(`/echo${search}`, 302);
      const body = new Uint8Array(await request.arrayBuffer());
      if (pathname === "/form") {
        const fields = new URLSearchParams(
          request.method === "GET" ? search : new TextDecoder().decode(body),
        );
        const said = [...fields.values()].join(" ").replaceAll(">", "&gt;").replaceAll("'", "&#39;");
        return new Response(
          `<!doctype html><title>Echo</title><p title="${said}">You said ${said}</p>`,
          html,
        );
      }
      const type = request.headers.get("content-type") ?? "text/plain";
      return new Response(body, { headers: { "content-type": type, "x-echo": search } });
    },
    websocket: { message: (socket, message) => void socket.send(message) },
  });
}

/** Keeps every byte that a run leaves, by what it is. */
function byteSink() {
  const kept: [name: string, bytes: Uint8Array][] = [];
  const sink: CaptureSink = {
    pace: { eventsMs: 50, blobsMs: 50 },
    async begin(manifest) {
      kept.push(["manifest", Buffer.from(JSON.stringify(manifest))]);
      return { traceId: "t", shortId: "s" };
    },
    async chunk(_, bytes) {
      const lines = Buffer.from(await Bun.zstdDecompress(bytes))
        .toString()
        .trim()
        .split("\n");
      for (const line of lines) kept.push([line.slice(0, 200), Buffer.from(line)]);
    },
    blobs: async (blobs) =>
      void kept.push(...blobs.map(({ hash, bytes }): [string, Uint8Array] => [hash, bytes])),
    async artifact(kind, blob) {
      const bytes = await blob.bytes();
      if (kind === "rrweb") kept.push([kind, await Bun.zstdDecompress(bytes)]);
      else if (kind !== "playwright") kept.push([kind, bytes]);
      else {
        await Bun.write(scratch.at("secrets.zip"), bytes);
        const archive = await openZip(scratch.at("secrets.zip"));
        for (const member of archive.members) kept.push([member.name, await archive.read(member)]);
        await archive.close();
      }
    },
    end: async () => {},
  };
  return { sink, kept };
}

const given = (secrets: Record<string, string>) => ({
  values: { secrets, synthetic: { email: "a@b.c", name: "A", region: "r", shard: "1" } },
});

describe("a secret that a page sends, keeps and prints in every form", () => {
  test("is in no byte that the run leaves", async () => {
    const site = startSender();
    const { sink, kept } = byteSink();
    const logged: string[] = [];
    try {
      const { status, error } = await lab.run(
        [
          'go to "/"',
          'fill field "Value" with "${secrets.S}"',
          'click button "All"',
          'expect text "All was sent"',
          'click button "Get"',
          'expect text "You said"',
          'go to "/"',
          'fill field "Value" with "${secrets.S}"',
          'click button "Post"',
          'expect text "You said"',
          `request POST "/echo" with "{\\"v\\":\\"\${secrets.S}\\"}"`,
          'expect text "You said nothing, ${secrets.S}" within 200ms',
        ],
        {
          ...given({ S: SECRET }),
          sink,
          baseUrl: site.url.href,
          onProgress: (progress) => void logged.push(describeProgress(progress)?.message ?? ""),
        },
      );
      expect({ status, step: error?.stepId }).toEqual({ status: "failed", step: "s12" });
      kept.push(["log", Buffer.from(logged.join("\n"))], ["error", Buffer.from(error?.message ?? "")]);
    } finally {
      await site.stop(true);
    }
    const found = kept.filter(([, bytes]) => holds(bytes, SECRET, 3)).map(([name]) => name);
    expect(found).toEqual([]);
    const events = kept
      .map(([, bytes]) => Buffer.from(bytes).toString())
      .filter((line) => line.startsWith('{"seq"'));
    const kinds = new Set(events.map((line) => String((JSON.parse(line) as { kind: string }).kind)));
    for (const kind of [
      "network.websocket_frame",
      "storage.state",
      "console.log",
      "console.error",
      "dom.snapshot",
    ])
      expect(kinds).toContain(kind);
    expect(events.join("\n")).toContain("kept-thrice");
    expect(events.join("\n")).toContain("/redirect?v=[redacted]");
  });
});

/** Prints what it is given in every place that has text of its own. */
const printer = (value: string, isFramed = false) => `<!doctype html><title>Printer</title>
<style>* { font: 20px/1.4 monospace } ::placeholder { color: red }</style>
<p>Your token is ${value}.</p><p>It is <b>${value.slice(0, 5)}</b><i>${value.slice(5)}</i></p>
<p>Written as ${encodeURIComponent(value)} and ${btoa(value)}</p>
<input id="set" size="40"><textarea id="area" cols="40"></textarea><input placeholder="${value}" size="40">
<input type="button" value="${value}"><svg height="40" width="400"><text y="20">${value}</text></svg>
<div id="host"></div><button onclick="later()">Later</button><p id="later"></p><p id="names"></p>
${isFramed ? "" : '<iframe src="/framed" width="500" height="200"></iframe>'}
<script>
const value = ${JSON.stringify(value)};
set.value = value; area.value = value;
host.attachShadow({ mode: "open" }).innerHTML = "<p>In a shadow: " + value + "</p>";
document.querySelector("#names").textContent = "names: " + typeof window.tracedeckCover + " " +
  Object.getOwnPropertyNames(window).filter((name) => /cover|redact|tracedeck/i.test(name)).length;
function later() {
  document.querySelector("#later").textContent = "Then: " + value;
  set.value = ""; requestAnimationFrame(() => { set.value = value; document.querySelector("#later").append(" done"); });
}
</script>`;

describe("a secret that a page prints", () => {
  test("is in no picture, and scripts and expectations see the page as it is", async () => {
    const pictures: string[][] = [];
    // Of one length, and with encodings of one length.
    for (const value of ["m0rnings-and-more", "evening5-and-less", "plain words to see"]) {
      const site = Bun.serve({
        port: 0,
        hostname: "127.0.0.1",
        fetch: (request) =>
          new Response(printer(value.slice(0, 17), request.url.endsWith("/framed")), {
            headers: { "content-type": "text/html" },
          }),
      });
      const { sink, kept } = byteSink();
      const isSecret = !value.startsWith("plain");
      try {
        const { status, error } = await lab.run(
          [
            'go to "/"',
            isSecret ? 'expect text "Your token is ${secrets.S}."' : 'expect text "Your token is"',
            'expect text "names: undefined 0"',
            'click button "Later"',
            'expect text "done"',
            "wait 300ms",
            "screenshot",
          ],
          { ...given({ S: value }), sink, baseUrl: site.url.href },
        );
        expect([status, error]).toEqual(["passed", null]);
      } finally {
        await site.stop(true);
      }
      const [, picture] = kept.find(([kind]) => kind === "screenshot") ?? [];
      expect(picture?.length).toBeGreaterThan(1000);
      pictures.push([Bun.hash(picture!).toString(16)]);
    }
    expect(pictures[0]).toEqual(pictures[1]!);
    expect(pictures[2]).not.toEqual(pictures[0]!);
  });
});
