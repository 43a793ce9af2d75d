import { signal } from "@preact/signals";
import { inflateSync } from "fflate";

/** Whether all of the file has been read; until then a part that is not there may still come. */
export const isWhole = signal(document.readyState !== "loading");

const whole = new Promise<void>((resolve) => {
  if (isWhole.peek()) return resolve();
  document.addEventListener("DOMContentLoaded", () => {
    isWhole.value = true;
    resolve();
  });
});

/** @throws Error when the end of the file is missing */
export async function wholeFile(): Promise<void> {
  await whole;
  if (!document.getElementById("td-end"))
    throw new Error("This file was cut short: a part of the trace is missing.");
}

/** The unpacked bytes of a part of this file; null when it has none of that name. */
export function part(name: string): { bytes: Uint8Array<ArrayBuffer>; type: string | null } | null {
  const element = document.getElementById(`td-${name}`);
  if (!element) return null;
  const stored = fromBase64(element.textContent);
  const bytes = element.dataset.method === "8" ? (inflateSync(stored) as Uint8Array<ArrayBuffer>) : stored;
  return { bytes, type: element.dataset.type ?? null };
}

/** The text of a part; null when the file has none of that name. */
export function partText(name: string): string | null {
  const found = part(name);
  return found && new TextDecoder().decode(found.bytes);
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  if ("fromBase64" in Uint8Array && typeof Uint8Array.fromBase64 === "function")
    return Uint8Array.fromBase64(text) as Uint8Array<ArrayBuffer>;
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

const addresses = new Map<string, string>();

/** An address for a part, good while the page is open; null when the file has none of that name (yet). */
export function partUrl(name: string): string | null {
  const known = addresses.get(name);
  if (known) return known;
  const found = part(name);
  if (!found) {
    // Whoever shows it looks again when the rest of the file is there.
    void isWhole.value;
    return null;
  }
  return addressOf(name, found.bytes, found.type ?? "application/octet-stream");
}

/** An address for a text, made once per name. */
export function textUrl(name: string, type: string): string {
  const known = addresses.get(name);
  return known ?? addressOf(name, new TextEncoder().encode(partText(name) ?? ""), type);
}

function addressOf(name: string, bytes: Uint8Array<ArrayBuffer>, type: string): string {
  const url = URL.createObjectURL(new Blob([bytes], { type: harmless(type) }));
  addresses.set(name, url);
  return url;
}

/** Opened by itself, recorded markup is text: as a page it would be one of this file's own. */
const harmless = (type: string): string =>
  /^(?:image|audio|video|font)\//i.test(type) ? type : "text/plain;charset=utf-8";
