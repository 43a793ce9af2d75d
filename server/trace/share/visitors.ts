/** Only the part of an address that says where from, not who: three bytes of IPv4, three groups of IPv6. */
export function shortAddress(ip: string | null): string | null {
  if (ip === null) return null;
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip) ?? [];
  const v4 = /^(\d+\.\d+\.\d+)\.\d+$/.exec(mapped ?? ip)?.[1];
  if (v4) return v4.startsWith("127.") ? "this machine" : `${v4}.×`;
  if (ip === "::1") return "this machine";
  const groups = groupsOf(ip.split("%", 1)[0]!);
  return groups && `${groups.slice(0, 3).join(":")}:×`;
}

/** The eight groups of an IPv6 address, those that are left out too: else what comes last could be told as one of the first. */
function groupsOf(ip: string): string[] | null {
  const [before, after, ...more] = ip.split("::").map((part) => part.split(":").filter(Boolean));
  if (!before || more.length > 0 || !ip.includes(":")) return null;
  const missing = 8 - before.length - (after?.length ?? 0);
  return [...before, ...(after ? [...Array<string>(Math.max(0, missing)).fill("0"), ...after] : [])];
}

/** First fit counts: nearly every browser also names those that it wants to be taken for. */
const PROGRAMS: [RegExp, string][] = [
  [/bot\b|crawler|spider|slurp|preview|facebookexternalhit/i, "Robot"],
  [/\bcurl\//i, "curl"],
  [/\bwget\//i, "Wget"],
  [/python|node|undici|bun\/|go-http|java\/|okhttp|axios/i, "Program"],
  [/\bEdg(?:e|A|iOS)?\/(\d+)/, "Edge"],
  [/\bOPR\/(\d+)/, "Opera"],
  [/\bSamsungBrowser\/(\d+)/, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\/(\d+)/, "Firefox"],
  [/\b(?:HeadlessChrome|Chrome|CriOS|Chromium)\/(\d+)/, "Chrome"],
  [/\bVersion\/(\d{1,4})[\d.]{0,20} .{0,200}Safari\//, "Safari"],
];
const SYSTEMS: [RegExp, string][] = [
  [/iPhone|iPad|iPod/, "iOS"],
  [/Android/, "Android"],
  [/CrOS/, "ChromeOS"],
  [/Windows/, "Windows"],
  [/Macintosh|Mac OS X/, "macOS"],
  [/Linux/, "Linux"],
];

/** `Firefox 131 on Windows` from a User-Agent header; null when it says nothing that is known. */
export function describeAgent(userAgent: string | null): string | null {
  if (!userAgent) return null;
  const program = PROGRAMS.find(([pattern]) => pattern.test(userAgent));
  if (!program) return null;
  const version = program[0].exec(userAgent)?.[1];
  const system = SYSTEMS.find(([pattern]) => pattern.test(userAgent))?.[1];
  return `${program[1]}${version ? ` ${version}` : ""}${system ? ` on ${system}` : ""}`;
}
