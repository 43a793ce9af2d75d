/** What an upload may unpack to, of its plan's upload cap. */
const UNPACKED_PER_UPLOAD = 20;

/** Bytes that a trace may have once nothing of it is packed, however it comes in. */
export const unpackedCap = (uploadCapBytes: number): number => uploadCapBytes * UNPACKED_PER_UPLOAD;
