import { deflateSync, inflateSync } from "fflate";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A text as raw DEFLATE (RFC 1951) of its UTF-8. */
export const pack = (text: string): Uint8Array => deflateSync(encoder.encode(text));

export const unpack = (packed: Uint8Array): string => decoder.decode(inflateSync(packed));
