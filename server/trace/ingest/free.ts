/**
 * Gives the memory of bytes back at once, where they have it for themselves: they must not be read again. What the runtime hands out lies
 * outside the collector's heap, which lets a multiple of what is in use pile up before it looks.
 */
export function free(bytes: Uint8Array<ArrayBuffer>): void {
  const isAlone = bytes.byteLength === bytes.buffer.byteLength;
  if (isAlone) bytes.buffer.transfer(0);
}
