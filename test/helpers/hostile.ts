/** Pages that no run may suffer from, and answers that nobody should read whole. */
export function startHostile(): { url: string; stop(): Promise<void> } {
  const page = (body: string, script = "") =>
    new Response(`<!doctype html><title>Hostile</title>${body}<script>${script}</script>`, {
      headers: { "content-type": "text/html" },
    });
  const HUNDRED_MB = 100 << 20;

  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 255,
    fetch(request) {
      const { pathname } = new URL(request.url);
      switch (pathname) {
        case "/console":
          return page(
            "<p>Loud</p>",
            "setInterval(() => { for (let at = 0; at < 1000; at++) console.log('line', at); }, 100);",
          );
        case "/mutations":
          return page(
            "<p id=p>Restless</p>",
            "setInterval(async () => { for (let at = 0; at < 200; at++) { p.dataset.at = at; await null; } }, 20);",
          );
        case "/asking":
          return page(
            "<p>Curious</p>",
            "onload = () => setTimeout(() => { for (let at = 0; at < 1000; at++) fetch('/answer?' + at); fetch('/last', { method: 'POST' }); });",
          );
        case "/answer":
        case "/last":
          return new Response("Yes", { headers: { "content-type": "text/plain" } });
        case "/shouting":
          return page("<p>Loud</p>", "setTimeout(() => { for (;;) console.log('x'.repeat(60e6)); }, 100);");
        case "/long-line":
          return page("<p>Loud</p>", "console.log('x'.repeat(60e6));");
        case "/searching":
          return page("<p id=p>Home</p><button id=b>Change</button>", SEARCH);
        case "/poisoned":
          return page("<p id=p>Home</p><button id=b>Change</button>", POISON);
        case "/hoarding":
          return page(
            "<p>Home</p>",
            "for (let at = 0; at < 100; at++) localStorage[at] = '\\u0001'.repeat(9000);",
          );
        case "/big":
          return page("<p id=p>Waiting</p>", load("/big.bin", "Loaded"));
        case "/bomb":
          return page("<p id=p>Waiting</p>", load("/bomb.txt", "Loaded"));
        case "/big.bin":
          return new Response(zeros(HUNDRED_MB), { headers: { "content-type": "application/octet-stream" } });
        case "/bomb.txt":
          return new Response(Bun.gzipSync(Buffer.alloc(HUNDRED_MB)), {
            headers: { "content-type": "text/plain", "content-encoding": "gzip" },
          });
        case "/stream":
          return page(
            "<p id=p>Waiting</p>",
            "new EventSource('/events').onmessage = ({ data }) => { p.textContent = data; };",
          );
        case "/events":
          return new Response(
            new ReadableStream({
              start: (controller) => controller.enqueue(Buffer.from("data: First news\n\n")),
            }),
            { headers: { "content-type": "text/event-stream" } },
          );
        case "/circle":
          return new Response(null, { status: 302, headers: { location: "/circle" } });
        case "/never":
          return new Promise<Response>(() => {});
        case "/file":
          return new Response("a,b\n", {
            headers: { "content-disposition": 'attachment; filename="a.csv"' },
          });
        case "/acts":
          return page(
            `<a href=/file>Download</a> <button onclick="alert('Sure?'); p.textContent = 'Answered ' + confirm('Really?') + ' ' + prompt('Name?')">Ask</button>
             <button onclick="window.open('/popup')">Open</button> <button onclick="for (;;) {}">Hang</button>
             <button onclick="for (;;) alert('again')">Pester</button>
             <button onclick="onbeforeunload = (event) => event.preventDefault()">Guard</button> <p id=p>Ready</p>`,
          );
        case "/popup":
          return page("<h1>Popup</h1><button onclick='window.close()'>Close</button>");
        default:
          return page("<p>Home</p>");
      }
    },
  });
  return { url: server.url.origin, stop: () => server.stop(true) };
}

/** Looks for a function that its browser did not bring, in every window that it can reach, and calls what it finds. */
const SEARCH = `
  const own = () => {
    const bare = document.createElement('iframe');
    document.documentElement.append(bare);
    return bare;
  };
  const known = new Set(Object.getOwnPropertyNames(own().contentWindow));
  // Names that every window has but a frame's do not.
  const MINE = new Set(['known', 'own', 'MINE', 'junk', 'look', 'found', 'p', 'b', '__PRODUCT_SYNTHETIC__', 'event']);
  const junk = ['{"type":3,"timestamp":1e400,"data":{"source":0,"adds":[],"removes":[],"attributes":[{"id":1,"attributes":{"forged":"yes"}}],"texts":[]}}',
    '{"type":3,"timestamp":"soon","data":{"source":0}}', '{', 'null'];
  const found = new Set();
  const look = (view) => {
    for (const name of Object.getOwnPropertyNames(view)) {
      if (MINE.has(name) || (known.has(name) && !/^_/.test(name)) || typeof view[name] !== 'function') continue;
      found.add(name);
      for (const text of junk) try { view[name](text); } catch {}
    }
  };
  look(window);
  look(own().contentWindow);
  const popup = window.open('about:blank');
  if (popup) { look(popup); popup.close(); }
  const inner = own();
  inner.srcdoc = '<p>In</p>';
  inner.onload = () => { look(inner.contentWindow); document.title = 'Found ' + found.size + ': ' + [...found].join(); };
  b.onclick = () => { p.textContent = 'Changed'; };`;

/** Replaces what a recorder in its own world would make its records with. */
const POISON = `
  const forged = '{"type":3,"timestamp":1,"data":{"source":0,"adds":[],"removes":[],"attributes":[{"id":1,"attributes":{"forged":"yes"}}],"texts":[]}}';
  JSON.stringify = () => forged;
  Array.prototype.join = () => forged;
  Object.prototype.toJSON = () => ({ forged: 'yes' });
  Object.entries = () => [null, 5, [1, { forged: 'yes' }]];
  Node.prototype.cloneNode = () => { throw new Error('none'); };
  Date.now = () => Number.NaN;
  Object.defineProperty(window, 'localStorage', { value: null });
  b.onclick = () => { p.textContent = 'Changed'; };`;

const load = (path: string, done: string) =>
  `fetch('${path}').then((answer) => answer.arrayBuffer()).then(() => { p.textContent = '${done}'; });`;

function zeros(size: number): ReadableStream<Uint8Array> {
  const piece = new Uint8Array(1 << 20);
  let left = size;
  return new ReadableStream({
    pull(controller) {
      if (left <= 0) return controller.close();
      left -= piece.length;
      controller.enqueue(piece.slice());
    },
  });
}
