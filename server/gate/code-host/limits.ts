const CUT = "…";

/**
 * A text of at most so many bytes of UTF-8. The host counts characters of some texts and bytes of others; whoever keeps to the bytes
 * keeps to both.
 */
export function cutBytes(text: string, most: number): string {
  if (Buffer.byteLength(text) <= most) return text;
  const room = most - Buffer.byteLength(CUT);
  // A character that the cut went through becomes U+FFFD, and leaves with it.
  const cut = Buffer.from(text).subarray(0, room).toString();
  return `${cut.replace(/(?<!\ufffd)\ufffd+$/, "")}${CUT}`;
}
