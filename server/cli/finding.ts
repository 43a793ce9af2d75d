/** What `doctor` says of one thing that it looked at. */
export interface Finding {
  name: string;
  ok: boolean;
  detail: string;
}
