export type Encoding = "zstd" | "gzip";

/** The best way to pack an answer of this media type that the client takes; null where it is better sent as it is. */
export function acceptedEncoding(request: Request, type: string): Encoding | null {
  if (!/^text\/|javascript|json|svg|xml|wasm/.test(type)) return null;
  const accepted = request.headers.get("accept-encoding") ?? "";
  const wants = (name: string) =>
    new RegExp(`(^|[\\s,])${name}(?!\\s*;\\s*q=0(\\.0*)?\\s*(,|$))`, "i").test(accepted);
  if (wants("zstd")) return "zstd";
  return wants("gzip") ? "gzip" : null;
}
