import { send } from "./request.ts";

/** The text of a captured body, cut after `cap` bytes. */
export async function readText(
  url: string,
  cap: number,
  signal: AbortSignal,
): Promise<{ text: string; bytes: number; isCut: boolean }> {
  const response = await send(url, { signal });
  const reader = response.body?.getReader();
  if (!reader) return { text: "", bytes: 0, isCut: false };
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  while (bytes < cap) {
    const { done, value } = await reader.read();
    if (done) return { text: text + decoder.decode(), bytes, isCut: false };
    bytes += value.length;
    text += decoder.decode(value, { stream: true });
  }
  await reader.cancel();
  return { text, bytes, isCut: true };
}

/** The first bytes of a captured body. */
export async function readBytes(
  url: string,
  cap: number,
  signal: AbortSignal,
): Promise<{ bytes: Uint8Array; isCut: boolean }> {
  const response = await send(url, { signal });
  const reader = response.body?.getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  let isCut = false;
  while (reader) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    size += value.length;
    isCut = size > cap;
    if (isCut) await reader.cancel();
    if (isCut) break;
  }
  return { bytes: new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer()).subarray(0, cap), isCut };
}
